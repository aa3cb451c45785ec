// Each lane reads another constant, one after another: warps wait for constant memory, not for global memory.
// expect: constants
// expect-not: global memory
__constant__ int table[1024];

__global__ void walk(int* out) {
    int at = static_cast<int>(threadIdx.x);
    for (int step = 0; step < 200; ++step) at = table[at] + static_cast<int>(threadIdx.x);
    out[threadIdx.x] = at;
}

int main() {
    int* out;
    cudaMalloc(&out, 4 * 256);
    walk<<<1, 256>>>(out);
    return cudaDeviceSynchronize();
}
