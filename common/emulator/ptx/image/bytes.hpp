// Little-endian structures in bytes that may lie about their sizes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace emulator::ptx {

// `error` is thrown, with a message, where a read would leave the bytes.
template <class Error>
class Bytes {
  public:
    Bytes(std::span<const std::byte> bytes, const char* what) : bytes_(bytes), what_(what) {}

    std::size_t size() const { return bytes_.size(); }

    std::span<const std::byte> part(std::uint64_t offset, std::uint64_t length) const {
        if (offset > bytes_.size() || length > bytes_.size() - offset) {
            throw Error(std::string(what_) + ": truncated or damaged");
        }
        return bytes_.subspan(offset, length);
    }
    template <class T>
    T at(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, part(offset, sizeof value).data(), sizeof value);
        return value;
    }
    std::string text(std::uint64_t offset, std::uint64_t length) const {
        const auto range = part(offset, length);
        return {reinterpret_cast<const char*>(range.data()), range.size()};
    }
    // Up to its NUL.
    std::string name(std::uint64_t offset) const {
        const auto range = part(offset, offset <= size() ? size() - offset : 0);
        const auto end = std::find(range.begin(), range.end(), std::byte{0});
        return text(offset, static_cast<std::uint64_t>(end - range.begin()));
    }

  private:
    std::span<const std::byte> bytes_;
    const char* what_;
};

}  // namespace emulator::ptx
