// Chapter 08: is 256 the best size of a block, and does the occupancy explain it?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Exposing
// more parallelism". There: n = 2^24, the kernel unrolled by 4, aligned and at offset 11, Fermi.
//
// Variants: read_offset (chapter 02) and read_offset_unrolled (chapter 07), blocks of 32 to 1024
//           threads, offsets 0 and 11. With shared_kb:48 each block also takes 48 KB of shared
//           memory that it does not use: fewer blocks of up to 256 threads fit an SM, the L1 is
//           smaller, the code stays. n = 2^20; 2^24, the book's, and 2^26 (805 MB, more than four times
//           any L2 of today), whose time alone an emulated GPU predicts; all cold. The book's size is
//           without shared_kb rows.
// Model:    an element is two 4-byte loads, one 4-byte store, one addition; n - offset elements.
// Differs:  the unrolled kernel computes the tail that the book's drops; the source states its
//           best block without the times, so its claims are directions.
#include <memory>
#include <string>
#include <vector>

#include "kernels.cuh"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"
#include "problems/array_sum.hpp"

namespace {

struct Shape {
    int unroll;  // elements a thread: 1 is read_offset
    std::size_t offset;
    unsigned block;
    unsigned shared_kb;  // unused shared memory of each block
};

unsigned grid(std::size_t n, const Shape& shape) {
    return lab::blocks_for(n, shape.block * shape.unroll);
}

lab::Variant variant(const lab::Experiment& experiment, std::shared_ptr<lab::ArraySum> arrays,
                     Shape shape) {
    const std::size_t n = arrays->size();
    const auto kernel = shape.unroll == 1 ? read_offset : read_offset_unrolled<4>;
    std::string name = shape.unroll == 1 ? "read_offset" : "read_offset_unrolled/unroll:4";
    name = lab::variant_name(name, {{"offset", shape.offset}, {"block", shape.block}});
    if (shape.shared_kb != 0) name = lab::variant_name(name, {{"shared_kb", shape.shared_kb}});
    name = lab::variant_name(name, {{"n", n}, {"cache", lab::text(lab::Cache::cold)}});
    return lab::array_sum_variant(name, arrays, shape.offset, experiment.cold_sets(arrays->bytes()),
                                  [=](const float* a, const float* b, float* c) {
                                      lab::launch(kernel, grid(n, shape), shape.block,
                                                  shape.shared_kb * 1024)(a, b, c, n, shape.offset);
                                  });
}

std::vector<Shape> shapes(bool with_shared_memory) {
    std::vector<Shape> shapes;
    for (const int unroll : {1, 4}) {
        for (const unsigned block : {32u, 64u, 128u, 256u, 512u, 768u, 1024u}) {
            for (const std::size_t offset : {0, 11}) shapes.push_back({unroll, offset, block, 0});
        }
        if (!with_shared_memory) continue;
        for (const unsigned block : {64u, 128u, 256u, 512u})
            shapes.push_back({unroll, 0, block, 48});
    }
    return shapes;
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("08_block_size", argc, argv);
    const std::size_t source_n = 1 << 24;
    const std::size_t small = 1 << 20;
    for (const std::size_t n : {small, source_n, std::size_t{1} << 26}) {
        const lab::Emulation emulation = experiment.emulation(n == small);
        const auto arrays = std::make_shared<lab::ArraySum>(n, emulation);
        for (const Shape& shape : shapes(n != source_n)) {
            if (grid(n, shape) > experiment.device().max_grid_x) continue;
            experiment.add(variant(experiment, arrays, shape), emulation);
        }
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
    }
    // Ragged: n is a multiple of no block; the tail of the unrolled kernel begins anywhere in it.
    for (const std::size_t n : {std::size_t{1}, std::size_t{4099}, std::size_t{100003}}) {
        const auto arrays = std::make_shared<lab::ArraySum>(n);
        for (const Shape& shape : shapes(true)) {
            if (shape.offset < n) experiment.add_validation(variant(experiment, arrays, shape));
        }
    }
    return experiment.run();
}
