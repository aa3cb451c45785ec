// Blocks of a cluster add up in the shared memory of its first one; an A100 has no clusters.
//
// flags: --architecture h100
// nvcc: -gencode=arch=compute_90,code=compute_90
// expect: sum 6 6
// exit: 0
// again: on a GPU that has none
// flags: --architecture a100
// expect: ! refused launch: kernel add_ranks, clusters need compute capability 9.0
// expect: refused_clusters.cu:38
// exit: 1
#include <cooperative_groups.h>

#include <cstdio>

__global__ void add_ranks(int* sums) {
    __shared__ int sum;
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) sum = 0;
    cluster.sync();
    if (threadIdx.x == 0) atomicAdd(cluster.map_shared_rank(&sum, 0), cluster.block_rank());
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0) sums[blockIdx.x / 4] = sum;
}

int main() {
    int* sums = nullptr;
    cudaMalloc(&sums, 2 * sizeof(int));
    cudaMemset(sums, 0, 2 * sizeof(int));
    cudaLaunchAttribute size{};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {4, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = 8;
    config.blockDim = 32;
    config.attrs = &size;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, add_ranks, sums);
    int result[2];
    cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("sum %d %d\n", result[0], result[1]);
    cudaFree(sums);
}
