// Before Pascal the host may access managed memory once it has waited; since Pascal at any time.
// flags: --architecture kepler,pascal
// arguments: x
// expect: 2 launches of 1 kernel
// expect-not: host code
__global__ void write(int* values) { values[threadIdx.x] = 1; }

int main() {
    int *values, *attached;
    cudaMallocManaged(&values, 128);
    cudaMallocManaged(&attached, 128, cudaMemAttachHost);
    for (int launch = 0; launch < 2; launch++) {
        values[0] = 0;
        write<<<1, 32>>>(values);
        attached[0] = launch;
        cudaDeviceSynchronize();
        if (values[0] != 1) return 2;
    }
    return cudaFree(values) + cudaFree(attached);
}
