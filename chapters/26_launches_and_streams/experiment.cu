// Chapter 26: what do a launch, a synchronisation and a copy beside a kernel cost?
//
// Source: NVIDIA's articles "Getting Started with CUDA Graphs" (2019: 20 kernels on 500,000 floats, again and again) and
//         "How to Overlap Data Transfers in CUDA C/C++" (2012); claims.toml has the others.
//
// Variants: empty         1,000 launches of an empty kernel: into the queue alone, back to back, in turns on 4 streams, in one
//                         graph, in a graph each; waited for one by one
//           scaling       20 short kernels: waited for one by one, in a stream, in a graph
//           iteration     64 steps of a small iteration: a launch each, in a graph, in one persistent kernel
//           synchronise   the calls that wait, with nothing to wait for
//           transfer      64 MiB to the device, pageable and pinned
//           both_ways     64 MiB in each direction, in one stream and in two
//           pipeline      64 MiB in 8 chunks that are copied, worked on and copied back, on 1 to 8 streams
//           allocate      1 MiB that is allocated and freed: cudaMalloc, the pool of a stream
// Model:    the time is that of one launch, kernel, step or call, or of all copies. Bytes of copies are those over the link.
// Differs:  timed by the host's clock until the device is idle. An emulated GPU has no such time: it counts the kernels.
#include "copies.hpp"
#include "lab/experiment/chapter.hpp"
#include "launches.hpp"

int main(int argc, char** argv) {
    lab::Experiment experiment("26_launches_and_streams", argc, argv);
    if (experiment.measures()) {
        experiment.add(empty_rows());
        experiment.add(synchronise_rows());
        experiment.add(copy_rows());
        experiment.add(allocate_rows());
    }
    experiment.add(scaling_rows(500000));
    experiment.add(iteration_rows(1 << 14));
    // Ragged: a block that is partly outside, one element.
    for (const unsigned n : {1u, 1009u}) {
        experiment.add_validation(scaling_rows(n));
        experiment.add_validation(iteration_rows(n));
    }
    return experiment.run();
}
