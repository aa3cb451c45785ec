// Double free, a copy that is too long, a wrong direction: the calls return cudaErrorInvalidValue, which nothing checks.
// memcheck has one error for each.
// expect: ! failed call: cudaFree: the allocation of 256 bytes at
// expect: was freed before (invalid argument), unchecked_calls.cu:13; the program did not check
// expect: ! failed call: cudaMemcpy: 400 bytes, but 100 are left of the allocation of 100 bytes at
// expect: (invalid argument), unchecked_calls.cu:15; the program did not check
// expect: ! failed call: cudaMemcpy: a host pointer, where the direction asks for device memory (invalid argument), unchecked_calls.cu:16
// exit: 1
int main() {
    int *a, *never_freed, host[100];
    cudaMalloc(&a, 256);
    cudaFree(a);
    cudaFree(a);
    cudaMalloc(&a, 100);
    cudaMemcpy(a, host, 400, cudaMemcpyHostToDevice);
    cudaMemcpy(host, a, 100, cudaMemcpyHostToDevice);
    cudaMalloc(&never_freed, 1 << 20);
}
