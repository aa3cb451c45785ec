// Sizes that do not fit: of an allocation, a fill, a copy to a variable, the rows of a copy.
// expect: ! failed call: cudaMalloc: 1125899906842624 bytes asked for,
// expect: (out of memory), unchecked_sizes.cu:13; the program did not check
// expect: ! failed call: cudaMemset: 512 bytes, but 256 are left of the allocation of 256 bytes
// expect: ! failed call: cudaMemcpyToSymbol: 64 bytes at byte 0 of a variable of 16 bytes (invalid argument)
// expect: ! failed call: cudaMemcpy2D: rows of 16 bytes, but pitches of 8 (to) and 16 (from) (invalid pitch argument)
// exit: 1
__device__ float table[4];

int main() {
    static float host[64];
    char *huge, *small;
    cudaMalloc(&huge, 1ull << 50);
    cudaMalloc(&small, 256);
    cudaMemset(small, 0, 512);
    cudaMemcpyToSymbol(table, host, 64);
    cudaMemcpy2D(small, 8, host, 16, 16, 4, cudaMemcpyHostToDevice);
    cudaFree(small);
}
