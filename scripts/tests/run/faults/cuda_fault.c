// Makes the CUDA runtime's calls fail as those of a GPU that is lost or full: LD_PRELOAD=cuda_fault.so, with
//   CUDA_FAULT_AT    the number of the first call that fails; none does where there are fewer
//   CUDA_FAULT_CODE  the cudaError_t of it and of all calls after it, as a lost GPU has it;
//                    2 (cudaErrorMemoryAllocation): of allocations alone, which alone are counted then
// Counted are the calls that reach the device.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

enum { memory_allocation = 2 };

static unsigned long at, calls;
static int code, last;

__attribute__((constructor)) static void begin(void) {
    const char* text = getenv("CUDA_FAULT_CODE");
    code = text ? atoi(text) : 0;
    text = getenv("CUDA_FAULT_AT");
    at = text ? strtoul(text, NULL, 10) : 0;
}

static int fails(int allocates) {
    if (code == memory_allocation && !allocates) return 0;
    if (++calls < at) return 0;
    return last = code;
}

// Eight words hold the arguments of each of these functions, a grid and a block of __cudaLaunchKernel included.
#define CALL(name, allocates)                                                                     \
    int name(long a, long b, long c, long d, long e, long f, long g, long h) {                    \
        static int (*real)(long, long, long, long, long, long, long, long);                       \
        if (!real)                                                                                \
            real =                                                                                \
                (int (*)(long, long, long, long, long, long, long, long))dlsym(RTLD_NEXT, #name); \
        const int failure = fails(allocates);                                                     \
        return failure ? failure : real(a, b, c, d, e, f, g, h);                                  \
    }

CALL(cudaMalloc, 1)
CALL(cudaMallocHost, 1)
CALL(cudaMallocManaged, 1)
CALL(cudaHostAlloc, 1)
CALL(cudaFree, 0)
CALL(cudaMemcpy, 0)
CALL(cudaMemcpyAsync, 0)
CALL(cudaMemset, 0)
CALL(cudaMemGetInfo, 0)
CALL(cudaDeviceSynchronize, 0)
CALL(cudaEventCreate, 0)
CALL(cudaEventRecord, 0)
CALL(cudaEventSynchronize, 0)
CALL(cudaEventElapsedTime, 0)
CALL(__cudaLaunchKernel, 0)

int cudaGetLastError(void) {
    static int (*real)(void);
    if (!real) real = (int (*)(void))dlsym(RTLD_NEXT, "cudaGetLastError");
    const int error = last ? last : real();
    if (code == memory_allocation) last = 0;
    return error;
}
