// Local memory: arrays with dynamic indices, structures whose address is taken, spilled registers.
#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__global__ void local_histogram(const unsigned char* in, int* out, int elements) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    int counts[16];
    for (int bin = 0; bin < 16; ++bin) counts[bin] = 0;
    for (int k = 0; k < elements; ++k) ++counts[in[k * threads + thread] % 16];
    for (int bin = 0; bin < 16; ++bin) out[bin * threads + thread] = counts[bin];
}

__global__ void insertion_sort(const int* in, int* out) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    int sorted[12];
    for (int i = 0; i < 12; ++i) {
        const int value = in[i * threads + thread];
        int place = i;
        while (place > 0 && sorted[place - 1] > value) {
            sorted[place] = sorted[place - 1];
            --place;
        }
        sorted[place] = value;
    }
    for (int i = 0; i < 12; ++i) out[i * threads + thread] = sorted[i];
}

// A stack of indices: depth-first search over a small implicit tree.
__global__ void local_stack(const int* data, int* out, int nodes) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int stack[24];
    int top = 0, sum = 0;
    stack[top++] = thread % 7;
    while (top > 0) {
        const int node = stack[--top];
        sum += data[node];
        if (2 * node + 1 < nodes) stack[top++] = 2 * node + 1;
        if (2 * node + 2 < nodes) stack[top++] = 2 * node + 2;
    }
    out[thread] = sum;
}

__global__ void local_bytes(const unsigned char* in, unsigned char* out, int key) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char box[64];
    for (int i = 0; i < 64; ++i) box[i] = static_cast<unsigned char>(i);
    int j = 0;
    for (int i = 0; i < 64; ++i) {
        j = (j + box[i] + key + thread) & 63;
        const unsigned char kept = box[i];
        box[i] = box[j];
        box[j] = kept;
    }
    out[thread] = in[thread] ^ box[in[thread] & 63];
}

__global__ void local_doubles(const double* in, double* out, const int* order, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    double window[8];
    for (int k = 0; k < 8; ++k) window[k] = in[(i + k) % n];
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += window[order[k] & 7] * k;
    out[i] = sum;
}

struct Matrix3 {
    float m[3][3];
};

__global__ void local_structure(const Matrix3* in, const int* rows, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Matrix3 matrix = in[i];
    const int row = rows[i] % 3;
    out[i] = matrix.m[row][0] + matrix.m[row][1] * matrix.m[2 - row][2];
}

// More values are alive than the registers that __launch_bounds__ leaves.
__global__ void __launch_bounds__(1024, 2) spill_by_bounds(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[48];
#pragma unroll
    for (int k = 0; k < 48; ++k) v[k] = in[(k * n) + i];
#pragma unroll
    for (int round = 0; round < 3; ++round) {
#pragma unroll
        for (int k = 0; k < 48; ++k) v[k] = v[k] + v[(k * 7 + 5 * round + 1) % 48];
    }
#pragma unroll
    for (int k = 0; k < 48; ++k) out[k * n + i] = v[k];
}

__global__ void __maxnreg__(32) spill_by_maximum(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[40];
#pragma unroll
    for (int k = 0; k < 40; ++k) v[k] = in[k * n + i];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 40; ++k) out[k * n + i] = v[k] + v[39 - k];
}

// Dynamic programming with two rows of a table a thread.
__global__ void edit_distance(const char* words, const char* pattern, int* out, int length) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    int row[9];
    for (int j = 0; j <= 8; ++j) row[j] = j;
    for (int i = 1; i <= length; ++i) {
        const char letter = words[(i - 1) * threads + thread];
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= 8; ++j) {
            const int above = row[j];
            const int changed = diagonal + (letter != pattern[j - 1]);
            row[j] = min(changed, min(above, row[j - 1]) + 1);
            diagonal = above;
        }
    }
    out[thread] = row[8];
}

void add_arrays(Launches& launches) {
    const int threads = 1024;
    launches.add("local_histogram", [=](Outcome& outcome) {
        const auto in = values<unsigned char>(30 * threads, 256);
        const Array<unsigned char> input(in);
        const Array<int> out(16 * threads);
        local_histogram<<<8, 128>>>(input, out, 30);
        std::vector<int> expected(16 * threads);
        for (int i = 0; i < 30 * threads; ++i) ++expected[in[i] % 16 * threads + i % threads];
        outcome.equal(out, expected);
    });
    launches.add("insertion_sort", [=](Outcome& outcome) {
        const auto in = values<int>(12 * threads, 1000);
        const Array<int> input(in), out(12 * threads);
        insertion_sort<<<8, 128>>>(input, out);
        std::vector<int> expected(12 * threads);
        for (int t = 0; t < threads; ++t) {
            std::vector<int> mine(12);
            for (int i = 0; i < 12; ++i) mine[i] = in[i * threads + t];
            std::sort(mine.begin(), mine.end());
            for (int i = 0; i < 12; ++i) expected[i * threads + t] = mine[i];
        }
        outcome.equal(out, expected);
    });
    launches.add("local_stack", [=](Outcome& outcome) {
        const int nodes = 60;
        const auto data = values<int>(nodes);
        const Array<int> input(data), out(threads);
        local_stack<<<8, 128>>>(input, out, nodes);
        auto sums = data;
        for (int i = nodes - 1; i > 0; --i) sums[(i - 1) / 2] += sums[i];
        std::vector<int> expected(threads);
        for (int t = 0; t < threads; ++t) expected[t] = sums[t % 7];
        outcome.equal(out, expected);
    });
    launches.add("local_bytes", [=](Outcome& outcome) {
        const auto in = values<unsigned char>(threads, 256);
        const Array<unsigned char> input(in), out(threads);
        local_bytes<<<8, 128>>>(input, out, 11);
        std::vector<unsigned char> expected(threads);
        for (int t = 0; t < threads; ++t) {
            unsigned char box[64];
            for (int i = 0; i < 64; ++i) box[i] = static_cast<unsigned char>(i);
            for (int i = 0, j = 0; i < 64; ++i) {
                j = (j + box[i] + 11 + t) & 63;
                std::swap(box[i], box[j]);
            }
            expected[t] = in[t] ^ box[in[t] & 63];
        }
        outcome.equal(out, expected);
    });
    launches.add("local_doubles", [=](Outcome& outcome) {
        const auto in = values<double>(threads);
        const std::vector<int> order = {3, 1, 4, 0, 5, 7, 2, 6};
        const Array<double> input(in), out(threads);
        const Array<int> places(order);
        local_doubles<<<8, 128>>>(input, out, places, threads);
        std::vector<double> expected(threads);
        for (int i = 0; i < 8 * threads; ++i)
            expected[i / 8] += in[(i / 8 + order[i % 8]) % threads] * (i % 8);
        outcome.equal(out, expected);
    });
}

void add_spills(Launches& launches) {
    launches.add("spill_by_bounds", [](Outcome& outcome) {
        const int n = 2048;
        const auto in = values<float>(48 * n, 5);
        const Array<float> input(in), out(48 * n);
        spill_by_bounds<<<2, 1024>>>(input, out, n);
        std::vector<float> expected(48 * n);
        for (int i = 0; i < n; ++i) {
            float v[48];
            for (int k = 0; k < 48; ++k) v[k] = in[k * n + i];
            for (int k = 0; k < 3 * 48; ++k) v[k % 48] += v[(k % 48 * 7 + k / 48 * 5 + 1) % 48];
            for (int k = 0; k < 48; ++k) expected[k * n + i] = v[k];
        }
        outcome.equal(out, expected);
    });
    launches.add("spill_by_maximum", [](Outcome& outcome) {
        const int n = 1024;
        const auto in = values<float>(40 * n);
        const Array<float> input(in), out(40 * n);
        spill_by_maximum<<<8, 128>>>(input, out, n);
        std::vector<float> expected(40 * n);
        for (int i = 0; i < 40 * n; ++i) expected[i] = in[i] + in[(39 - i / n) * n + i % n];
        outcome.equal(out, expected);
    });
}

void add_others(Launches& launches) {
    launches.add("local_structure", [](Outcome& outcome) {
        const int n = 1000;
        const auto numbers = values<float>(9 * n);
        const auto rows = values<int>(n, 97, 4);
        std::vector<Matrix3> in(n);
        std::memcpy(in.data(), numbers.data(), n * sizeof(Matrix3));
        const Array<Matrix3> input(in);
        const Array<int> chosen(rows);
        const Array<float> out(n);
        local_structure<<<8, 128>>>(input, chosen, out, n);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) {
            const int row = rows[i] % 3;
            expected[i] = in[i].m[row][0] + in[i].m[row][1] * in[i].m[2 - row][2];
        }
        outcome.equal(out, expected);
    });
    launches.add("edit_distance", [](Outcome& outcome) {
        const int threads = 512, length = 10;
        const auto words = values<char>(threads * length, 4);
        const auto pattern = values<char>(8, 4, 9);
        const Array<char> input(words), wanted(pattern);
        const Array<int> out(threads);
        edit_distance<<<4, 128>>>(input, wanted, out, length);
        std::vector<int> expected(threads);
        for (int t = 0; t < threads; ++t) {
            int d[length + 1][9];
            for (int i = 0; i <= length; ++i) {
                for (int j = 0; j <= 8; ++j) {
                    if (i == 0 || j == 0) {
                        d[i][j] = i + j;
                        continue;
                    }
                    const bool differs = words[(i - 1) * threads + t] != pattern[j - 1];
                    d[i][j] =
                        std::min({d[i - 1][j - 1] + differs, d[i - 1][j] + 1, d[i][j - 1] + 1});
                }
            }
            expected[t] = d[length][8];
        }
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_local_memory(Launches& launches) {
    add_arrays(launches);
    add_spills(launches);
    add_others(launches);
}

}  // namespace ordinary
