// An array in device memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lab/device/backend.hpp"

namespace lab {

// Owns `size` elements of device memory; movable, not copyable. Fresh memory is poisoned: every byte
// is 0xFF, which is a NaN in every floating-point type and no likely result in the integer ones, so
// that an element which a kernel leaves out cannot look right; but for what a predicted launch makes.
template <class T>
class DeviceBuffer {
  public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(std::size_t size)
        : data_(static_cast<T*>(backend::allocate(size * sizeof(T)))), size_(size) {
        if (!backend::is_predicting()) poison();
    }
    explicit DeviceBuffer(std::span<const T> values) : DeviceBuffer(values.size()) {
        backend::copy_to_device(data_, values.data(), values.size_bytes());
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer() {
        if (data_ != nullptr) backend::release(data_);
    }

    T* get() { return data_; }
    const T* get() const { return data_; }
    std::size_t size() const { return size_; }

    void poison() { backend::poison(data_, size_ * sizeof(T)); }

    // Waits for the device.
    std::vector<T> to_host() const {
        std::vector<T> values(size_);
        backend::copy_to_host(values.data(), data_, size_ * sizeof(T));
        return values;
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// An element of fresh memory: in a reference, one that the kernel must not touch (expect_same_bits).
template <class T>
T poison_value() {
    T value;
    std::memset(&value, backend::poison_byte, sizeof value);
    return value;
}

}  // namespace lab
