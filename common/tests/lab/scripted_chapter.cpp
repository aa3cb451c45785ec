// A chapter on a GPU that plays a script, for the test of what its rows become in the data
// (scripts/tests/data/test_schema.py): the second batch of each row is throttled, the fourth has another clock.
#include "lab/experiment/experiment.hpp"
#include "scripted_device.hpp"

int main(int argc, char** argv) {
    // Calibration, and five repetitions.
    scripted::device().plays = {{}, {}, {.throttled = true}, {}, {.sm_clock_mhz = 900}};
    lab::Experiment experiment("02_misaligned_reads", argc, argv);
    experiment.add(
        {.name = "read/n:1", .bytes = 4096, .working_set_bytes = 4096, .launch = [](std::size_t) {
         }});
    return experiment.run();
}
