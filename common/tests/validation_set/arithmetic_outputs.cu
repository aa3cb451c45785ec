// Runs every arithmetic instruction of PTX on the same inputs, edge values among them, and prints a line
// for each: a hash of the outputs of combinations of edge values, one of random inputs, and for
// approximations the largest error. The emulated GPU is compared with what a GPU prints.
//
//   nvcc -std=c++20 -cudart shared -gencode 'arch=compute_90,code=[sm_90,compute_90]' arithmetic_outputs.cu
//   arithmetic_outputs               CSV to standard output
//   arithmetic_outputs --values      all outputs, a line an instruction, to find what differs
#include <cstdio>
#include <cstring>

#include "arithmetic_cases.hpp"
#include "arithmetic_inputs.hpp"
#include "arithmetic_instructions.hpp"

namespace {

using namespace arithmetic_outputs;

// FNV-1a over the bytes of the outputs.
std::uint64_t hash(const std::vector<std::uint64_t>& bits, int first, int end) {
    std::uint64_t result = 0xcbf29ce484222325u;
    for (int i = first; i < end; ++i) {
        for (int byte = 0; byte < 8; ++byte) {
            result ^= bits[i] >> 8 * byte & 0xff;
            result *= 0x100000001b3u;
        }
    }
    return result;
}

void print_line(const Case& instruction, const Result& result) {
    const auto edge_hash = static_cast<unsigned long long>(hash(result.bits, 0, edge_elements));
    const auto random_hash =
        static_cast<unsigned long long>(hash(result.bits, edge_elements, elements));
    if (instruction.scale == Scale::exact) {
        std::printf("%s,exact,%d,%016llx,%016llx,\n", instruction.name, elements, edge_hash,
                    random_hash);
    } else {
        std::printf("%s,approximate,%d,,,%.3f\n", instruction.name, elements, result.max_error);
    }
}

void print_values(const Case& instruction, const Result& result) {
    std::printf("%s", instruction.name);
    for (const std::uint64_t bits : result.bits)
        std::printf(" %llx", static_cast<unsigned long long>(bits));
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    const bool values = argc == 2 && std::strcmp(argv[1], "--values") == 0;
    if (argc > 1 && !values) {
        std::fprintf(stderr, "usage: arithmetic_outputs [--values]\n");
        return 2;
    }
    if (!values) std::printf("instruction,kind,elements,edge_hash,random_hash,max_error\n");
    for (const Case& instruction : cases()) {
        const Result result = instruction.run();
        values ? print_values(instruction, result) : print_line(instruction, result);
    }
    return 0;
}
