// expect: kernel write(int*), block (0,0,0), thread (0,0,0): null_pointer.cu:6 writes 4 bytes at address 0: a null pointer
// expect-not: host pointer
// exit: 1

// Each thread writes its element.
__global__ void write(int* out) { out[threadIdx.x] = 1; }

int main() {
    write<<<1, 32>>>(nullptr);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 2;
}
