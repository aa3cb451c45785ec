// Runs every arithmetic instruction of PTX on the same inputs, edge values among them, and prints a line
// for each: a hash of the outputs of combinations of edge values, one of random inputs, and for
// approximations the largest error. The emulated GPU is compared with what a GPU prints.
//
//   nvcc -std=c++20 -cudart shared -gencode 'arch=compute_90,code=[sm_90,compute_90]' arithmetic_outputs.cu
//   arithmetic_outputs               CSV to standard output
//   arithmetic_outputs --values      all outputs, a line an instruction, to find what differs
//   arithmetic_outputs --compare F   compares with CSV that a GPU printed: hashes must be equal, errors of
//                                    approximations at most the GPU's and one unit more
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

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

std::string line_of(const Case& instruction, const Result& result) {
    char line[200];
    const auto edge_hash = static_cast<unsigned long long>(hash(result.bits, 0, edge_elements));
    const auto random_hash =
        static_cast<unsigned long long>(hash(result.bits, edge_elements, elements));
    if (instruction.scale == Scale::exact) {
        std::snprintf(line, sizeof line, "%s,exact,%d,%016llx,%016llx,", instruction.name, elements,
                      edge_hash, random_hash);
    } else {
        std::snprintf(line, sizeof line, "%s,approximate,%d,,,%.3f", instruction.name, elements,
                      result.max_error);
    }
    return line;
}

// 0 where all lines agree; prints those that do not.
int compare(const char* file) {
    std::ifstream stream(file);
    if (!stream) {
        std::fprintf(stderr, "cannot read %s\n", file);
        return 2;
    }
    std::map<std::string, std::string> expected;
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty() && line[0] != '#') expected[line.substr(0, line.find(','))] = line;
    }
    int different = 0;
    for (const Case& instruction : cases()) {
        const Result result = instruction.run();
        const std::string line = line_of(instruction, result);
        const std::string& of_gpu = expected[instruction.name];
        const bool agrees =
            instruction.scale == Scale::exact
                ? line == of_gpu
                : !of_gpu.empty() &&
                      result.max_error <= std::stod(of_gpu.substr(of_gpu.rfind(',') + 1)) + 1;
        if (agrees) continue;
        ++different;
        std::printf("%s\n  GPU: %s\n", line.c_str(), of_gpu.empty() ? "no line" : of_gpu.c_str());
    }
    std::printf("%zu instructions, %d differ\n", cases().size(), different);
    return different == 0 && !cases().empty() ? 0 : 1;
}

void print_values(const Case& instruction, const Result& result) {
    std::printf("%s", instruction.name);
    for (const std::uint64_t bits : result.bits)
        std::printf(" %llx", static_cast<unsigned long long>(bits));
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    const std::string option = argc > 1 ? argv[1] : "";
    if (option == "--compare" && argc == 3) return compare(argv[2]);
    const bool values = option == "--values" && argc == 2;
    if (argc > 1 && !values) {
        std::fprintf(stderr, "usage: arithmetic_outputs [--values | --compare FILE]\n");
        return 2;
    }
    if (!values) std::printf("instruction,kind,elements,edge_hash,random_hash,max_error\n");
    for (const Case& instruction : cases()) {
        const Result result = instruction.run();
        if (values)
            print_values(instruction, result);
        else
            std::printf("%s\n", line_of(instruction, result).c_str());
    }
    return 0;
}
