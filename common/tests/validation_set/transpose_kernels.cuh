// Kernels of the validation set: transposes of square matrices whose width is a multiple of the block's.
// Included inside a namespace, by each compilation that wants them.

__global__ void transpose_read_rows(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * width + y] = in[y * width + x];
}

__global__ void transpose_read_columns(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = in[x * width + y];
}

__global__ void transpose_read_rows_unroll4(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int step = blockDim.x;
    out[x * width + y] = in[y * width + x];
    out[(x + step) * width + y] = in[y * width + x + step];
    out[(x + 2 * step) * width + y] = in[y * width + x + 2 * step];
    out[(x + 3 * step) * width + y] = in[y * width + x + 3 * step];
}

__global__ void transpose_read_columns_unroll4(const float* in, float* out, int width) {
    const int x = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int step = blockDim.x;
    out[y * width + x] = in[x * width + y];
    out[y * width + x + step] = in[(x + step) * width + y];
    out[y * width + x + 2 * step] = in[(x + 2 * step) * width + y];
    out[y * width + x + 3 * step] = in[(x + 3 * step) * width + y];
}

__global__ void transpose_diagonal(const float* in, float* out, int width) {
    const int block_y = blockIdx.x;
    const int block_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    const int x = block_x * blockDim.x + threadIdx.x;
    const int y = block_y * blockDim.y + threadIdx.y;
    out[y * width + x] = in[x * width + y];
}

template <int tile, int padding>
__global__ void transpose_shared(const float* in, float* out, int width) {
    __shared__ float staged[tile][tile + padding];
    const int x = blockIdx.x * tile + threadIdx.x;
    const int y = blockIdx.y * tile + threadIdx.y;
    staged[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    const int out_x = blockIdx.y * tile + threadIdx.x;
    const int out_y = blockIdx.x * tile + threadIdx.y;
    out[out_y * width + out_x] = staged[threadIdx.x][threadIdx.y];
}
