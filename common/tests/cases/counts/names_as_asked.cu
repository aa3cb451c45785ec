// The columns are headed as the user asked, and registers that no ptxas knows are said to be unknown.
// flags: --architecture t4,sm_80
// expect: 1 launch of 1 kernel on emulated t4 (Tesla T4), sm_80 (
// expect: t4 sm_80 registers
// expect-not: turing
__global__ void fill(float* a) { a[threadIdx.x] = 1; }

int main() {
    float* a;
    cudaMalloc(&a, 1024);
    fill<<<1, 256>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
