// Predicts launches from their records (machine/trace_file.hpp), which it reads from standard input, each behind its length in four bytes, on the H200 or the GPU
// whose name is its argument; a second one names mechanisms that are left out (machine/mechanisms.hpp). Prints a line each, `seconds bound kernel`.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <vector>

#include "emulator/models/architecture.hpp"
#include "timing/machine/machine_table.hpp"
#include "timing/machine/mechanisms.hpp"
#include "timing/machine/trace_file.hpp"
#include "timing/sm/launch_time.hpp"

int main(int argc, char** argv) {
    const char* const name = argc > 1 ? argv[1] : "hopper";
    const emulator::Architecture* const gpu = emulator::find_architecture(name);
    if (gpu == nullptr) {
        std::fprintf(stderr, "predict_records: error: %s: unknown GPU\n", name);
        return 2;
    }
    const std::vector<char> input{std::istreambuf_iterator<char>(std::cin), {}};
    std::span<const std::uint8_t> rest(reinterpret_cast<const std::uint8_t*>(input.data()),
                                       input.size());
    try {
        const timing::Machine machine =
            timing::without(timing::machine_of(*gpu), argc > 2 ? argv[2] : "");
        while (!rest.empty()) {
            std::uint32_t count = 0;
            if (rest.size() < sizeof count) throw std::runtime_error("a record ends too early");
            std::memcpy(&count, rest.data(), sizeof count);
            rest = rest.subspan(sizeof count);
            if (rest.size() < count) throw std::runtime_error("a record ends too early");
            std::span<const std::uint8_t> bytes = rest.first(count);
            rest = rest.subspan(count);
            const timing::LaunchInput launch = timing::take_launch(bytes);
            const timing::Prediction predicted =
                timing::predict(machine, launch.trace, launch.facts);
            const auto bound = timing::text(predicted.bound);
            std::printf("%.6g %.*s %s\n", predicted.seconds, static_cast<int>(bound.size()),
                        bound.data(), launch.kernel.c_str());
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "predict_records: error: %s\n", error.what());
        return 1;
    }
    return 0;
}
