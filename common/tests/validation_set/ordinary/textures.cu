// Texture and surface objects: linear memory, two-dimensional arrays read at points.
#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__global__ void texture_linear(cudaTextureObject_t texture, const int* order, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(texture, order[i]);
}

__global__ void texture_vectors(cudaTextureObject_t texture, float4* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float4>(texture, n - 1 - i);
}

__global__ void texture_rotate(cudaTextureObject_t texture, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = tex2D<float>(texture, y + 0.5f, height - 1 - x + 0.5f);
}

// Coordinates outside are clamped by the texture unit.
__global__ void texture_box(cudaTextureObject_t texture, float* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) sum += tex2D<float>(texture, x + dx + 0.5f, y + dy + 0.5f);
    }
    out[y * width + x] = sum;
}

__global__ void surface_invert(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int width,
                               int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float value = surf2Dread<float>(in, x * sizeof(float), y);
    surf2Dwrite(100.0f - value, out, x * sizeof(float), y);
}

template <class T>
class LinearTexture {
  public:
    explicit LinearTexture(const std::vector<T>& values) : memory_(values) {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = memory_.data();
        resource.res.linear.desc = cudaCreateChannelDesc<T>();
        resource.res.linear.sizeInBytes = values.size() * sizeof(T);
        cudaTextureDesc description = {};
        description.readMode = cudaReadModeElementType;
        check(cudaCreateTextureObject(&object_, &resource, &description, nullptr));
    }
    ~LinearTexture() { cudaDestroyTextureObject(object_); }
    operator cudaTextureObject_t() const { return object_; }

  private:
    Array<T> memory_;
    cudaTextureObject_t object_ = 0;
};

// A CUDA array with a texture and a surface object.
class Image {
  public:
    Image(const std::vector<float>& values, int width, int height)
        : width_(width), height_(height) {
        const auto channel = cudaCreateChannelDesc<float>();
        check(cudaMallocArray(&array_, &channel, width, height, cudaArraySurfaceLoadStore));
        const std::size_t pitch = width * sizeof(float);
        check(cudaMemcpy2DToArray(array_, 0, 0, values.data(), pitch, pitch, height,
                                  cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array_;
        cudaTextureDesc description = {};
        description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
        description.filterMode = cudaFilterModePoint;
        description.readMode = cudaReadModeElementType;
        check(cudaCreateTextureObject(&texture_, &resource, &description, nullptr));
        check(cudaCreateSurfaceObject(&surface_, &resource));
    }
    ~Image() {
        cudaDestroyTextureObject(texture_);
        cudaDestroySurfaceObject(surface_);
        cudaFreeArray(array_);
    }
    cudaTextureObject_t texture() const { return texture_; }
    cudaSurfaceObject_t surface() const { return surface_; }
    std::vector<float> to_host() const {
        std::vector<float> values(width_ * height_);
        const std::size_t pitch = width_ * sizeof(float);
        check(cudaMemcpy2DFromArray(values.data(), pitch, array_, 0, 0, pitch, height_,
                                    cudaMemcpyDeviceToHost));
        return values;
    }

  private:
    int width_, height_;
    cudaArray_t array_ = nullptr;
    cudaTextureObject_t texture_ = 0;
    cudaSurfaceObject_t surface_ = 0;
};

void add_textures_1d(Launches& launches) {
    const int n = 2000;
    launches.add("texture_linear", [=](Outcome& outcome) {
        const auto in = values<float>(n);
        const auto order = values<int>(n, n, 2);
        const LinearTexture<float> texture(in);
        const Array<int> places(order);
        const Array<float> out(n);
        texture_linear<<<16, 128>>>(texture, places, out, n);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = in[order[i]];
        outcome.equal(out, expected);
    });
    launches.add("texture_vectors", [=](Outcome& outcome) {
        const auto numbers = values<float>(4 * n);
        std::vector<float4> in(n);
        std::memcpy(in.data(), numbers.data(), n * sizeof(float4));
        const LinearTexture<float4> texture(in);
        const Array<float4> out(n);
        texture_vectors<<<16, 128>>>(texture, out, n);
        std::reverse(in.begin(), in.end());
        outcome.equal(out, in);
    });
}

void add_textures_2d(Launches& launches) {
    const int width = 70, height = 45;
    const auto in = values<float>(width * height);
    launches.add("texture_rotate", [=](Outcome& outcome) {
        const Image image(in, width, height);
        const Array<float> out(width * height);
        texture_rotate<<<dim3(3, 5), dim3(16, 16)>>>(image.texture(), out, width, height);
        std::vector<float> expected(width * height);
        for (int y = 0; y < width; ++y) {
            for (int x = 0; x < height; ++x)
                expected[y * height + x] = in[(height - 1 - x) * width + y];
        }
        outcome.equal(out, expected);
    });
    launches.add("texture_box", [=](Outcome& outcome) {
        const Image image(in, width, height);
        const Array<float> out(width * height);
        texture_box<<<dim3(3, 6), dim3(32, 8)>>>(image.texture(), out, width, height);
        std::vector<float> expected(width * height);
        for (int i = 0; i < 9 * width * height; ++i) {
            const int x = std::clamp(i / 9 % width + i % 3 - 1, 0, width - 1);
            const int y = std::clamp(i / 9 / width + i % 9 / 3 - 1, 0, height - 1);
            expected[i / 9] += in[y * width + x];
        }
        outcome.equal(out, expected);
    });
    launches.add("surface_invert", [=](Outcome& outcome) {
        const Image image(in, width, height),
            inverted(std::vector<float>(width * height), width, height);
        surface_invert<<<dim3(3, 6), dim3(32, 8)>>>(image.surface(), inverted.surface(), width,
                                                    height);
        check(cudaDeviceSynchronize());
        auto expected = in;
        for (auto& value : expected) value = 100.0f - value;
        outcome.equal(Array<float>(inverted.to_host()), expected);
    });
}

}  // namespace

void add_textures(Launches& launches) {
    add_textures_1d(launches);
    add_textures_2d(launches);
}

}  // namespace ordinary
