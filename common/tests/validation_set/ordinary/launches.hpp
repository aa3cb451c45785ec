// A set of named kernel launches of an ordinary CUDA program: each entry launches one kernel and
// compares its output with a CPU reference.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ordinary {

// Throws with CUDA's text of the error.
void check(cudaError_t error);

// Device memory. Arrays without initial values hold 0xFF bytes, so that an element that the kernel
// leaves out differs from any reference.
template <class T>
class Array {
  public:
    explicit Array(std::size_t n) : Array(std::vector<T>(n), 0xFF) {}
    Array(std::size_t n, int byte) : Array(std::vector<T>(n), byte) {}
    Array(const std::vector<T>& values) : size_(values.size()) {
        check(cudaMalloc(&data_, size_ * sizeof(T)));
        check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() { cudaFree(data_); }

    T* data() const { return data_; }
    operator T*() const { return data_; }
    std::size_t size() const { return size_; }

    std::vector<T> to_host() const {
        std::vector<T> values(size_);
        check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    Array(std::vector<T> values, int byte) : size_(values.size()) {
        std::memset(static_cast<void*>(values.data()), byte, size_ * sizeof(T));
        check(cudaMalloc(&data_, size_ * sizeof(T)));
        check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    }

    T* data_ = nullptr;
    std::size_t size_;
};

// What one launch wrote: compared with a reference, and hashed.
class Outcome {
  public:
    // Byte by byte. Arrays of fewer expected elements are compared at their beginning.
    template <class T>
    void equal(const Array<T>& actual, const std::vector<T>& expected) {
        std::vector<T> values = actual.to_host();
        compare_bytes(values.data(), expected.data(), sizeof(T), expected.size());
    }

    // The same elements in any order, for outputs whose order depends on timing.
    template <class T>
    void same_elements(const Array<T>& actual, std::vector<T> expected) {
        std::vector<T> values = actual.to_host();
        values.resize(expected.size());
        std::sort(values.begin(), values.end());
        std::sort(expected.begin(), expected.end());
        compare_bytes(values.data(), expected.data(), sizeof(T), expected.size());
    }

    // |actual - expected| <= tolerance x max(1, |expected|): results that are rounded.
    template <class T>
    void near(const Array<T>& actual, const std::vector<T>& expected, double tolerance) {
        const std::vector<T> values = actual.to_host();
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double a = static_cast<double>(values[i]), e = static_cast<double>(expected[i]);
            const double allowed = tolerance * std::fmax(1.0, std::fabs(e));
            if (!(std::fabs(a - e) <= allowed)) fail(i, std::to_string(a), std::to_string(e));
        }
        is_exact_ = false;
        hash(values.data(), expected.size() * sizeof(T));
    }

    std::uint64_t hash() const { return hash_; }
    bool is_exact() const { return is_exact_; }
    bool is_checked() const { return is_checked_; }

  private:
    void compare_bytes(const void* actual, const void* expected, std::size_t bytes, std::size_t n);
    [[noreturn]] static void fail(std::size_t i, const std::string& got,
                                  const std::string& expected);
    void hash(const void* data, std::size_t bytes);

    std::uint64_t hash_ = 14695981039346656037ull;  // FNV-1a
    bool is_exact_ = true;
    bool is_checked_ = false;
};

class Launches {
  public:
    using Body = std::function<void(Outcome&)>;

    // `body` launches exactly one kernel.
    void add(std::string name, Body body) { all_.push_back({std::move(name), std::move(body)}); }

    struct Launch {
        std::string name;
        Body body;
    };
    const std::vector<Launch>& all() const { return all_; }

  private:
    std::vector<Launch> all_;
};

// Adds the launches of the executable's set: each set has its own.
void add_all(Launches& launches);

// Pseudo-random whole numbers in [0, limit), the same for every run.
template <class T>
std::vector<T> values(std::size_t n, unsigned limit = 97, unsigned seed = 1) {
    std::vector<T> result(n);
    std::uint32_t state = seed * 2654435761u + 12345u;
    for (T& value : result) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<T>(static_cast<int>((state >> 9) % limit));
    }
    return result;
}

// Every lane of a warp.
constexpr unsigned ALL_LANES = 0xffffffffu;

// Element i is f(i).
template <class F>
std::vector<int> each(int n, F f) {
    std::vector<int> result(n);
    for (int i = 0; i < n; ++i) result[i] = f(i);
    return result;
}

inline int blocks_for(int n, int of_a_block) { return (n + of_a_block - 1) / of_a_block; }

// Blocks of 128 threads.
inline int blocks_of(int threads) { return blocks_for(threads, 128); }

}  // namespace ordinary
