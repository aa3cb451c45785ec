// The rows of an image as grid.y: 65,535 blocks at most (CUDA C++ Programming Guide, compute capabilities).
// expect: ! refused launch: kernel invert, grid.y = 70000, at most 65535 (invalid configuration argument), refused_grid_y.cu:11; the program did not check
// exit: 1
__global__ void invert(unsigned char* image, int width) {
    image[blockIdx.y * width + threadIdx.x] ^= 255;
}

int main() {
    unsigned char* image;
    cudaMalloc(&image, 70000 * 32);
    invert<<<dim3(1, 70000), 32>>>(image, 32);
    cudaFree(image);
}
