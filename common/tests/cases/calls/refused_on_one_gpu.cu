// A grid of 70,000 blocks in x: too large for Fermi (65,535), not since Kepler.
// flags: --architecture fermi,kepler
// expect: ! fermi: refused launch: kernel clear, grid.x = 70000, at most 65535 (invalid configuration argument)
// expect-not: kepler: refused
// exit: 1
__global__ void clear(float* values) { values[threadIdx.x] = 0; }

int main() {
    float* values;
    cudaMalloc(&values, 128);
    clear<<<70000, 32>>>(values);
    cudaFree(values);
}
