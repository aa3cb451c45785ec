// The validation set: launches whose counters on a GPU (Nsight Compute, stored in data/) are held
// against the emulated ones, row by row. Each is also checked for what it computes: values are small
// whole numbers, so that sums are exact in any order, and outputs are compared byte by byte with the
// reference, untouched ones included.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "cache_kernels.cuh"
#include "global_kernels.cuh"
#include "lab/device/device_buffer.hpp"
#include "lab/device/launch.hpp"
#include "lab/experiment/experiment.hpp"
#include "lab/experiment/variant_name.hpp"
#include "lab/validate/validation.hpp"
#include "product_kernels.cuh"
#include "shared_kernels.cuh"
#include "transposes.hpp"

namespace {

using lab::variant_name;

constexpr int blocks = 64;
constexpr int block = 256;
constexpr int threads = blocks * block;

// Element i of every input: not constant, not symmetric, small.
float value(std::size_t i) { return static_cast<float>((i * 37 + i / 61) % 97); }

template <class T>
T element(std::size_t i) {
    if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<T>(value(i));
    } else {  // a structure of floats
        T result;
        float words[sizeof(T) / sizeof(float)];
        for (std::size_t word = 0; word < sizeof(T) / sizeof(float); ++word) {
            words[word] = value(i * sizeof(T) / sizeof(float) + word);
        }
        std::memcpy(&result, words, sizeof(T));
        return result;
    }
}

template <class T>
std::vector<T> elements(std::size_t n) {
    std::vector<T> result(n);
    for (std::size_t i = 0; i < n; ++i) result[i] = element<T>(i);
    return result;
}

class ValidationSet {
  public:
    explicit ValidationSet(lab::Experiment& experiment) : experiment_(experiment) {}

    // `launch` reads `in_size` elements and writes some of `out_size`; `reference` does the same.
    template <class T>
    void add(const std::string& name, std::size_t in_size, std::size_t out_size,
             std::function<void(const T* in, T* out)> launch,
             std::function<void(const std::vector<T>& in, std::vector<T>& out)> reference) {
        struct Buffers {
            lab::DeviceBuffer<T> in, out;
        };
        const auto buffers = std::make_shared<Buffers>();
        experiment_.add({
            .name = name,
            .working_set_bytes = (in_size + out_size) * sizeof(T),
            .prepare =
                [=] {
                    if (buffers->in.size() == 0) {
                        *buffers = {lab::DeviceBuffer<T>(elements<T>(in_size)),
                                    lab::DeviceBuffer<T>(out_size)};
                    }
                    buffers->out.poison();
                },
            .launch = [=](std::size_t) { launch(buffers->in.get(), buffers->out.get()); },
            .check =
                [=] {
                    std::vector<T> expected(out_size);
                    std::memset(static_cast<void*>(expected.data()), lab::backend::poison_byte,
                                out_size * sizeof(T));
                    reference(elements<T>(in_size), expected);
                    const std::vector<T> actual = buffers->out.to_host();
                    if (std::memcmp(actual.data(), expected.data(), out_size * sizeof(T)) != 0) {
                        throw lab::ValidationError("the output differs from the reference");
                    }
                },
        });
    }

    // copy_at: out[i x store_stride] = in[i x load_stride + offset].
    template <class T>
    void add_copy(const std::string& name, int load_stride, int offset, int store_stride) {
        add<T>(
            name, threads * std::max(load_stride, 1) + offset, threads * store_stride,
            [=](const T* in, T* out) {
                lab::launch(copy_at<T>, blocks, block)(in, out, load_stride, offset, store_stride);
            },
            [=](const std::vector<T>& in, std::vector<T>& out) {
                for (int i = 0; i < threads; ++i)
                    out[i * store_stride] = in[i * load_stride + offset];
            });
    }

    // A kernel of (in, out, arguments...) with one thread an element, and what element i becomes.
    template <class... Arguments>
    void add_elementwise(const std::string& name, std::size_t in_size, dim3 grid,
                         dim3 threads_a_block, void (*kernel)(const float*, float*, Arguments...),
                         std::function<float(const std::vector<float>&, int)> expected,
                         Arguments... arguments) {
        const int n =
            static_cast<int>(grid.x * threads_a_block.x * threads_a_block.y * threads_a_block.z);
        add<float>(
            name, in_size, n,
            [=](const float* in, float* out) {
                lab::launch(kernel, grid, threads_a_block)(in, out, arguments...);
            },
            [=](const std::vector<float>& in, std::vector<float>& out) {
                for (int i = 0; i < n; ++i) out[i] = expected(in, i);
            });
    }

  private:
    lab::Experiment& experiment_;
};

void add_global_patterns(ValidationSet& set) {
    for (const int stride : {1, 2, 3, 4, 8, 17, 32}) {
        set.add_copy<float>(variant_name("load_stride", {{"stride", stride}}), stride, 0, 1);
        set.add_copy<float>(variant_name("store_stride", {{"stride", stride}}), 1, 0, stride);
    }
    for (const int offset : {1, 8, 11, 32, 128}) {
        set.add_copy<float>(variant_name("load_offset", {{"offset", offset}}), 1, offset, 1);
    }
    for (const int offset : {0, 1, 11}) {
        const auto add = [&]<class T>(const char* type, T*) {
            set.add_copy<T>(variant_name("load_type", {{"type", type}, {"offset", offset}}), 1,
                            offset, 1);
        };
        add("byte", static_cast<unsigned char*>(nullptr));
        add("half", static_cast<short*>(nullptr));
        add("double", static_cast<double*>(nullptr));
        add("float2", static_cast<float2*>(nullptr));
        add("float4", static_cast<float4*>(nullptr));
        add("structure8", static_cast<Words<2>*>(nullptr));
        add("structure12", static_cast<Words<3>*>(nullptr));
        add("structure16", static_cast<Words<4>*>(nullptr));
        add("structure20", static_cast<Words<5>*>(nullptr));
    }
    set.add_elementwise<int>(
        "copy_reversed", threads, blocks, block, copy_reversed,
        [](const auto& in, int i) { return in[threads - 1 - i]; }, threads);
    set.add_elementwise<>("broadcast", threads, blocks, block, broadcast,
                          [](const auto& in, int i) { return in[i / block]; });
    set.add<float>(
        "copy_odd_lanes", threads, threads,
        [](const float* in, float* out) { lab::launch(copy_odd_lanes, blocks, block)(in, out); },
        [](const auto& in, auto& out) {
            for (int i = 1; i < threads; i += 2) out[i] = in[i];
        });
    const auto add_branches = [&](const char* name, auto kernel) {
        set.add<float>(
            name, 2 * threads, 2 * threads,
            [=](const float* in, float* out) {
                lab::launch(kernel, blocks, block)(in, out, threads);
            },
            [](const auto& in, auto& out) {
                for (int i = 0; i < threads; ++i) {
                    (i % 3 == 0 ? out[i] : out[threads + i]) =
                        i % 3 == 0 ? in[2 * i] + 1 : in[i / 2];
                }
            });
    };
    add_branches("copy_in_branches", copy_in_branches);
    add_branches("copy_in_branches_merged", copy_in_branches_merged);
    set.add_elementwise<int, int, int>(
        "copy/block:48", threads, blocks, 48, copy_at<float>,
        [](const auto& in, int i) { return in[i]; }, 1, 0, 1);
    set.add_elementwise<>("copy_3d/block:8x4x3", threads, blocks, dim3(8, 4, 3), copy_3d,
                          [](const auto& in, int i) { return in[i]; });
    set.add_elementwise<>("stencil_1d", threads + 2, blocks, block, stencil_1d,
                          [](const auto& in, int i) { return in[i] + in[i + 1] + in[i + 2]; });
    set.add_elementwise<int>(
        "sum_rows/width:100", 2048 * 100, 8, block, sum_rows,
        [](const auto& in, int row) {
            return std::accumulate(in.begin() + row * 100, in.begin() + row * 100 + 100, 0.0f);
        },
        100);
    set.add_elementwise<int, int>(
        "sum_columns/height:50", 2048 * 50, 8, block, sum_columns,
        [](const auto& in, int column) {
            float sum = 0;
            for (int k = 0; k < 50; ++k) sum += in[k * 2048 + column];
            return sum;
        },
        2048, 50);
    set.add_elementwise<>("sum_as_many_as_the_lane", threads + 32, blocks, block,
                          sum_as_many_as_the_lane, [](const auto& in, int i) {
                              return std::accumulate(in.begin() + i, in.begin() + i + i % 32 + 1,
                                                     0.0f);
                          });
    constexpr int stencil_width = 258;
    set.add<float>(
        "stencil_2d/block:16x16", stencil_width * stencil_width, stencil_width * stencil_width,
        [](const float* in, float* out) {
            lab::launch(stencil_2d, dim3(16, 16), dim3(16, 16))(in, out, stencil_width);
        },
        [=](const auto& in, auto& out) {
            for (int y = 1; y <= 256; ++y) {
                for (int x = 1; x <= 256; ++x) {
                    const int i = y * stencil_width + x;
                    out[i] = in[i] + in[i - 1] + in[i + 1] + in[i - stencil_width] +
                             in[i + stencil_width];
                }
            }
        });
    set.add<Pair>(
        "aos_first_member", threads, threads,
        [](const Pair* in, Pair* out) {
            lab::launch(increment_first_of_pairs, blocks, block)(in, out);
        },
        [](const auto& in, auto& out) {
            for (int i = 0; i < threads; ++i) out[i].x = in[i].x + 1;
        });
    set.add_elementwise<>("soa_first_array", threads, blocks, block, increment_first_of_arrays,
                          [](const auto& in, int i) { return in[i] + 1; });
    for (const int offset : {0, 11}) {
        const auto add = [&](const char* name, void (*kernel)(const float*, float*, int)) {
            set.add_elementwise<int>(
                variant_name(name, {{"offset", offset}}), threads + 11, blocks, block, kernel,
                [=](const auto& in, int i) { return in[i + offset]; }, offset);
        };
        add("copy_read_only", copy_read_only);
        add("copy_past_l1", copy_past_l1);
        add("copy_restrict", copy_restrict);
    }
}

// Elements of `n` inputs at random places: from global memory, or by way of shared memory.
template <class T>
void add_gather(lab::Experiment& experiment, const std::string& name, int n,
                std::function<void(const T* in, const int* index, T* out)> launch) {
    struct Buffers {
        std::vector<int> index;
        lab::DeviceBuffer<T> in, out;
        lab::DeviceBuffer<int> device_index;
    };
    const auto buffers = std::make_shared<Buffers>();
    experiment.add({
        .name = name,
        .working_set_bytes = 3 * threads * sizeof(T),
        .prepare =
            [=] {
                std::mt19937 random(5);
                buffers->index.resize(threads);
                for (int& index : buffers->index) index = static_cast<int>(random() % n);
                buffers->in = lab::DeviceBuffer<T>(elements<T>(n));
                buffers->out = lab::DeviceBuffer<T>(threads);
                buffers->device_index = lab::DeviceBuffer<int>(buffers->index);
            },
        .launch =
            [=](std::size_t) {
                launch(buffers->in.get(), buffers->device_index.get(), buffers->out.get());
            },
        .check =
            [=] {
                std::vector<T> expected;
                for (const int index : buffers->index) expected.push_back(element<T>(index));
                const std::vector<T> actual = buffers->out.to_host();
                if (std::memcmp(actual.data(), expected.data(), threads * sizeof(T)) != 0) {
                    throw lab::ValidationError("the output differs from the reference");
                }
            },
    });
}

void add_gathers(lab::Experiment& experiment) {
    add_gather<float>(experiment, "gather", threads, [](auto* in, auto* index, auto* out) {
        lab::launch(gather, blocks, block)(in, index, out);
    });
    const auto add_shared = [&]<class T>(const char* type, T*) {
        add_gather<T>(experiment, variant_name("shared_gather", {{"type", type}}), 1024,
                      [](auto* in, auto* index, auto* out) {
                          lab::launch(shared_gather<T>, threads / 32, 32)(in, index, out);
                      });
    };
    add_shared("byte", static_cast<unsigned char*>(nullptr));
    add_shared("half", static_cast<short*>(nullptr));
    add_shared("float", static_cast<float*>(nullptr));
    add_shared("double", static_cast<double*>(nullptr));
    add_shared("float4", static_cast<float4*>(nullptr));
}

// ---- patterns of one warp's access to 64 elements of shared memory, a pattern a block ----------------

// The element of each lane; -1: inactive.
using Pattern = std::array<int, 32>;

Pattern random_pattern(std::mt19937& random) {
    Pattern pattern;
    for (int& element : pattern) element = static_cast<int>(random() % 64);
    return pattern;
}

// Lanes `first` and on do what their partners do whose number lacks the bit `apart`.
void join_partners(Pattern& pattern, int apart, int first, int lanes) {
    for (int lane = first; lane < first + lanes; ++lane) pattern[lane] = pattern[lane & ~apart];
}

Pattern pairs(std::mt19937& random) {
    Pattern pattern = random_pattern(random);
    join_partners(pattern, 1, 0, 32);
    return pattern;
}

Pattern pairs_with_one_broken(std::mt19937& random) {
    Pattern pattern = pairs(random);
    int& broken = pattern[random() % 32];
    broken = (broken + 1 + static_cast<int>(random() % 63)) % 64;
    return pattern;
}

Pattern two_apart(std::mt19937& random) {
    Pattern pattern = random_pattern(random);
    join_partners(pattern, 2, 0, 32);
    return pattern;
}

Pattern half_pairs_half_two_apart(std::mt19937& random) {
    Pattern pattern = random_pattern(random);
    join_partners(pattern, 1, 0, 16);
    join_partners(pattern, 2, 16, 16);
    return pattern;
}

Pattern half_pairs(std::mt19937& random) {
    Pattern pattern = random_pattern(random);
    join_partners(pattern, 1, 0, 16);
    return pattern;
}

Pattern with_inactive_lanes(Pattern pattern, std::mt19937& random) {
    for (int& element : pattern) {
        if (random() % 4 == 0) element = -1;
    }
    return pattern;
}

Pattern one_element(std::mt19937& random) {
    Pattern pattern;
    pattern.fill(static_cast<int>(random() % 64));
    return pattern;
}

// A warp's lanes 8 x 4 in a tile, as in chapter 19: each quarter reads the same row of eight...
Pattern eight_by_four_rows(std::mt19937& random) {
    Pattern pattern;
    const int first = static_cast<int>(random() % 57);
    for (int lane = 0; lane < 32; ++lane) pattern[lane] = first + lane % 8;
    return pattern;
}

// ... or an element of its own.
Pattern eight_by_four_columns(std::mt19937& random) {
    Pattern pattern;
    const int first = static_cast<int>(random() % 61);
    for (int lane = 0; lane < 32; ++lane) pattern[lane] = first + lane / 8;
    return pattern;
}

constexpr int patterns = 64;

template <class T, bool store>
void add_pattern(ValidationSet& set, const char* type, const char* lanes,
                 std::function<Pattern(std::mt19937&)> make) {
    std::mt19937 random(19);
    std::vector<int> at;
    for (int i = 0; i < patterns; ++i) {
        const Pattern pattern = make(random);
        at.insert(at.end(), pattern.begin(), pattern.end());
    }
    const auto device_at = std::make_shared<lab::DeviceBuffer<int>>(at);
    constexpr int per_block = store ? 64 : 32;
    set.add<T>(
        variant_name(store ? "shared_pattern_store" : "shared_pattern_load",
                     {{"type", type}, {"lanes", lanes}}),
        128, patterns * per_block,
        [=](const T* in, T* out) {
            lab::launch(store ? shared_pattern_store<T> : shared_pattern_load<T>, patterns, 32)(
                in, device_at->get(), out);
        },
        [=](const auto& in, auto& out) {
            for (int i = 0; store && i < patterns * per_block; ++i) out[i] = in[64 + i % 64];
            for (int i = 0; i < patterns * 32; ++i) {
                if (at[i] >= 0) out[i / 32 * per_block + (store ? at[i] : i % 32)] = in[at[i]];
            }
        });
}

void add_shared_patterns(ValidationSet& set) {
    const auto some_inactive = [](const auto& make) {
        return [=](std::mt19937& random) { return with_inactive_lanes(make(random), random); };
    };
    const auto add = [&]<class T>(const char* type, T*) {
        add_pattern<T, false>(set, type, "random", random_pattern);
        add_pattern<T, false>(set, type, "random_some_inactive", some_inactive(random_pattern));
        add_pattern<T, false>(set, type, "pairs", pairs);
        add_pattern<T, false>(set, type, "pairs_some_inactive", some_inactive(pairs));
        add_pattern<T, false>(set, type, "pairs_with_one_broken", pairs_with_one_broken);
        add_pattern<T, false>(set, type, "two_apart", two_apart);
        add_pattern<T, false>(set, type, "half_pairs_half_two_apart", half_pairs_half_two_apart);
        add_pattern<T, false>(set, type, "half_pairs", half_pairs);
        add_pattern<T, false>(set, type, "one_element", one_element);
        add_pattern<T, false>(set, type, "eight_by_four_rows", eight_by_four_rows);
        add_pattern<T, false>(set, type, "eight_by_four_columns", eight_by_four_columns);
        add_pattern<T, true>(set, type, "random_some_inactive", some_inactive(random_pattern));
        add_pattern<T, true>(set, type, "pairs", pairs);
    };
    add("double", static_cast<double*>(nullptr));
    add("float4", static_cast<float4*>(nullptr));
}

constexpr int width = 256;  // of transposed matrices
constexpr int n = 128;      // of multiplied ones, which are the two halves of the input

void add_matrices(ValidationSet& set) {
    const auto add_transposes = [&](const char* l1, const std::vector<Transpose>& transposes) {
        for (const Transpose& transpose : transposes) {
            set.add<float>(
                variant_name(transpose.name, {{"l1", l1}}), width * width, width * width,
                [=](const float* in, float* out) { transpose.launch(in, out, width); },
                [](const auto& in, auto& out) {
                    for (int y = 0; y < width; ++y) {
                        for (int x = 0; x < width; ++x) out[x * width + y] = in[y * width + x];
                    }
                });
        }
    };
    add_transposes("on", transposes_l1_on());
    add_transposes("off", transposes_l1_off());

    const auto add_product = [&](const std::string& name, int tile, auto kernel) {
        set.add<float>(
            name, 2 * n * n, n * n,
            [=](const float* in, float* out) {
                lab::launch(kernel, dim3(n / tile, n / tile), dim3(tile, tile))(in, in + n * n, out,
                                                                                n);
            },
            [](const auto& in, auto& out) {
                for (int row = 0; row < n; ++row) {
                    for (int column = 0; column < n; ++column) {
                        float sum = 0;
                        for (int k = 0; k < n; ++k)
                            sum += in[row * n + k] * in[n * n + k * n + column];
                        out[row * n + column] = sum;
                    }
                }
            });
    };
    add_product("multiply_naive/block:16x16", 16, multiply_naive);
    add_product("multiply_naive/block:32x32", 32, multiply_naive);
    add_product("multiply_tiled/tile:16", 16, multiply_tiled<16>);
    add_product("multiply_tiled/tile:32", 32, multiply_tiled<32>);
    add_product("multiply_tiled_unrolled/tile:16", 16, multiply_tiled_unrolled<16>);
    add_product("multiply_tiled_unrolled/tile:32", 32, multiply_tiled_unrolled<32>);
    add_product("multiply_tiled_merged/tile:16", 16, multiply_tiled_merged<16>);
    add_product("multiply_tiled_merged/tile:32", 32, multiply_tiled_merged<32>);
}

void add_shared_memory(ValidationSet& set) {
    constexpr int warps = 64;
    const auto add_stride = [&]<class T>(const char* type, int stride, T*) {
        set.add<T>(
            variant_name("shared_stride", {{"type", type}, {"stride", stride}}), warps * 32,
            warps * 32,
            [=](const T* in, T* out) { lab::launch(shared_stride<T>, warps, 32)(in, out, stride); },
            [](const auto& in, auto& out) { out = in; });
    };
    for (int stride = 1; stride <= 32; ++stride)
        add_stride("float", stride, static_cast<float*>(nullptr));
    for (const int stride : {1, 2, 3, 4, 8, 16, 32}) {
        add_stride("byte", stride, static_cast<unsigned char*>(nullptr));
        add_stride("double", stride, static_cast<double*>(nullptr));
        add_stride("float4", stride, static_cast<float4*>(nullptr));
    }
    for (const int lanes : {2, 4, 8, 16, 32}) {
        const auto add_multicast = [&]<class T>(const char* type, T*) {
            set.add<T>(
                variant_name("shared_multicast", {{"type", type}, {"lanes", lanes}}), warps * 32,
                warps * 32,
                [=](const T* in, T* out) {
                    lab::launch(shared_multicast<T>, warps, 32)(in, out, lanes);
                },
                [=](const auto& in, auto& out) {
                    for (int i = 0; i < warps * 32; ++i) out[i] = in[i / lanes * lanes];
                });
            set.add<T>(
                variant_name("shared_multicast_neighbours", {{"type", type}, {"lanes", lanes}}),
                warps * 32, warps * 32,
                [=](const T* in, T* out) {
                    lab::launch(shared_multicast_neighbours<T>, warps, 32)(in, out, lanes);
                },
                [=](const auto& in, auto& out) {
                    for (int i = 0; i < warps * 32; ++i) out[i] = in[i / 32 * 32 + i % 32 / lanes];
                });
        };
        add_multicast("float", static_cast<float*>(nullptr));
        add_multicast("double", static_cast<double*>(nullptr));
        add_multicast("float4", static_cast<float4*>(nullptr));
    }
    const auto reversed_in_blocks = [](const auto& in, int i) {
        return in[i / block * block + block - 1 - i % block];
    };
    set.add_elementwise<>("reverse_in_static_shared", threads, blocks, block,
                          reverse_in_static_shared, reversed_in_blocks);
    set.add<float>(
        "reverse_in_dynamic_shared", threads, threads,
        [](const float* in, float* out) {
            lab::launch(reverse_in_dynamic_shared, blocks, block, block * sizeof(float))(in, out);
        },
        [=](const auto& in, auto& out) {
            for (int i = 0; i < threads; ++i) out[i] = reversed_in_blocks(in, i);
        });
}

void add_caches(ValidationSet& set) {
    for (const int kilobytes : {96, 192, 320, 512}) {
        const int floats = kilobytes * 256;
        set.add_elementwise<int, int>(
            variant_name("read_cyclically", {{"kilobytes", kilobytes}}), floats, 1, 1024,
            read_cyclically,
            [=](const auto& in, int i) {
                float sum = 0;
                for (int at = i; at < floats; at += 1024) sum += 4 * in[at];
                return sum;
            },
            floats, 4);
    }
    for (const int distance : {0, 1, 128}) {
        const auto partner = [=](int i) {
            return i / block * block + (i % block + distance) % block;
        };
        // `values` is the first half of the output, `out` the second.
        set.add<float>(
            variant_name("store_then_load", {{"distance", distance}}), 1, 2 * threads,
            [=](const float*, float* out) {
                lab::launch(store_then_load, blocks, block)(out, out + threads, distance);
            },
            [=](const auto&, auto& out) {
                for (int i = 0; i < threads; ++i) {
                    out[i] = static_cast<float>(i);
                    out[threads + i] = static_cast<float>(partner(i));
                }
            });
    }
    // Cold reads of footprints that fit every L2: 4 MB whole, and one sector in each 64 bytes of it.
    set.add_elementwise<int, int, int>(
        "cold_read/megabytes:4", 1 << 20, (1 << 20) / block, block, copy_at<float>,
        [](const auto& in, int i) { return in[i]; }, 1, 0, 1);
    set.add_elementwise<int, int, int>(
        "cold_read_of_every_other_sector", 1 << 20, (1 << 16) / block, block, copy_at<float>,
        [](const auto& in, int i) { return in[i * 16]; }, 16, 0, 1);
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("emulator_validation", argc, argv);
    ValidationSet set(experiment);
    add_global_patterns(set);
    add_gathers(experiment);
    add_matrices(set);
    add_shared_memory(set);
    add_caches(set);
    add_shared_patterns(set);
    return experiment.run();
}
