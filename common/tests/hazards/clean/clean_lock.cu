// kind: clean
// hazard: none: a lock with fences
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__device__ int lock, total;
__global__ void add_under_lock() {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    total = total + 1;
    __threadfence();
    atomicExch(&lock, 0);
}
int main() {
    add_under_lock<<<32, 32>>>();
    cudaDeviceSynchronize();
}
