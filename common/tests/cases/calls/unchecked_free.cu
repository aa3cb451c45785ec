// What is no allocation cannot be freed.
// expect: ! failed call: cudaFree: 0x
// expect: is not an allocation (invalid argument), unchecked_free.cu:13; the program did not check
// expect: is 16 bytes inside an allocation, which starts at 0x
// expect: (invalid argument), unchecked_free.cu:14
// expect: ! failed call: cudaFreeHost: 0x
// expect: is device memory (invalid argument), unchecked_free.cu:15
// exit: 1
int main() {
    static int own[4];
    char* memory;
    cudaMalloc(&memory, 64);
    cudaFree(own);
    cudaFree(memory + 16);
    cudaFreeHost(memory);
}
