// All threads read one structure of 24 bytes, member by member: each member is a broadcast.
// expect-not: not aligned
// expect-not: not coalesced
// expect-not: lanes a warp
struct Scene {
    double scale;
    float offset, lowest, highest, unused;
};

__global__ void shade(const Scene* scene, const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float value = static_cast<float>(in[i] * scene->scale) + scene->offset;
    out[i] = fminf(fmaxf(value, scene->lowest), scene->highest);
}

int main() {
    const int n = 1 << 16;
    Scene* scene;
    float *in, *out;
    cudaMalloc(&scene, sizeof(Scene));
    cudaMalloc(&in, 4 * n);
    cudaMalloc(&out, 4 * n);
    cudaMemset(scene, 0, sizeof(Scene));
    cudaMemset(in, 0, 4 * n);
    shade<<<n / 256, 256>>>(scene, in, out);
    return cudaDeviceSynchronize();
}
