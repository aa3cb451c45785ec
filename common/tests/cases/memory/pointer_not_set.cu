// A pointer that holds whatever was there.
// expect: reads 4 bytes at address 0x4141414141414140, where no memory is (a pointer that was not set?)
// expect-not: host pointer
// exit: 1
struct List {
    int* values;
};

__global__ void read(List list, int* out) { out[threadIdx.x] = list.values[threadIdx.x]; }

int main() {
    List list;
    list.values = reinterpret_cast<int*>(0x4141414141414140);
    int* out;
    cudaMalloc(&out, 128);
    read<<<1, 32>>>(list, out);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 2;
}
