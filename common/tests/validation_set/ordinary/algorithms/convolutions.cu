// Convolutions with their coefficients in constant memory; constant memory read uniformly and by lane.
#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

constexpr int taps = 9;
__constant__ float coefficients[taps];
__constant__ float matrix_5x5[25];
__constant__ int table[256];

__global__ void convolve_1d(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    const int start = i - taps / 2;
    for (int k = 0; k < taps; ++k) {
        if (start + k >= 0 && start + k < n) sum += in[start + k] * coefficients[k];
    }
    if (i < n) out[i] = sum;
}

__global__ void convolve_1d_tiled(const float* in, float* out, int n) {
    __shared__ float tile[128 + taps - 1];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 128 + taps - 1; k += blockDim.x) {
        const int source = blockIdx.x * 128 + k - taps / 2;
        tile[k] = source >= 0 && source < n ? in[source] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < taps; ++k) sum += tile[threadIdx.x + k] * coefficients[k];
    if (i < n) out[i] = sum;
}

// Output tiles of 12 x 12: the outer threads of a block of 16 x 16 only load.
__global__ void convolve_2d(const float* in, float* out, int width, int height) {
    __shared__ float tile[16][16];
    const int x = blockIdx.x * 12 + threadIdx.x - 2;
    const int y = blockIdx.y * 12 + threadIdx.y - 2;
    if (x >= 0 && x < width && y >= 0 && y < height) {
        tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    } else {
        tile[threadIdx.y][threadIdx.x] = 0.0f;
    }
    __syncthreads();
    const bool is_inside =
        threadIdx.x >= 2 && threadIdx.x < 14 && threadIdx.y >= 2 && threadIdx.y < 14;
    if (is_inside && x < width && y < height) {
        float sum = 0;
        for (int dy = 0; dy < 5; ++dy) {
            for (int dx = 0; dx < 5; ++dx) {
                sum += tile[threadIdx.y + dy - 2][threadIdx.x + dx - 2] * matrix_5x5[dy * 5 + dx];
            }
        }
        out[y * width + x] = sum;
    }
}

__global__ void look_up_constant(const unsigned char* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[in[i]];
}

// Every lane of a warp reads the same element, which changes from round to round.
__global__ void polynomial_constant(const float* in, float* out, int n, int degree) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = degree; k >= 0; --k) sum = sum * in[i] + coefficients[k];
    out[i] = sum;
}

void set_coefficients(const std::vector<float>& of_1d, const std::vector<float>& of_2d) {
    check(cudaMemcpyToSymbol(coefficients, of_1d.data(), taps * sizeof(float)));
    check(cudaMemcpyToSymbol(matrix_5x5, of_2d.data(), 25 * sizeof(float)));
}

}  // namespace

void add_convolutions(Launches& launches) {
    const auto filter = values<float>(taps, 7, 20), filter_2d = values<float>(25, 7, 21);
    const auto add_1d = [=, &launches](const char* name,
                                       void (*kernel)(const float*, float*, int)) {
        launches.add(name, [=](Outcome& outcome) {
            const int n = 5000;
            const auto in = values<float>(n);
            set_coefficients(filter, filter_2d);
            const Array<float> input(in), out(n);
            kernel<<<(n + 127) / 128, 128>>>(input, out, n);
            std::vector<float> expected(n);
            for (int i = 0; i < n; ++i) {
                for (int k = 0; k < taps; ++k) {
                    const int source = i + k - taps / 2;
                    if (source >= 0 && source < n) expected[i] += in[source] * filter[k];
                }
            }
            outcome.equal(out, expected);
        });
    };
    add_1d("convolve_1d", convolve_1d);
    add_1d("convolve_1d_tiled", convolve_1d_tiled);
    launches.add("convolve_2d", [=](Outcome& outcome) {
        const int width = 100, height = 70;
        const auto in = values<float>(width * height);
        set_coefficients(filter, filter_2d);
        const Array<float> input(in), out(width * height);
        convolve_2d<<<dim3(9, 6), dim3(16, 16)>>>(input, out, width, height);
        std::vector<float> expected(width * height);
        for (int i = 0; i < width * height; ++i) {
            for (int k = 0; k < 25; ++k) {
                const int x = i % width + k % 5 - 2, y = i / width + k / 5 - 2;
                if (x < 0 || x >= width || y < 0 || y >= height) continue;
                expected[i] += in[y * width + x] * filter_2d[k];
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("look_up_constant", [=](Outcome& outcome) {
        const int n = 4000;
        const auto in = values<unsigned char>(n, 256);
        const auto numbers = values<int>(256, 100000, 22);
        check(cudaMemcpyToSymbol(table, numbers.data(), 256 * sizeof(int)));
        const Array<unsigned char> input(in);
        const Array<int> out(n);
        look_up_constant<<<32, 128>>>(input, out, n);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = numbers[in[i]];
        outcome.equal(out, expected);
    });
    launches.add("polynomial_constant", [=](Outcome& outcome) {
        const int n = 3000;
        const auto in = values<float>(n, 3);
        set_coefficients(filter, filter_2d);
        const Array<float> input(in), out(n);
        polynomial_constant<<<24, 128>>>(input, out, n, 8);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) {
            for (int k = 8; k >= 0; --k) expected[i] = expected[i] * in[i] + filter[k];
        }
        outcome.equal(out, expected);
    });
}

}  // namespace ordinary
