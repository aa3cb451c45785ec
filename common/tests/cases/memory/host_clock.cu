// A kernel timed by the host's clock, without a synchronisation: what it prints is the time of the emulation.
// expect: note: the program reads the host's clock (std::chrono::steady_clock): that is the time of the emulation on this CPU; cudaEventElapsedTime alone gives predicted time
#include <chrono>
#include <cstdio>

__global__ void add(float* out, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum = sum * 1.1f + i;
    out[threadIdx.x] = sum;
}

int main() {
    float* out;
    cudaMalloc(&out, 1024);
    for (int n : {100, 1000}) {
        const auto start = std::chrono::steady_clock::now();
        add<<<1, 32>>>(out, n);
        const std::chrono::duration<double, std::micro> time =
            std::chrono::steady_clock::now() - start;
        std::printf("n = %d: %g us\n", n, time.count());
    }
    cudaDeviceSynchronize();
    cudaFree(out);
}
