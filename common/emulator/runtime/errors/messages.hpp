// Lines on stderr, and the texts of errors.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace emulator::runtime {

// "invalid argument".
const char* error_text(cudaError_t code);
// "cudaErrorInvalidValue".
const char* error_name(cudaError_t code);

// One line on stderr: "emulated GPU: error: ...", "emulated GPU: note: ...".
void print_error(const std::string& text);
void print_note(const std::string& text);
void print_note_once(const std::string& text);

}  // namespace emulator::runtime
