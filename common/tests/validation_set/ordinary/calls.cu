// Functions that are not inlined, recursion, function pointers, virtual functions.
#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__device__ __noinline__ int load_and_add(const int* in, int i, int addend) {
    return in[i] + addend;
}

__global__ void call_in_branches(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i % 2 == 0) {
        out[i] = load_and_add(in, i, 1);
    } else {
        out[i] = load_and_add(in, n - 1 - i, 2);
    }
}

__device__ __noinline__ float norm(const float* v, int stride) {
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += v[k * stride] * v[k * stride];
    return sum;
}

__global__ void call_in_loop(const float* in, float* out, int n, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int round = 0; round < rounds; ++round) sum += norm(in + i + round * 4 * n, n);
    out[i] = sum;
}

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursion(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fibonacci(in[i] % 9);
}

// Sum of a binary tree below a node: the depth differs from lane to lane.
__device__ int sum_below(const int2* children, const int* data, int node) {
    if (node < 0) return 0;
    const int2 child = children[node];
    return data[node] + sum_below(children, data, child.x) + sum_below(children, data, child.y);
}

__global__ void sum_trees(const int2* children, const int* data, int* out, int nodes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes) out[i] = sum_below(children, data, i);
}

using Operation = int (*)(int, int);
__device__ int plus_of(int a, int b) { return a + b; }
__device__ int minus_of(int a, int b) { return a - b; }
__device__ int product_of(int a, int b) { return a * b; }
__device__ int maximum_of(int a, int b) { return a > b ? a : b; }
__device__ const Operation operations[] = {plus_of, minus_of, product_of, maximum_of};

__global__ void function_pointer(const int* a, const int* b, int* out, int which, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = operations[which](a[i], b[i]);
}

__global__ void function_pointer_by_lane(const int* a, const int* b, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = operations[i % 4](a[i], b[i]);
}

class Shape {
  public:
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};

class Square : public Shape {
  public:
    __device__ explicit Square(float side) : side_(side) {}
    __device__ float area() const override { return side_ * side_; }

  private:
    float side_;
};

class Rectangle : public Shape {
  public:
    __device__ Rectangle(float width, float height) : width_(width), height_(height) {}
    __device__ float area() const override { return width_ * height_; }

  private:
    float width_, height_;
};

__global__ void virtual_functions(const float* sides, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Square square(sides[i]);
    Rectangle rectangle(sides[i], 3.0f);
    const Shape* shape = sides[i] > 40.0f ? static_cast<Shape*>(&square) : &rectangle;
    out[i] = shape->area();
}

struct Quaternion {
    float w, x, y, z;
};

__device__ __noinline__ Quaternion multiply(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

__global__ void multiply_quaternions(const Quaternion* a, const Quaternion* b, Quaternion* out,
                                     int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = multiply(a[i], b[i]);
}

template <class F>
__global__ void apply(const int* in, int* out, int n, F f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = f(in[i]);
}

struct Affine {
    int factor, addend;
    __device__ int operator()(int value) const { return factor * value + addend; }
};

// The result comes back through a pointer.
__device__ __noinline__ void minimum_and_maximum(const int* in, int n, int* least, int* most) {
    *least = *most = in[0];
    for (int i = 1; i < n; ++i) {
        *least = min(*least, in[i]);
        *most = max(*most, in[i]);
    }
}

__global__ void results_through_pointers(const int* in, int2* out, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int least, most;
    minimum_and_maximum(in + i * length, length, &least, &most);
    out[i] = make_int2(least, most);
}

void add_not_inlined(Launches& launches) {
    const int n = 2000;
    const auto in = values<int>(n);
    launches.add("call_in_branches", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        call_in_branches<<<16, 128>>>(input, out, n);
        outcome.equal(out,
                      each(n, [&](int i) { return i % 2 == 0 ? in[i] + 1 : in[n - 1 - i] + 2; }));
    });
    launches.add("call_in_loop", [=](Outcome& outcome) {
        const auto numbers = values<float>(n * 12);
        const Array<float> input(numbers), out(n);
        call_in_loop<<<16, 128>>>(input, out, n, 3);
        std::vector<float> expected(n);
        for (int i = 0; i < 12 * n; ++i) expected[i % n] += numbers[i] * numbers[i];
        outcome.equal(out, expected);
    });
    launches.add("multiply_quaternions", [=](Outcome& outcome) {
        const auto numbers = values<float>(8 * n, 20);
        std::vector<Quaternion> a(n), b(n), expected(n);
        std::memcpy(a.data(), numbers.data(), n * sizeof(Quaternion));
        std::memcpy(b.data(), numbers.data() + 4 * n, n * sizeof(Quaternion));
        for (int i = 0; i < n; ++i) {
            const auto [w, x, y, z] = a[i];
            const auto& q = b[i];
            expected[i] = {
                w * q.w - x * q.x - y * q.y - z * q.z, w * q.x + x * q.w + y * q.z - z * q.y,
                w * q.y - x * q.z + y * q.w + z * q.x, w * q.z + x * q.y - y * q.x + z * q.w};
        }
        const Array<Quaternion> first(a), second(b), out(n);
        multiply_quaternions<<<16, 128>>>(first, second, out, n);
        outcome.equal(out, expected);
    });
    launches.add("results_through_pointers", [=](Outcome& outcome) {
        const Array<int> input(values<int>(512 * 10));
        const Array<int2> out(512);
        results_through_pointers<<<4, 128>>>(input, out, 10);
        const auto numbers = values<int>(512 * 10);
        std::vector<int2> expected(512);
        for (int i = 0; i < 512; ++i) {
            const auto [least, most] =
                std::minmax_element(numbers.begin() + i * 10, numbers.begin() + i * 10 + 10);
            expected[i] = {*least, *most};
        }
        outcome.equal(out, expected);
    });
}

void add_recursion(Launches& launches) {
    const int n = 1000;
    launches.add("recursion", [=](Outcome& outcome) {
        const auto in = values<int>(n);
        const Array<int> input(in), out(n);
        recursion<<<8, 128>>>(input, out, n);
        const int numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
        outcome.equal(out, each(n, [&](int i) { return numbers[in[i] % 9]; }));
    });
    launches.add("sum_trees", [=](Outcome& outcome) {
        const auto data = values<int>(n);
        std::vector<int2> children(n);
        for (int i = 0; i < n; ++i) {
            children[i] = {2 * i + 1 < n ? 2 * i + 1 : -1, 2 * i + 2 < n ? 2 * i + 2 : -1};
        }
        const Array<int2> links(children);
        const Array<int> input(data), out(n);
        sum_trees<<<8, 128>>>(links, input, out, n);
        auto expected = data;
        for (int i = n - 1; i > 0; --i) expected[(i - 1) / 2] += expected[i];
        outcome.equal(out, expected);
    });
}

void add_indirect(Launches& launches) {
    const int n = 2000;
    const auto a = values<int>(n, 97, 5), b = values<int>(n, 97, 6);
    const auto result = [=](int which, int i) {
        const int results[] = {a[i] + b[i], a[i] - b[i], a[i] * b[i], std::max(a[i], b[i])};
        return results[which];
    };
    launches.add("function_pointer", [=](Outcome& outcome) {
        const Array<int> first(a), second(b), out(n);
        function_pointer<<<16, 128>>>(first, second, out, 1, n);
        outcome.equal(out, each(n, [&](int i) { return result(1, i); }));
    });
    launches.add("function_pointer_by_lane", [=](Outcome& outcome) {
        const Array<int> first(a), second(b), out(n);
        function_pointer_by_lane<<<16, 128>>>(first, second, out, n);
        outcome.equal(out, each(n, [&](int i) { return result(i % 4, i); }));
    });
    launches.add("virtual_functions", [=](Outcome& outcome) {
        const auto sides = values<float>(n);
        const Array<float> input(sides), out(n);
        virtual_functions<<<16, 128>>>(input, out, n);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = sides[i] * (sides[i] > 40 ? sides[i] : 3);
        outcome.equal(out, expected);
    });
    launches.add("apply_functor", [=](Outcome& outcome) {
        const Array<int> input(a), out(n);
        apply<<<16, 128>>>(input.data(), out.data(), n, Affine{3, 7});
        outcome.equal(out, each(n, [&](int i) { return 3 * a[i] + 7; }));
    });
}

}  // namespace

void add_calls(Launches& launches) {
    add_not_inlined(launches);
    add_recursion(launches);
    add_indirect(launches);
}

}  // namespace ordinary
