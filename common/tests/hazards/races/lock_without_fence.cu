// kind: race
// hazard: a lock is taken and given back without fences
// flags: --check-hazards
// exit: 1
// expect: add_under_lock
__device__ int lock, total;
__global__ void add_under_lock() {
    if (threadIdx.x != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    total = total + 1;
    atomicExch(&lock, 0);
}
int main() {
    add_under_lock<<<32, 32>>>();
    cudaDeviceSynchronize();
}
