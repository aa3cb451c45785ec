// Runs kernels of a PTX file on the SIMT core, without a runtime in between.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "emulator/memory/device_memory.hpp"
#include "emulator/simt/state/gpu.hpp"

namespace simt_test {

using emulator::simt::Dimensions;
using emulator::simt::LaunchRecord;
using emulator::simt::LaunchShape;

// An array in the emulated GPU's memory.
template <class T>
class Array {
  public:
    explicit Array(std::size_t n) : size_(n), data_(allocate(n)) {
        std::memset(data_, 0, n * sizeof(T));
        emulator::mark_initialised(reinterpret_cast<emulator::Address>(data_), n * sizeof(T));
    }
    explicit Array(const std::vector<T>& values) : Array(values.size()) {
        std::memcpy(data_, values.data(), values.size() * sizeof(T));
    }
    ~Array() { emulator::release_device_memory(data_); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    T* get() const { return data_; }
    std::vector<T> to_host() const { return {data_, data_ + size_}; }

  private:
    static T* allocate(std::size_t n) {
        return static_cast<T*>(
            emulator::allocate_device_memory(n * sizeof(T), emulator::HostAccess::allowed));
    }
    std::size_t size_;
    T* data_;
};

inline std::string contents_of(const std::string& file) {
    std::ifstream stream(file);
    EXPECT_TRUE(stream) << "cannot read " << file;
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

// Arguments laid out as a launch's parameter buffer: each at a multiple of its size.
template <class... Arguments>
std::vector<std::byte> parameters(Arguments... arguments) {
    std::vector<std::byte> buffer;
    [[maybe_unused]] const auto append = [&](const auto& argument) {  // by those without arguments
        constexpr std::size_t bytes = sizeof(argument);
        const std::size_t at = (buffer.size() + bytes - 1) / bytes * bytes;
        buffer.resize(at + bytes);
        std::memcpy(buffer.data() + at, &argument, bytes);
    };
    (append(arguments), ...);
    return buffer;
}

// An emulated GPU with one module.
class Machine {
  public:
    explicit Machine(const std::string& ptx, const std::string& architecture = "hopper",
                     emulator::simt::Options options = {},
                     emulator::L1Mode l1_mode = emulator::L1Mode::standard)
        : gpu_(*emulator::find_architecture(architecture), options),
          module_(gpu_.load(emulator::ptx::parse(ptx), l1_mode)) {}

    template <class... Arguments>
    LaunchRecord launch(const std::string& kernel, const LaunchShape& shape,
                        Arguments... arguments) {
        const emulator::simt::Kernel* const found = emulator::simt::find_kernel(*module_, kernel);
        if (found == nullptr) throw std::invalid_argument("no kernel " + kernel);
        return gpu_.launch(*found, shape, parameters(arguments...), {});
    }
    emulator::simt::Gpu& gpu() { return gpu_; }
    const emulator::simt::Module& module() const { return *module_; }

  private:
    emulator::simt::Gpu gpu_;
    std::shared_ptr<emulator::simt::Module> module_;
};

inline LaunchShape shape(Dimensions grid, Dimensions block, std::size_t dynamic_shared_bytes = 0) {
    return {grid, block, dynamic_shared_bytes, false};
}
inline LaunchShape shape(unsigned grid, unsigned block, std::size_t dynamic_shared_bytes = 0) {
    return shape(Dimensions{grid}, Dimensions{block}, dynamic_shared_bytes);
}

inline std::vector<float> ramp(std::size_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
}

}  // namespace simt_test
