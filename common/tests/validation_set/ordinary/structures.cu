// Structures of 12 to 48 bytes: copied whole, by member, by one that a call returns; AoS against SoA.
#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

struct Point {  // 12 bytes
    float x, y, z;
};
struct alignas(16) Point4 {  // 16 bytes
    float x, y, z, w;
};
struct Record {  // 20 bytes
    int key;
    float value[4];
};
struct Complexes {  // 24 bytes of doubles
    double re, im, weight;
};
struct Particle {  // 32 bytes
    float x, y, z, mass, vx, vy, vz, charge;
};
struct alignas(16) Node {  // 48 bytes
    float bounds[6];
    int left, right;
    long long payload, parent;
};
struct Mixed {  // 24 bytes with holes
    char tag;
    int count;
    short kind;
    double value;
};
#pragma pack(push, 1)
struct Packed {  // 7 bytes, members at odd addresses
    unsigned char kind;
    unsigned short length;
    unsigned char bytes[4];
};
#pragma pack(pop)

template <class T>
__global__ void copy_whole(const T* in, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

// Into a local variable, one member changed, and back.
__global__ void change_point(Point* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Point p = points[i];
    p.y += 1.0f;
    points[i] = p;
}

__global__ void change_member(Particle* particles, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) particles[i].mass *= 2.0f;
}

__device__ __noinline__ Point4 scaled(Point4 p, float factor) {
    return {p.x * factor, p.y * factor, p.z * factor, p.w};
}

// Stores of 16 bytes of a value that a call returns.
__global__ void store_returned(const Point4* in, Point4* out, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = scaled(in[i], factor);
}

__global__ void store_returned_float4(const float* in, float4* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = make_float4(in[i], in[i] + 1, in[i] + 2, in[i] + 3);
}

__global__ void move_particles(Particle* particles, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle& p = particles[i];
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    p.z += p.vz * dt;
}

struct Particles {
    float *x, *y, *z, *vx, *vy, *vz;
};

__global__ void move_particles_soa(Particles p, float dt, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p.x[i] += p.vx[i] * dt;
    p.y[i] += p.vy[i] * dt;
    p.z[i] += p.vz[i] * dt;
}

__global__ void gather_points(const Point* points, const int* order, Point* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = points[order[i]];
}

__global__ void sum_of_mixed(const Mixed* in, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i].tag + in[i].count * in[i].value + in[i].kind;
}

__global__ void read_packed(const Packed* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i].kind + in[i].length + in[i].bytes[3];
}

__global__ void points_through_shared(const Point* in, Point* out, int n) {
    __shared__ Point tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tile[threadIdx.x] = in[i];
    __syncthreads();
    const int last = min(blockDim.x, n - blockIdx.x * blockDim.x) - 1;
    if (i < n) out[i] = tile[last - threadIdx.x];
}

__global__ void swap_nodes(Node* nodes, int n) {
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 >= n) return;
    const Node kept = nodes[i];
    nodes[i] = nodes[i + 1];
    nodes[i + 1] = kept;
}

// n structures filled with small numbers, four bytes at a time.
template <class T>
std::vector<T> structures(int n) {
    const auto words = values<float>(n * sizeof(T) / 4 + 1);
    std::vector<T> result(n);
    std::memcpy(static_cast<void*>(result.data()), words.data(), n * sizeof(T));
    return result;
}

template <class T>
void add_copy(Launches& launches, const char* name) {
    launches.add(name, [](Outcome& outcome) {
        const int n = 4000;
        const auto in = structures<T>(n);
        const Array<T> input(in), out(n);
        copy_whole<T><<<32, 128>>>(input, out, n);
        outcome.equal(out, in);
    });
}

void add_copies(Launches& launches) {
    add_copy<Point>(launches, "copy_whole/bytes:12");
    add_copy<Point4>(launches, "copy_whole/bytes:16");
    add_copy<Record>(launches, "copy_whole/bytes:20");
    add_copy<Complexes>(launches, "copy_whole/bytes:24");
    add_copy<Particle>(launches, "copy_whole/bytes:32");
    add_copy<Node>(launches, "copy_whole/bytes:48");
    launches.add("points_through_shared", [](Outcome& outcome) {
        const int n = 1000;
        const auto in = structures<Point>(n);
        const Array<Point> input(in), out(n);
        points_through_shared<<<8, 128>>>(input, out, n);
        auto expected = in;
        for (int i = 0; i < n; i += 128) {
            std::reverse(expected.begin() + i, expected.begin() + std::min(i + 128, n));
        }
        outcome.equal(out, expected);
    });
    launches.add("gather_points", [](Outcome& outcome) {
        const int n = 3000;
        const auto in = structures<Point>(n);
        const auto order = values<int>(n, n, 30);
        const Array<Point> input(in), out(n);
        const Array<int> places(order);
        gather_points<<<24, 128>>>(input, places, out, n);
        std::vector<Point> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = in[order[i]];
        outcome.equal(out, expected);
    });
    launches.add("swap_nodes", [](Outcome& outcome) {
        const auto in = structures<Node>(2000);
        const Array<Node> nodes(in);
        swap_nodes<<<8, 128>>>(nodes, 2000);
        auto expected = in;
        for (int i = 0; i < 2000; i += 2) std::swap(expected[i], expected[i + 1]);
        outcome.equal(nodes, expected);
    });
}

void add_members(Launches& launches) {
    const int n = 3500;
    launches.add("change_point", [=](Outcome& outcome) {
        auto expected = structures<Point>(n);
        const Array<Point> points(expected);
        change_point<<<28, 128>>>(points, n);
        for (auto& p : expected) p.y += 1.0f;
        outcome.equal(points, expected);
    });
    launches.add("change_member", [=](Outcome& outcome) {
        auto expected = structures<Particle>(n);
        const Array<Particle> particles(expected);
        change_member<<<28, 128>>>(particles, n);
        for (auto& p : expected) p.mass *= 2.0f;
        outcome.equal(particles, expected);
    });
    launches.add("store_returned", [=](Outcome& outcome) {
        auto expected = structures<Point4>(n);
        const Array<Point4> in(expected), out(n);
        store_returned<<<28, 128>>>(in, out, n, 3.0f);
        for (auto& p : expected) p = {3 * p.x, 3 * p.y, 3 * p.z, p.w};
        outcome.equal(out, expected);
    });
    launches.add("store_returned_float4", [=](Outcome& outcome) {
        const auto in = values<float>(n);
        const Array<float> input(in);
        const Array<float4> out(n);
        store_returned_float4<<<28, 128>>>(input, out, n);
        std::vector<float4> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = {in[i], in[i] + 1, in[i] + 2, in[i] + 3};
        outcome.equal(out, expected);
    });
    launches.add("sum_of_mixed", [=](Outcome& outcome) {
        std::vector<Mixed> in(n);
        std::vector<double> expected(n);
        for (int i = 0; i < n; ++i) {
            in[i] = {static_cast<char>(i % 100), i % 17, static_cast<short>(i % 300), i * 0.5};
            expected[i] = in[i].tag + in[i].count * in[i].value + in[i].kind;
        }
        const Array<Mixed> input(in);
        const Array<double> out(n);
        sum_of_mixed<<<28, 128>>>(input, out, n);
        outcome.equal(out, expected);
    });
    launches.add("read_packed", [=](Outcome& outcome) {
        const auto in = structures<Packed>(n);
        const Array<Packed> input(in);
        const Array<int> out(n);
        read_packed<<<28, 128>>>(input, out, n);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = in[i].kind + in[i].length + in[i].bytes[3];
        outcome.equal(out, expected);
    });
}

void add_layouts(Launches& launches) {
    const int n = 3500;
    launches.add("move_particles/layout:aos", [=](Outcome& outcome) {
        auto expected = structures<Particle>(n);
        const Array<Particle> particles(expected);
        move_particles<<<28, 128>>>(particles, 0.5f, n);
        for (auto& p : expected) {
            p.x += p.vx * 0.5f;
            p.y += p.vy * 0.5f;
            p.z += p.vz * 0.5f;
        }
        outcome.equal(particles, expected);
    });
    launches.add("move_particles/layout:soa", [=](Outcome& outcome) {
        const auto in = values<float>(6 * n);
        const Array<float> all(in);
        float* p = all;
        move_particles_soa<<<28, 128>>>({p, p + n, p + 2 * n, p + 3 * n, p + 4 * n, p + 5 * n},
                                        0.5f, n);
        auto expected = in;
        for (int i = 0; i < 3 * n; ++i) expected[i] += in[i + 3 * n] * 0.5f;
        outcome.equal(all, expected);
    });
}

}  // namespace

void add_structures(Launches& launches) {
    add_copies(launches);
    add_members(launches);
    add_layouts(launches);
}

}  // namespace ordinary
