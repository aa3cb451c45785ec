// What the running executable knows of itself: source lines of instructions, names of functions and
// of shared arrays. Read once from its own ELF and DWARF sections through elfutils' libdw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace emulator {

// "02_misaligned_reads/kernels.cuh:12" for the call that returns to `return_address`; "unknown line" without debug data.
std::string source_line(const void* return_address);

// "read_offset(float const*, ...)" for the function that starts at or contains `code`.
std::string function_name(const void* code);

// A __shared__ array: where it lies from the start of a thread's TLS block, and how large it is.
struct SharedArray {
    std::string name;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    // Declared `extern __shared__`: its size is the launch's, not `bytes`.
    bool dynamic = false;
};

// The array that holds `tls_offset`, or else the one nearest below it.
std::optional<SharedArray> shared_array_at_or_below(std::size_t tls_offset);

// Statically declared shared memory of the kernel that starts at `kernel`, in bytes.
std::size_t static_shared_bytes(const void* kernel);

// The TLS block of the calling thread, in which its copy of every __shared__ array lies.
struct TlsBlock {
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
};
TlsBlock tls_block_of_this_thread();

// Whether `address` is a variable of the executable (`__device__`, `__constant__`, or a table).
enum class ImageSection { none, device_variable, constant };
ImageSection image_section(std::uint64_t address);

}  // namespace emulator
