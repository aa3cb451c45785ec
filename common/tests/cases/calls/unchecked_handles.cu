// Handles and numbers that do not exist.
// expect: ! failed call: cudaSetDevice: device 1, but the only one is device 0 (invalid device ordinal), unchecked_handles.cu:13; the program did not check
// expect: ! failed call: cudaEventElapsedTime:
// expect: ! failed call: cudaStreamDestroy:
// exit: 1
int main() {
    cudaEvent_t start, stop;
    cudaStream_t stream;
    float milliseconds;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaStreamCreate(&stream);
    cudaSetDevice(1);
    cudaEventElapsedTime(&milliseconds, start, stop);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(stream);
}
