// An array of the host, passed to a kernel.
// expect: writes 4 bytes in memory of the host (a host pointer passed to a kernel?)
// exit: 1
__global__ void write(int* values) { values[threadIdx.x] = 1; }

int main() {
    static int values[32];
    write<<<1, 32>>>(values);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 2;
}
