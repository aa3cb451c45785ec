// One kernel at any size, by its name: the chapters' kernels, and those of kernels.cuh, as other people ran
// them. Prints the time of a launch.
//
//     any_size transpose_read_rows/block:16x16/rows:4096/columns:4096/cache:warm
//
// cache:cold is the first launch, cache:warm (if left out) the second one with the same data. Nothing is
// validated here: chapters validate their kernels. Sizes have to be multiples of what a block covers
// where a kernel has no bounds. Made for scripts/timing_published.py, which asks an emulated GPU for
// the times that were printed of a real one.
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../chapters/02_misaligned_reads/kernels.cuh"
#include "../../chapters/05_misaligned_writes/kernels.cuh"
#include "../../chapters/06_aos_soa/kernels.cuh"
#include "../../chapters/07_unroll4/kernels.cuh"
#include "../../chapters/09_transpose_bounds/kernels.cuh"
#include "../../chapters/10_transpose_naive/kernels.cuh"
#include "../../chapters/11_transpose_unroll4/kernels.cuh"
#include "../../chapters/12_transpose_diagonal/kernels.cuh"
#include "../../chapters/15_bank_conflicts/kernels.cuh"
#include "../../chapters/16_matmul_naive/kernels.cuh"
#include "../../chapters/17_matmul_tiled/kernels.cuh"
#include "kernels.cuh"
#include "lab/device/launch.hpp"

namespace {

// "kernel/key:value/key:value", and memory that no launch has used.
class Request {
  public:
    explicit Request(const std::string& name) {
        std::size_t at = name.find('/');
        kernel = name.substr(0, at);
        while (at != std::string::npos) {
            const std::size_t next = name.find('/', at + 1);
            const std::string part = name.substr(at + 1, next - at - 1);
            const std::size_t colon = part.find(':');
            if (colon == std::string::npos) throw std::invalid_argument(part + ": no key:value");
            values_[part.substr(0, colon)] = part.substr(colon + 1);
            at = next;
        }
    }
    std::string text(const std::string& key, const std::string& otherwise = "") const {
        const auto found = values_.find(key);
        if (found != values_.end()) return found->second;
        if (otherwise.empty()) throw std::invalid_argument(kernel + " needs " + key);
        return otherwise;
    }
    std::size_t number(const std::string& key, const std::string& otherwise = "") const {
        return std::stoull(text(key, otherwise));
    }
    dim3 block() const {  // "512" or "16x32"
        const std::string shape = text("block");
        const std::size_t by = shape.find('x');
        const auto side = [](const std::string& digits) { return unsigned(std::stoul(digits)); };
        return by == std::string::npos
                   ? dim3(side(shape))
                   : dim3(side(shape.substr(0, by)), side(shape.substr(by + 1)));
    }
    template <class T>
    T* array(std::size_t elements) const {
        void* pointer = nullptr;
        LAB_CUDA_CHECK(cudaMalloc(&pointer, elements * sizeof(T)));
        return static_cast<T*>(pointer);
    }
    std::string kernel;

  private:
    std::map<std::string, std::string> values_;
};

using Launch = std::function<void()>;
using Maker = std::function<Launch(const Request&)>;

using ArraySum = void (*)(const float*, const float*, float*, std::size_t, std::size_t);
Maker array_sum(ArraySum kernel, unsigned unroll = 1) {
    return [=](const Request& request) -> Launch {
        const std::size_t n = request.number("n"), offset = request.number("offset", "0");
        const float *a = request.array<float>(n), *b = request.array<float>(n);
        float* const c = request.array<float>(n);
        const dim3 block = request.block();
        const unsigned grid = lab::blocks_for(n, block.x * unroll);
        return [=] { lab::launch(kernel, grid, block)(a, b, c, n, offset); };
    };
}

Launch unrolled(const Request& request) {
    switch (request.number("unroll")) {
        case 2:
            return array_sum(read_offset_unrolled<2>, 2)(request);
        case 4:
            return array_sum(read_offset_unrolled<4>, 4)(request);
        default:
            throw std::invalid_argument("unroll: 2 or 4");
    }
}

// Matrices of floats whose kernel takes both sides.
using Matrix = void (*)(const float*, float*, std::size_t, std::size_t);
Maker matrix(Matrix kernel, bool x_is_row = false, unsigned unroll = 1) {
    return [=](const Request& request) -> Launch {
        const std::size_t rows = request.number("rows"), columns = request.number("columns");
        const float* const in = request.array<float>(rows * columns);
        float* const out = request.array<float>(rows * columns);
        const dim3 block = request.block();
        const dim3 grid(lab::blocks_for(x_is_row ? rows : columns, block.x * unroll),
                        lab::blocks_for(x_is_row ? columns : rows, block.y));
        return [=] { lab::launch(kernel, grid, block)(in, out, rows, columns); };
    };
}

// Square matrices in whole tiles.
using Tiled = void (*)(const float*, float*, std::size_t);
Maker tiled(Tiled kernel, unsigned tile, unsigned block_rows) {
    return [=](const Request& request) -> Launch {
        const std::size_t side = request.number("columns");
        const float* const in = request.array<float>(side * side);
        float* const out = request.array<float>(side * side);
        const dim3 grid(lab::blocks_for(side, tile), lab::blocks_for(side, tile));
        return [=] { lab::launch(kernel, grid, dim3(tile, block_rows))(in, out, side); };
    };
}

template <unsigned tile, unsigned block_rows>
Maker tiled_of(const std::string& kernel) {
    const std::map<std::string, Tiled> kernels = {
        {"copy_tile", move_tile<tile, block_rows, false>},
        {"copy_staged", copy_staged<tile, block_rows>},
        {"transpose_tile_naive", move_tile<tile, block_rows, true>},
        {"transpose_tile_staged", transpose_tile_staged<tile, block_rows, 0>},
        {"transpose_tile_staged_padded", transpose_tile_staged<tile, block_rows, 1>},
        {"transpose_tile_staged_diagonal", transpose_tile_staged<tile, block_rows, 1, true>},
    };
    return tiled(kernels.at(kernel), tile, block_rows);
}

Launch by_tiles(const Request& request) {
    const std::string block = request.text("block");
    const std::map<std::string, Maker (*)(const std::string&)> shapes = {
        {"16x16", tiled_of<16, 16>}, {"32x32", tiled_of<32, 32>}, {"32x16", tiled_of<32, 16>},
        {"32x8", tiled_of<32, 8>},   {"32x4", tiled_of<32, 4>},
    };
    return shapes.at(block)(request.kernel)(request);
}

// A block of shared memory: one launch of 32 x 32 threads.
using Staged = void (*)(const float*, float*, int, int);
Maker staged(Staged kernel) {
    return [=](const Request& request) -> Launch {
        const int side = int(request.number("rows"));
        const float* const in = request.array<float>(std::size_t(side) * side);
        float* const out = request.array<float>(std::size_t(side) * side);
        const dim3 grid(side / 32, side / 32);
        return [=] { lab::launch(kernel, grid, dim3(32, 32))(in, out, side, side); };
    };
}
Launch turned(const Request& request) {
    const auto kernel = request.number("pitch") == 33 ? turn_tiles<32, 33> : turn_tiles<32, 32>;
    const int side = int(request.number("rows"));
    const float* const in = request.array<float>(std::size_t(side) * side);
    float* const out = request.array<float>(std::size_t(side) * side);
    const dim3 grid(side / 32, side / 32);
    return [=] { lab::launch(kernel, grid, dim3(32, 32))(in, out, side); };
}

template <class T>
struct Product {
    explicit Product(const Request& request)
        : m(int(request.number("m"))),
          n(int(request.number("n"))),
          k(int(request.number("k"))),
          a(request.array<T>(std::size_t(m) * k)),
          b(request.array<T>(std::size_t(k) * n)),
          c(request.array<T>(std::size_t(m) * n)) {}
    int m, n, k;
    const T *a, *b;
    T* c;
};

using Naive = void (*)(const float*, const float*, float*, int, int, int);
Maker naive(Naive kernel, bool x_is_row = false) {
    return [=](const Request& request) -> Launch {
        const Product<float> p(request);
        const dim3 block = request.block();
        const dim3 grid(lab::blocks_for(std::size_t(x_is_row ? p.m : p.n), block.x),
                        lab::blocks_for(std::size_t(x_is_row ? p.n : p.m), block.y));
        return [=] { lab::launch(kernel, grid, block)(p.a, p.b, p.c, p.m, p.n, p.k); };
    };
}

template <int tile>
Launch bounded_of(const Product<float>& p) {
    const dim3 grid(lab::blocks_for(std::size_t(p.n), tile),
                    lab::blocks_for(std::size_t(p.m), tile));
    return [=] {
        lab::launch(matmul_tiled_bounded<float, tile>, grid, dim3(tile, tile))(p.a, p.b, p.c, p.m,
                                                                               p.n, p.k);
    };
}
Launch bounded(const Request& request) {
    const Product<float> p(request);
    return request.number("tile") == 16 ? bounded_of<16>(p) : bounded_of<32>(p);
}

// Whole tiles of 32 x 32.
using Tiles = void (*)(const float*, const float*, float*, int, int);
Maker in_tiles(Tiles kernel) {
    return [=](const Request& request) -> Launch {
        const Product<float> p(request);
        const dim3 grid(unsigned(p.n / 32), unsigned(p.m / 32));
        return [=] { lab::launch(kernel, grid, dim3(32, 32))(p.a, p.b, p.c, p.n, p.k); };
    };
}

Launch tile_at_launch(const Request& request) {
    const Product<std::uint32_t> p(request);
    const unsigned tile = unsigned(request.number("tile"));
    const dim3 grid(lab::blocks_for(std::size_t(p.n), tile),
                    lab::blocks_for(std::size_t(p.m), tile));
    const std::size_t shared = 2 * tile * tile * sizeof(std::uint32_t);
    return [=] {
        lab::launch(matmul_tile_at_launch, grid, dim3(tile, tile), shared)(p.a, p.b, p.c, p.m, p.n,
                                                                           p.k);
    };
}

// Records of `fields` floats, one a thread.
template <int fields>
Launch records(const Request& request) {
    const std::size_t n = request.number("n");
    const float* const in = request.array<float>(n * fields);
    float* const out = request.array<float>(n * fields);
    const dim3 block = request.block();
    const unsigned grid = lab::blocks_for(n, block.x);
    using Plain = Record<float, fields>;
    using Aligned = AlignedRecord<float, fields>;
    return [=, kernel = request.kernel] {
        if (kernel == "soa_all_fields") {
            lab::launch(soa_all_fields<float, fields>, grid, block)(in, out, n);
        } else if (kernel == "aos_all_fields") {
            lab::launch(aos_all_fields<float, fields>, grid, block)(
                reinterpret_cast<const Plain*>(in), reinterpret_cast<Plain*>(out), n);
        } else {
            lab::launch(aos_whole_record<float, fields>, grid, block)(
                reinterpret_cast<const Aligned*>(in), reinterpret_cast<Aligned*>(out), n);
        }
    };
}
Launch records_of(const Request& request) {
    return request.number("record") == 8 ? records<2>(request) : records<4>(request);
}

template <class T>
Launch elementwise(const Request& request, void (*kernel)(const T*, T*, std::size_t, T)) {
    const std::size_t n = request.number("n");
    const T* const in = request.array<T>(n);
    T* const out = request.array<T>(n);
    const dim3 block = request.block();
    return [=] { lab::launch(kernel, lab::blocks_for(n, block.x), block)(in, out, n, T(3)); };
}

const std::map<std::string, Maker>& makers() {
    static const std::map<std::string, Maker> result = {
        {"read_offset", array_sum(read_offset)},
        {"write_offset", array_sum(write_offset)},
        {"read_offset_unrolled", unrolled},
        {"copy_rows", matrix(copy_rows)},
        {"copy_columns", matrix(copy_columns)},
        {"transpose_read_rows", matrix(transpose_read_rows)},
        {"transpose_read_columns", matrix(transpose_read_columns, true)},
        {"transpose_read_rows_unroll4", matrix(transpose_read_rows_unroll4, false, 4)},
        {"transpose_read_columns_unroll4", matrix(transpose_read_columns_unroll4, true, 4)},
        {"transpose_read_rows_diagonal", matrix(transpose_read_rows_diagonal<DiagonalOfSquare>)},
        {"transpose_read_columns_diagonal",
         matrix(transpose_read_columns_diagonal<DiagonalOfSquare>, true)},
        {"transpose_rectangle", matrix(transpose_rectangle<32, 16, 0>)},
        {"transpose_rectangle_padded", matrix(transpose_rectangle<32, 16, 1>)},
        {"copy_tile", by_tiles},
        {"copy_staged", by_tiles},
        {"transpose_tile_naive", by_tiles},
        {"transpose_tile_staged", by_tiles},
        {"transpose_tile_staged_padded", by_tiles},
        {"transpose_tile_staged_diagonal", by_tiles},
        {"stage_rows", staged(stage_rows<32>)},
        {"stage_columns", staged(stage_columns<32, 32>)},
        {"turn_tiles", turned},
        {"matmul_naive", naive(matmul_naive)},
        {"matmul_naive_down_columns", naive(matmul_naive_down_columns, true)},
        {"matmul_tiled", in_tiles(matmul_tiled<32>)},
        {"matmul_tiled_in_steps", in_tiles(matmul_tiled_in_steps<32>)},
        {"matmul_tiled_bounded", bounded},
        {"matmul_tile_at_launch", tile_at_launch},
        {"aos_all_fields", records_of},
        {"aos_whole_record", records_of},
        {"soa_all_fields", records_of},
        {"scale_double", [](const Request& each) { return elementwise(each, scale_double); }},
        {"saxpy", [](const Request& each) { return elementwise(each, saxpy); }},
    };
    return result;
}

double microseconds_of(const Launch& launch) {
    cudaEvent_t begin = nullptr, end = nullptr;
    LAB_CUDA_CHECK(cudaEventCreate(&begin));
    LAB_CUDA_CHECK(cudaEventCreate(&end));
    LAB_CUDA_CHECK(cudaEventRecord(begin));
    launch();
    LAB_CUDA_CHECK(cudaEventRecord(end));
    LAB_CUDA_CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    LAB_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return 1e3 * milliseconds;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 2) throw std::invalid_argument("usage: any_size kernel/key:value/...");
        const Request request(argv[1]);
        const auto maker = makers().find(request.kernel);
        if (maker == makers().end())
            throw std::invalid_argument(request.kernel + ": unknown kernel");
        const Launch launch = maker->second(request);
        const bool warm = request.text("cache", "warm") == "warm";
        if (warm) microseconds_of(launch);
        std::printf("%s %.4f us\n", argv[1], microseconds_of(launch));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "any_size: error: %s\n", error.what());
        return 2;
    }
    return 0;
}
