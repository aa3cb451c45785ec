#include "emulator/runtime/errors/messages.hpp"

#include <cstdio>
#include <set>

namespace emulator::runtime {
namespace {

void print_line(const char* kind, const std::string& text) {
    std::fflush(stdout);
    std::fprintf(stderr, "emulated GPU: %s: %s\n", kind, text.c_str());
}

// The headers of CUDA 12.4 to 12.6 do not name these.
constexpr auto cudaErrorContained = static_cast<cudaError_t>(226);
constexpr auto cudaErrorTensorMemoryLeak = static_cast<cudaError_t>(721);
constexpr auto cudaErrorFunctionNotLoaded = static_cast<cudaError_t>(913);
constexpr auto cudaErrorInvalidResourceType = static_cast<cudaError_t>(914);
constexpr auto cudaErrorInvalidResourceConfiguration = static_cast<cudaError_t>(915);

struct ErrorText {
    cudaError_t code;
    const char* name;
    const char* text;
};
constexpr ErrorText error_texts[] = {
#define ERROR(code, text) {code, #code, text},
#include "emulator/runtime/errors/errors.inc"
#undef ERROR
};

const ErrorText* find_text(cudaError_t code) {
    for (const ErrorText& entry : error_texts) {
        if (entry.code == code) return &entry;
    }
    return nullptr;
}

}  // namespace

const char* error_text(cudaError_t code) {
    const ErrorText* const found = find_text(code);
    return found == nullptr ? "unrecognized error code" : found->text;
}

const char* error_name(cudaError_t code) {
    const ErrorText* const found = find_text(code);
    return found == nullptr ? "unrecognized error code" : found->name;
}

void print_error(const std::string& text) { print_line("error", text); }

void print_note(const std::string& text) { print_line("note", text); }

void print_note_once(const std::string& text) {
    static std::set<std::string>& printed = *new std::set<std::string>;
    if (printed.insert(text).second) print_line("note", text);
}

}  // namespace emulator::runtime
