#include "emulator/runtime/ptx_image.hpp"

#include <cstring>
#include <vector>

#include "emulator/runtime/errors.hpp"

namespace emulator::runtime {
namespace {

template <class T>
T at(const char* data, std::size_t offset) {
    T value;
    std::memcpy(&value, data + offset, sizeof value);
    return value;
}

struct Entry {
    unsigned target;
    const char* header;
    std::string_view text;
};

std::vector<Entry> ptx_entries(const void* wrapper) {
    const char* const fatbin = at<const char*>(static_cast<const char*>(wrapper), 8);
    std::vector<Entry> entries;
    const char* entry = fatbin + at<std::uint16_t>(fatbin, 6);
    const char* const end = entry + at<std::uint64_t>(fatbin, 8);
    while (entry < end) {
        const auto header = at<std::uint32_t>(entry, 4);
        const auto bytes = at<std::uint64_t>(entry, 8);
        if (at<std::uint16_t>(entry, 0) == 1) {
            entries.push_back({at<std::uint32_t>(entry, 28), entry, {entry + header, bytes}});
        }
        entry += header + bytes;
    }
    return entries;
}

}  // namespace

PtxImage choose_ptx(const void* wrapper, unsigned compute_capability) {
    const std::vector<Entry> entries = ptx_entries(wrapper);
    const Entry* chosen = nullptr;
    const auto runs = [&](const Entry& entry) { return entry.target <= compute_capability; };
    for (const Entry& entry : entries) {
        if (chosen == nullptr || (runs(entry) && (!runs(*chosen) || entry.target > chosen->target)) ||
            (!runs(entry) && !runs(*chosen) && entry.target < chosen->target)) {
            chosen = &entry;
        }
    }
    if (chosen == nullptr) {
        throw ApiError(cudaErrorNoKernelImageForDevice,
                       "the program holds no PTX: compile it with "
                       "-gencode arch=compute_75,code=compute_75");
    }
    return {std::string(chosen->text), L1Mode::standard};
}

ptx::Module parse(const PtxImage& image) {
    try {
        return ptx::parse(image.text);
    } catch (const std::exception& error) {
        throw ApiError(cudaErrorInvalidPtx, error.what());
    }
}

}  // namespace emulator::runtime
