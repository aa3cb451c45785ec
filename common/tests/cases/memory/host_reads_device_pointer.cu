// The host dereferences a pointer of cudaMalloc: a segmentation fault on every discrete GPU without HMM or ATS.
// expect: emulated GPU: error: host code dereferences 0x
// expect: memory of the GPU, which the host cannot access (byte 4 of an allocation of 256 bytes at 0x
// expect: signal SIGSEGV
// expect-not: printed
// exit: 1
#include <cstdio>

int main() {
    int* values;
    cudaMalloc(&values, 256);
    values[1] = 5;
    std::printf("printed %d\n", values[1]);
    cudaFree(values);
}
