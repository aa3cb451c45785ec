// From Pascal on the host may access managed memory at any time, but what a kernel writes may be old or new until the
// program has waited for it. What no kernel writes, and what a callback behind the kernel reads, is no hazard.
// flags: --check-hazards --architecture p100
// expect: a[3] = 4, then 4, untouched 0
// expect: ! hazard: host code accesses byte 12 of 65536 bytes of managed memory, which a kernel writes that the program has not waited for (cudaDeviceSynchronize), managed_not_waited_for.cu:32
// expect-not: (2 times)
// expect-not: ! hazard: host code accesses byte 0
// exit: 1
// again: without the option nothing is said
// flags: --architecture p100
// expect: a[3] = 4, then 4, untouched 0
// expect-not: hazard
#include <cstdio>

__global__ void add_one(int* a) { a[threadIdx.x] += 1; }

void read(void* a) { printf("a[0] = %d\n", static_cast<int*>(a)[0]); }

int main() {
    constexpr int bytes = 65536;
    int *a, *untouched;
    cudaMallocManaged(&a, bytes);
    cudaMallocManaged(&untouched, bytes);
    for (int i = 0; i < 256; ++i) a[i] = i;
    untouched[0] = 0;
    add_one<<<1, 256>>>(a);
    cudaLaunchHostFunc(nullptr, read, a);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; ++i) a[i] = i;
    add_one<<<1, 256>>>(a);
    const int first_value = untouched[0];
    printf("a[3] = %d, ", a[3]);
    cudaDeviceSynchronize();
    printf("then %d, untouched %d\n", a[3], first_value);
    cudaFree(a);
    cudaFree(untouched);
}
