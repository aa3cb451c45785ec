// kind: clean
// hazard: none: rows of a pitched allocation are written, and copied without their padding
// flags: --check-hazards
// exit: 0
// expect-not: hazard
__global__ void fill(float* rows, size_t pitch, int width) {
    float* row = (float*)((char*)rows + blockIdx.x * pitch);
    if (threadIdx.x < width) row[threadIdx.x] = threadIdx.x;
}
int main() {
    float *rows, host[8 * 100];
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, 100 * 4, 8);
    fill<<<8, 128>>>(rows, pitch, 100);
    cudaMemcpy2D(host, 400, rows, pitch, 400, 8, cudaMemcpyDeviceToHost);
    cudaFree(rows);
}
