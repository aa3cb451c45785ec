// Stencils in one, two and three dimensions, and a cellular automaton.
#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

constexpr int radius = 3;

__global__ void stencil_1d(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < radius || i >= n - radius) return;
    int sum = 0;
    for (int k = -radius; k <= radius; ++k) sum += in[i + k];
    out[i] = sum;
}

// The block's elements and a halo on both sides in shared memory.
__global__ void stencil_1d_shared(const int* in, int* out, int n) {
    __shared__ int tile[256 + 2 * radius];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int local = threadIdx.x + radius;
    tile[local] = in[i];
    if (threadIdx.x < radius) {
        tile[local - radius] = i >= radius ? in[i - radius] : 0;
        tile[local + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int k = -radius; k <= radius; ++k) sum += tile[local + k];
    out[i] = sum;
}

__global__ void jacobi_2d(const float* in, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        const int i = y * width + x;
        out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    }
}

__global__ void jacobi_2d_shared(const float* in, float* out, int width, int height) {
    __shared__ float tile[18][18];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    if (x < width && y < height) {
        tile[ty][tx] = in[y * width + x];
        if (threadIdx.x == 0 && x > 0) tile[ty][0] = in[y * width + x - 1];
        if (threadIdx.x == 15 && x < width - 1) tile[ty][17] = in[y * width + x + 1];
        if (threadIdx.y == 0 && y > 0) tile[0][tx] = in[(y - 1) * width + x];
        if (threadIdx.y == 15 && y < height - 1) tile[17][tx] = in[(y + 1) * width + x];
    }
    __syncthreads();
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        out[y * width + x] =
            0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
    }
}

// Nine points; indices clamped at the edges.
__global__ void blur_clamped(const unsigned char* in, unsigned char* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const int xx = min(max(x + dx, 0), width - 1);
            const int yy = min(max(y + dy, 0), height - 1);
            sum += in[yy * width + xx];
        }
    }
    out[y * width + x] = static_cast<unsigned char>(sum / 9);
}

__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int left = (x + width - 1) % width, right = (x + 1) % width;
    const int up = (y + height - 1) % height, down = (y + 1) % height;
    const int alive = in[up * width + left] + in[up * width + x] + in[up * width + right] +
                      in[y * width + left] + in[y * width + right] + in[down * width + left] +
                      in[down * width + x] + in[down * width + right];
    out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

// Seven points; each thread goes along z and keeps its neighbours above and below in registers.
__global__ void stencil_3d(const float* in, float* out, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || x >= nx - 1 || y == 0 || y >= ny - 1) return;
    const int plane = nx * ny;
    int i = y * nx + x;
    float below = in[i], here = in[i + plane];
    for (int z = 1; z < nz - 1; ++z) {
        i += plane;
        const float above = in[i + plane];
        out[i] = below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 6.0f * here;
        below = here;
        here = above;
    }
}

__global__ void stencil_3d_by_thread(const float* in, float* out, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    const int i = (z * ny + y) * nx + x;
    out[i] = in[i - nx * ny] + in[i + nx * ny] + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] -
             6.0f * in[i];
}

__global__ void median_of_three(const int* __restrict__ in, int* __restrict__ out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        if (i == 0 || i == n - 1) {
            out[i] = in[i];
            continue;
        }
        const int a = in[i - 1], b = in[i], c = in[i + 1];
        out[i] = max(min(a, b), min(max(a, b), c));
    }
}

void add_1d(Launches& launches) {
    const int n = 4096;
    const auto in = values<int>(n);
    launches.add("stencil_1d", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        stencil_1d<<<16, 256>>>(input, out, n);
        std::vector<int> expected(n, -1);
        for (int i = radius; i < n - radius; ++i) {
            expected[i] = 0;
            for (int k = -radius; k <= radius; ++k) expected[i] += in[i + k];
        }
        outcome.equal(out, expected);
    });
    launches.add("stencil_1d_shared", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        stencil_1d_shared<<<16, 256>>>(input, out, n);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            for (int k = -radius; k <= radius; ++k) {
                if (i + k >= 0 && i + k < n) expected[i] += in[i + k];
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("median_of_three", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        median_of_three<<<4, 192>>>(input, out, n);
        auto expected = in;
        for (int i = 1; i < n - 1; ++i) {
            int three[] = {in[i - 1], in[i], in[i + 1]};
            std::sort(three, three + 3);
            expected[i] = three[1];
        }
        outcome.equal(out, expected);
    });
}

void add_2d(Launches& launches) {
    const int width = 200, height = 90;
    const auto in = values<float>(width * height);
    const auto add = [=, &launches](const char* name,
                                    void (*kernel)(const float*, float*, int, int), dim3 block) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<float> input(in), out(in);
            const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
            kernel<<<grid, block>>>(input, out, width, height);
            auto expected = in;
            for (int i = width; i < width * (height - 1); ++i) {
                if (i % width == 0 || i % width == width - 1) continue;
                expected[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
            }
            outcome.equal(out, expected);
        });
    };
    add("jacobi_2d/block:32x8", jacobi_2d, dim3(32, 8));
    add("jacobi_2d/block:16x16", jacobi_2d, dim3(16, 16));
    add("jacobi_2d_shared", jacobi_2d_shared, dim3(16, 16));
    launches.add("blur_clamped", [=](Outcome& outcome) {
        const auto image = values<unsigned char>(width * height, 256);
        const Array<unsigned char> input(image), out(width * height);
        blur_clamped<<<dim3(7, 12), dim3(32, 8)>>>(input, out, width, height);
        std::vector<unsigned char> expected(width * height);
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                int sum = 0;
                for (int k = 0; k < 9; ++k) {
                    const int xx = std::clamp(x + k % 3 - 1, 0, width - 1);
                    sum += image[std::clamp(y + k / 3 - 1, 0, height - 1) * width + xx];
                }
                expected[y * width + x] = static_cast<unsigned char>(sum / 9);
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("life", [=](Outcome& outcome) {
        const auto cells = values<unsigned char>(width * height, 2);
        const Array<unsigned char> input(cells), out(width * height);
        life<<<dim3(13, 6), dim3(16, 16)>>>(input, out, width, height);
        std::vector<unsigned char> expected(width * height);
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                int alive = 0;
                for (int k = 0; k < 9; ++k) {
                    const int yy = (y + k / 3 - 1 + height) % height;
                    if (k != 4) alive += cells[yy * width + (x + k % 3 - 1 + width) % width];
                }
                expected[y * width + x] = alive == 3 || (alive == 2 && cells[y * width + x]);
            }
        }
        outcome.equal(out, expected);
    });
}

void add_3d(Launches& launches) {
    const int nx = 50, ny = 30, nz = 20;
    const auto in = values<float>(nx * ny * nz);
    const auto add = [=, &launches](const char* name,
                                    void (*kernel)(const float*, float*, int, int, int), dim3 grid,
                                    dim3 block) {
        launches.add(name, [=](Outcome& outcome) {
            const Array<float> input(in), out(in);
            kernel<<<grid, block>>>(input, out, nx, ny, nz);
            auto expected = in;
            for (int z = 1; z < nz - 1; ++z) {
                for (int y = 1; y < ny - 1; ++y) {
                    for (int x = 1; x < nx - 1; ++x) {
                        const int i = (z * ny + y) * nx + x;
                        expected[i] = in[i - nx * ny] + in[i + nx * ny] + in[i - 1] + in[i + 1] +
                                      in[i - nx] + in[i + nx] - 6.0f * in[i];
                    }
                }
            }
            outcome.equal(out, expected);
        });
    };
    add("stencil_3d", stencil_3d, dim3(2, 4), dim3(32, 8));
    add("stencil_3d_by_thread", stencil_3d_by_thread, dim3(4, 8, 5), dim3(16, 4, 4));
}

}  // namespace

void add_stencils(Launches& launches) {
    add_1d(launches);
    add_2d(launches);
    add_3d(launches);
}

}  // namespace ordinary
