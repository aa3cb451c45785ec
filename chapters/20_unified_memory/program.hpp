// The program of chapter 20, from fresh memory to a sum that the host has read, phase by phase:
//
//   allocate     memory of a, b and c, on the host and on the device; page-locked pages are made here
//   initialise   the host writes a and b and clears c, the first to touch the pages of all other kinds
//   host_sum     the host adds a and b into a matrix of its own, as the book's program does to compare
//   to_device    what comes before the first launch: copies, prefetches or advice; plain managed memory
//                has nothing to do here, and no such phase
//   first_touch  the first launch: pages that are not on the GPU have to come, or to be made
//   kernel       the same launch once more: what the kernel costs where everything is in place
//   read_back    the host reads all of c
//   total        all of these but `kernel`, which the program would not do twice, and `host_sum`
//
// Release is in none of them.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "kernels.cuh"
#include "lab/device/backend.hpp"
#include "lab/device/cuda_check.hpp"
#include "lab/device/launch.hpp"
#include "lab/validate/random_values.hpp"
#include "lab/validate/validation.hpp"

enum class Memory { explicit_copies, pinned_copies, managed, prefetched, kept_on_host };

struct Shape {
    std::size_t rows, columns;
    std::size_t size() const { return rows * columns; }
    std::size_t bytes() const { return 3 * sizeof(float) * size(); }  // of a, b and c
};

inline void launch_add_matrices(const float* a, const float* b, float* c, Shape shape) {
    const dim3 block(32, 32);
    const dim3 grid(lab::blocks_for(shape.columns, block.x), lab::blocks_for(shape.rows, block.y));
    lab::launch(add_matrices, grid, block)(a, b, c, shape.rows, shape.columns);
}

inline bool is_managed(Memory memory) {
    return memory != Memory::explicit_copies && memory != Memory::pinned_copies;
}

// A matrix as the host and the GPU see it: in one place each, or (managed) one for both. The host's
// pages are fresh, but for pinned ones, which are made when they are locked.
class Matrix {
  public:
    Matrix(std::size_t size, Memory memory) : size_(size) {
        const bool managed = is_managed(memory);
        device_.reset(static_cast<float*>(managed ? lab::backend::allocate_managed(bytes())
                                                  : lab::backend::allocate(bytes())));
        if (memory == Memory::explicit_copies) {
            pageable_ = std::make_unique_for_overwrite<float[]>(size);
        } else if (memory == Memory::pinned_copies) {
            void* pinned = nullptr;
            LAB_CUDA_CHECK(cudaMallocHost(&pinned, bytes()));
            pinned_.reset(static_cast<float*>(pinned));
        }
    }

    std::size_t bytes() const { return size_ * sizeof(float); }
    float* device() const { return device_.get(); }
    std::span<float> host() const {
        float* const own = pageable_ ? pageable_.get() : pinned_.get();
        return {own != nullptr ? own : device_.get(), size_};
    }

    void copy_to_device() const { lab::backend::copy_to_device(device(), host().data(), bytes()); }
    void copy_to_host() const { lab::backend::copy_to_host(host().data(), device(), bytes()); }
    void prefetch(lab::backend::Place to) const { lab::backend::prefetch(device(), bytes(), to); }

  private:
    struct Release {
        void operator()(float* pointer) const { lab::backend::release(pointer); }
    };
    struct Unpin {
        void operator()(float* pointer) const { cudaFreeHost(pointer); }
    };
    std::size_t size_;
    std::unique_ptr<float[]> pageable_;
    std::unique_ptr<float, Unpin> pinned_;
    std::unique_ptr<float, Release> device_;
};

class Program {
  public:
    Program(Memory memory, Shape shape) : memory_(memory), shape_(shape) {}

    // Executes the program untimed: records what moves in each phase and compares every element of
    // the sum. Only the first call does so. Throws lab::ValidationError.
    void rehearse() {
        if (rehearsed_) return;
        execute();
        // The driver loses records now and then, and invents none: the most of three is what moved.
        for (int again = 1; again < 3 && is_managed() && all_known_; ++again) execute();
        rehearsed_ = true;
    }

    // Seconds of a phase in one execution. An execution answers once for each of its phases: it need
    // not be repeated for every one. After rehearse(). Throws lab::ValidationError for a wrong sum.
    double seconds(const std::string& phase) {
        std::deque<double>& waiting = seconds_[phase];
        if (waiting.empty()) execute();
        const double first = waiting.front();
        waiting.pop_front();
        return first;
    }

    // The bytes that moved in a phase of the rehearsal: as copied here, or as the driver says, if it does. A total
    // needs all of its phases.
    lab::Counters counters(const std::string& phase) const {
        if (phase == "total" && !all_known_) return {};
        std::map<std::string, double> moved;
        for (const auto& [name, counters] : counters_) {
            if (phase == "total" ? is_apart(name) : name != phase) continue;
            for (const auto& [counter, value] : counters) moved[counter] += value;
        }
        return {moved.begin(), moved.end()};
    }

  private:
    // No part of what the program costs: the second launch, and what only a comparison needs.
    static bool is_apart(const std::string& phase) {
        return phase == "kernel" || phase == "host_sum";
    }
    bool is_managed() const { return ::is_managed(memory_); }

    void execute() {
        namespace backend = lab::backend;
        const std::size_t n = shape_.size();
        const Matrix on_host(n, memory_);
        std::vector<Matrix> matrices;
        std::uint32_t sum = 0;
        total_ = 0;

        phase("allocate", {}, [&] {
            for (int of = 0; of < 3; ++of) matrices.emplace_back(n, memory_);
        });
        const Matrix &a = matrices[0], &b = matrices[1], &c = matrices[2];
        const double bytes = static_cast<double>(a.bytes());
        const auto launch = [&] {
            launch_add_matrices(a.device(), b.device(), c.device(), shape_);
        };
        phase("initialise", {}, [&] {
            fill(a.host(), a_);
            fill(b.host(), b_);
            std::ranges::fill(c.host(), 0.0f);
        });
        phase("host_sum", {}, [&] {
            std::ranges::transform(a.host(), b.host(), on_host.host().begin(), std::plus());
        });
        bring_to_device(a, b, c);
        phase("first_touch", {}, launch);
        // The second launch makes what is read back below.
        backend::poison(c.device(), c.bytes());
        backend::synchronise();
        phase("kernel", {}, launch);
        const lab::Counters copied_back = {{"bytes_to_host", bytes}};
        phase("read_back", is_managed() ? lab::Counters{} : copied_back, [&] {
            if (!is_managed()) c.copy_to_host();
            if (memory_ == Memory::prefetched) {
                c.prefetch(backend::Place::host);
                backend::synchronise();
            }
            sum = checksum(c.host());
        });
        if (!rehearsed_) {
            validate(c.host());
            checksum_ = sum;
        } else if (sum != checksum_) {
            throw lab::ValidationError("the checksum differs from the validated run");
        } else {
            seconds_["total"].push_back(total_);
        }
    }

    void bring_to_device(const Matrix& a, const Matrix& b, const Matrix& c) {
        const double both = static_cast<double>(a.bytes() + b.bytes());
        switch (memory_) {
            case Memory::managed:
                break;
            case Memory::explicit_copies:
            case Memory::pinned_copies:
                phase("to_device", {{"bytes_to_device", both}}, [&] {
                    a.copy_to_device();
                    b.copy_to_device();
                });
                break;
            case Memory::prefetched:
                phase("to_device", {}, [&] {
                    for (const Matrix* matrix : {&a, &b, &c}) {
                        matrix->prefetch(lab::backend::Place::device);
                    }
                });
                break;
            case Memory::kept_on_host:
                phase("to_device", {}, [&] {
                    lab::backend::keep_on_host(a.device(), a.bytes());
                    lab::backend::keep_on_host(b.device(), b.bytes());
                });
                break;
        }
    }

    // `copied`: what `work` copies by itself.
    void phase(const std::string& name, const lab::Counters& copied,
               const std::function<void()>& work) {
        if (!rehearsed_ && is_managed()) {
            const auto moved = lab::backend::migrated(work);
            if (!moved) all_known_ = false;
            return take_down(name, moved.value_or(lab::Counters{}));
        }
        const auto begin = std::chrono::steady_clock::now();
        work();
        lab::backend::synchronise();
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        if (!rehearsed_) return take_down(name, copied);
        seconds_[name].push_back(elapsed.count());
        if (!is_apart(name)) total_ += elapsed.count();
    }

    void take_down(const std::string& name, const lab::Counters& moved) {
        for (const auto& [counter, value] : moved) {
            double& most = counters_[name][counter];
            most = std::max(most, value);
        }
    }

    static void fill(std::span<float> matrix, const std::vector<float>& values) {
        for (std::size_t at = 0; at < matrix.size(); at += values.size()) {
            std::copy_n(values.begin(), std::min(values.size(), matrix.size() - at),
                        matrix.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }

    // A pass over all of it that costs no more than reading.
    static std::uint32_t checksum(std::span<const float> matrix) {
        return std::transform_reduce(
            matrix.begin(), matrix.end(), std::uint32_t{0}, std::plus(),
            [](float value) { return std::bit_cast<std::uint32_t>(value); });
    }

    void validate(std::span<const float> matrix) const {
        std::vector<float> expected(period_);
        std::transform(a_.begin(), a_.end(), b_.begin(), expected.begin(), std::plus());
        for (std::size_t at = 0; at < matrix.size(); at += period_) {
            const std::size_t count = std::min(period_, matrix.size() - at);
            lab::expect_near<float>(matrix.subspan(at, count), std::span(expected).first(count), 0,
                                    at);
        }
    }

    Memory memory_;
    Shape shape_;
    // Inputs repeat this many values (512 KB, which caches hold): what is timed is the writing, not the
    // making. A prime: no row falls in step with it.
    std::size_t period_ = std::min<std::size_t>(shape_.size(), 131071);
    std::vector<float> a_ = lab::random_floats(period_, 1), b_ = lab::random_floats(period_, 2);
    bool rehearsed_ = false;
    bool all_known_ = true;
    std::uint32_t checksum_ = 0;
    double total_ = 0;
    std::map<std::string, std::deque<double>> seconds_;
    std::map<std::string, std::map<std::string, double>> counters_;
};
