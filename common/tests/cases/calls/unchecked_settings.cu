// A device that is not there, and more shared memory than the T4 has.
// flags: --architecture t4
// expect: ! failed call: cudaSetDevice: device 1, but the only one is device 0 (invalid device ordinal), unchecked_settings.cu:14
// expect: ! failed call: cudaFuncSetAttribute: 102400 bytes of dynamic shared memory beside 0 static, at most 65536 together (invalid argument), unchecked_settings.cu:15
// expect: ! refused launch: kernel clear, 102400 bytes of shared memory (0 static, 102400 dynamic), at most 49152; up to 65536 with cudaFuncSetAttribute
// exit: 1
__global__ void clear() {
    extern __shared__ int words[];
    words[threadIdx.x] = 0;
}

int main() {
    const int bytes = 100 * 1024;
    cudaSetDevice(1);
    cudaFuncSetAttribute(clear, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    clear<<<1, 256, bytes>>>();
    cudaDeviceSynchronize();
}
