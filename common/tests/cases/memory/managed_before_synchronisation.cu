// The host reads managed memory while the kernel may still run: a fault before Pascal (CUDA C++ Programming Guide,
// "Coherency and Concurrency").
// flags: --architecture kepler
// expect: host code dereferences 0x
// expect: managed memory that a kernel may still use (byte 0 of an allocation of 128 bytes
// expect: call cudaDeviceSynchronize() first
// exit: 1
__global__ void write(int* values) { values[threadIdx.x] = 1; }

int main() {
    int* values;
    cudaMallocManaged(&values, 128);
    values[0] = 0;
    write<<<1, 32>>>(values);
    return values[0] == 1 ? 0 : 2;
}
