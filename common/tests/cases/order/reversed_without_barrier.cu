// The barrier between the stores and the loads of other warps is missing, and there is no other: the result depends on
// which warp comes first, and the report says so without --check-hazards.
// expect: note: results depend on the order of warps: kernel reverse(int*), block (0,0,0)
// expect: reversed_without_barrier.cu:9 writes s, which
// expect: --check-hazards names all such places
__global__ void reverse(int* a) {
    __shared__ int s[128];
    const int t = threadIdx.x;
    s[t] = a[t];
    a[t] = s[127 - t];
}

int main() {
    int* a;
    cudaMalloc(&a, 512);
    cudaMemset(a, 0, 512);
    reverse<<<1, 128>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
