// What the language offers: calls of every kind, jumps, structures, unions, templates.
#include <cooperative_groups.h>

#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/std/tuple>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

struct Shape {
    __host__ __device__ virtual ~Shape() {}
    __host__ __device__ virtual float area() const = 0;
};

struct Rectangle : Shape {
    float w, h;
    __host__ __device__ Rectangle(float w, float h) : w(w), h(h) {}
    __host__ __device__ float area() const override { return w * h; }
};

struct Triangle : Shape {
    float base, height;
    __host__ __device__ Triangle(float b, float h) : base(b), height(h) {}
    __host__ __device__ float area() const override { return 0.5f * base * height; }
};

// Objects on the stack, called through their base.
__global__ void areas_of_shapes(const float2* sizes, float* areas, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Rectangle rectangle(sizes[i].x, sizes[i].y);
    Triangle triangle(sizes[i].x, sizes[i].y);
    const Shape* shape = i / 32 % 2 ? static_cast<const Shape*>(&rectangle) : &triangle;
    areas[i] = shape->area();
}

using Operation = int (*)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }
__device__ const Operation OPERATIONS[4] = {plus, minus, times, larger};

// A table of functions, the same one for all lanes of a warp.
__global__ void apply_table(const int* a, const int* b, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = OPERATIONS[i / 32 % 4](a[i], b[i]);
}

__host__ __device__ int hanoi(int n, int from, int to, int via) {
    if (n == 0) return 0;
    return hanoi(n - 1, from, via, to) + from * to + hanoi(n - 1, via, to, from);
}

// All lanes recurse alike.
__global__ void hanoi_uniform(int* out, int n) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = hanoi(n, 1 + threadIdx.x % 3, 2, 3);
}

template <class... Ts>
__device__ auto sum_of(Ts... vs) {
    return (vs + ...);
}

template <int... Is>
__global__ void sum_of_strides(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sum_of(in[(i * Is) % n]...);
}

template <class F>
__global__ void for_each_index(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

// A small machine of byte code; jumps by goto.
__global__ void interpret(const unsigned char* code, const int* inputs, int* out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int stack[8], top = 0, pc = 0, steps = 0;
next:
    if (++steps > 200) goto done;
    switch (code[pc++]) {
        case 0:
            stack[top++] = inputs[t];
            goto next;
        case 1:
            stack[top++] = code[pc++];
            goto next;
        case 2:
            --top;
            stack[top - 1] += stack[top];
            goto next;
        case 3:
            --top;
            stack[top - 1] *= stack[top];
            goto next;
        case 4:
            --top;
            stack[top - 1] -= stack[top];
            goto next;
        case 5:
            stack[top] = stack[top - 1];
            ++top;
            goto next;
        case 6:
            if (stack[--top] > 0) {
                pc = code[pc];
            } else {
                ++pc;
            }
            goto next;
        default:
            break;
    }
done:
    out[t] = stack[top - 1];
}

struct Packet {
    unsigned kind : 3;
    unsigned length : 11;
    signed delta : 9;
    unsigned is_last : 1;
    unsigned long long id : 40;
};

__global__ void change_bit_fields(Packet* packets, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Packet p = packets[i];
    p.kind = (p.kind + 3) % 8;
    p.delta = -p.delta / 2;
    p.id = p.id * 3 + p.length;
    if (p.is_last) p.length += 100;
    packets[i] = p;
}

union Word {
    float f;
    unsigned u;
    unsigned short h[2];
    unsigned char b[4];
};

__global__ void through_union(const float* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Word w;
    w.f = in[i];
    w.h[0] ^= w.h[1];
    w.b[i % 4] += 17;
    out[i] = w.u;
}

struct Material {
    float colour[3];
    short index;
};

struct Body {
    double mass;
    Material materials[2];
    char name[5];
};

__global__ void nested_structures(const Body* bodies, float* out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    const Body& body = bodies[i];
    float sum = static_cast<float>(body.mass);
    for (const Material& m : body.materials) sum += m.colour[m.index] + m.colour[0];
    out[i] = sum + body.name[i % 5];
}

#pragma pack(push, 1)
struct Packed {
    char tag;
    int value;
    short extra;
};
#pragma pack(pop)

__global__ void packed_members(Packed* rows, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n && rows[i].tag == 1) rows[i].value += rows[i].extra;
}

// Loops in a loop: the search ends at the first row that has the value, for each lane on its own.
__global__ void find_in_rows(const int* in, const int* wanted, int2* places, int rows,
                             int columns) {
    int t = threadIdx.x + blockIdx.x * blockDim.x, w = wanted[t];
    int2 place = make_int2(-1, -1);
    for (int r = 0; r < rows && place.x < 0; ++r) {
        for (int c = 0; c < columns; ++c) {
            int v = in[r * columns + c];
            if (v > w) continue;
            if (v == w) {
                place = make_int2(r, c);
                break;
            }
        }
    }
    places[t] = place;
}

// A warp goes on until all of its lanes are done.
__global__ void until_all_done(const unsigned* in, int* rounds, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned v = i < n ? in[i] : 0;
    int count = 0;
    while (__any_sync(0xffffffff, v != 0)) {
        if (v) {
            v &= v - 1;
            ++count;
        }
    }
    if (i < n) rounds[i] = count;
}

__device__ cuda::std::optional<int> checked_divide(int a, int b) {
    if (b == 0) return cuda::std::nullopt;
    return a / b;
}

__global__ void with_cuda_std(const int* a, const int* b, int* out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    cuda::std::array<int, 4> quotients{};
    for (int k = 0; k < 4; ++k) quotients[k] = checked_divide(a[i] + k, b[i] - k).value_or(-1);
    auto [low, high] =
        cuda::std::make_tuple(min(quotients[0], quotients[1]), max(quotients[2], quotients[3]));
    out[i] = low * 1000 + high;
}

struct Complex {
    float re, im;
    __host__ __device__ Complex operator*(Complex o) const {
        return {re * o.re - im * o.im, re * o.im + im * o.re};
    }
    __host__ __device__ Complex& operator+=(Complex o) {
        re += o.re;
        im += o.im;
        return *this;
    }
};

__global__ void power_series(const Complex* z, Complex* out, int n, int terms) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    Complex sum = {0, 0}, power = {1, 0};
    for (int k = 0; k < terms; ++k) {
        sum += power;
        power = power * z[i];
    }
    out[i] = sum;
}

__noinline__ __device__ void minimum_and_maximum(const int* row, int n, int& low, int& high) {
    for (int i = 0; i < n; ++i) {
        if (row[i] < low) low = row[i];
        if (row[i] > high) high = row[i];
    }
}

__global__ void ranges_of_rows(const int* in, int2* out, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, low = INT_MAX, high = INT_MIN;
    minimum_and_maximum(in + row * columns, columns, low, high);
    out[row] = {low, high};
}

void add_calls_and_templates(Launches& launches) {
    launches.add("areas_of_shapes", [](Outcome& outcome) {
        auto numbers = values<float>(1000);
        std::vector<float2> sizes;
        std::vector<float> expected;
        for (int i = 0; i < 500; ++i) {
            sizes.push_back({numbers[2 * i], numbers[2 * i + 1]});
            expected.push_back(numbers[2 * i] * numbers[2 * i + 1] * (i / 32 % 2 ? 1.0f : 0.5f));
        }
        Array<float2> d(sizes);
        Array<float> areas(500);
        areas_of_shapes<<<4, 128>>>(d, areas, 500);
        outcome.equal(areas, expected);
    });
    launches.add("apply_table", [](Outcome& outcome) {
        auto a = values<int>(1000), b = values<int>(1000, 50, 2);
        Array<int> da(a), db(b), out(1000);
        apply_table<<<4, 256>>>(da, db, out, 1000);
        for (int i = 0; i < 1000; ++i) {
            int all[4] = {a[i] + b[i], a[i] - b[i], a[i] * b[i], std::max(a[i], b[i])};
            a[i] = all[i / 32 % 4];
        }
        outcome.equal(out, a);
    });
    launches.add("hanoi_uniform", [](Outcome& outcome) {
        Array<int> out(96);
        hanoi_uniform<<<2, 48>>>(out, 6);
        std::vector<int> expected;
        for (int i = 0; i < 96; ++i) expected.push_back(hanoi(6, 1 + i % 48 % 3, 2, 3));
        outcome.equal(out, expected);
    });
    launches.add("sum_of_strides", [](Outcome& outcome) {
        auto in = values<int>(700);
        Array<int> d(in), out(700);
        sum_of_strides<1, 3, 8, 33><<<3, 256>>>(d, out, 700);
        std::vector<int> expected;
        for (int i = 0; i < 700; ++i)
            expected.push_back(in[i] + in[i * 3 % 700] + in[i * 8 % 700] + in[i * 33 % 700]);
        outcome.equal(out, expected);
    });
    launches.add("lambda_over_indices", [](Outcome& outcome) {
        auto x = values<double>(3000), y = values<double>(3000, 9, 2);
        Array<double> dx(x), dy(y);
        double *px = dx, *py = dy, scale = 2.5;
        for_each_index<<<5, 96>>>(3000, [=] __device__(int i) {
            if (px[i] > 10.0) py[i] = scale * px[i] + py[i];
        });
        for (int i = 0; i < 3000; ++i) y[i] += x[i] > 10 ? 2.5 * x[i] : 0;
        outcome.equal(dy, y);
    });
    launches.add("ranges_of_rows", [](Outcome& outcome) {
        auto in = values<int>(64 * 25, 10000);
        Array<int> d(in);
        Array<int2> out(64);
        ranges_of_rows<<<2, 32>>>(d, out, 25);
        std::vector<int2> expected;
        for (int r = 0; r < 64; ++r) {
            auto [low, high] = std::minmax_element(&in[r * 25], &in[r * 25] + 25);
            expected.push_back({*low, *high});
        }
        outcome.equal(out, expected);
    });
    launches.add("with_cuda_std", [](Outcome& outcome) {
        auto a = values<int>(500, 400), b = values<int>(500, 6, 2);
        Array<int> da(a), db(b), out(500);
        with_cuda_std<<<4, 128>>>(da, db, out, 500);
        std::vector<int> expected;
        for (int i = 0; i < 500; ++i) {
            int q[4];
            for (int k = 0; k < 4; ++k) q[k] = b[i] == k ? -1 : (a[i] + k) / (b[i] - k);
            expected.push_back(std::min(q[0], q[1]) * 1000 + std::max(q[2], q[3]));
        }
        outcome.equal(out, expected);
    });
}

void add_layouts(Launches& launches) {
    launches.add("change_bit_fields", [](Outcome& outcome) {
        auto numbers = values<int>(5 * 400, 1 << 20);
        std::vector<Packet> packets(400), expected;
        std::memset(static_cast<void*>(packets.data()), 0, 400 * sizeof(Packet));
        for (int i = 0; i < 400; ++i) {
            int* v = &numbers[5 * i];
            packets[i].kind = v[0] % 8;
            packets[i].length = v[1] % 1000;
            packets[i].delta = v[2] % 500 - 250;
            packets[i].is_last = v[3] % 2;
            packets[i].id = v[4];
        }
        expected = packets;
        for (Packet& p : expected) {
            p.kind = (p.kind + 3) % 8;
            p.delta = -p.delta / 2;
            p.id = p.id * 3 + p.length;
            if (p.is_last) p.length += 100;
        }
        Array<Packet> d(packets);
        change_bit_fields<<<4, 128>>>(d, 400);
        outcome.equal(d, expected);
    });
    launches.add("through_union", [](Outcome& outcome) {
        auto in = values<float>(1000, 100000);
        Array<float> d(in);
        Array<unsigned> out(1000);
        through_union<<<8, 128>>>(d, out, 1000);
        std::vector<unsigned> expected;
        for (int i = 0; i < 1000; ++i) {
            Word w;
            w.f = in[i];
            w.h[0] ^= w.h[1];
            w.b[i % 4] += 17;
            expected.push_back(w.u);
        }
        outcome.equal(out, expected);
    });
    launches.add("nested_structures", [](Outcome& outcome) {
        auto numbers = values<int>(300 * 13, 100);
        std::vector<Body> bodies(300);
        std::memset(static_cast<void*>(bodies.data()), 0, 300 * sizeof(Body));
        std::vector<float> expected;
        for (int i = 0; i < 300; ++i) {
            Body& b = bodies[i];
            const int* v = &numbers[13 * i];
            b.mass = v[0];
            for (int k = 0; k < 6; ++k)
                b.materials[k / 3].colour[k % 3] = static_cast<float>(v[1 + k]);
            for (int k = 0; k < 2; ++k) b.materials[k].index = static_cast<short>(v[7 + k] % 3);
            for (int k = 0; k < 4; ++k) b.name[k] = static_cast<char>(v[9 + k]);
            float sum = static_cast<float>(b.mass) + b.name[i % 5];
            for (const Material& m : b.materials) sum += m.colour[m.index] + m.colour[0];
            expected.push_back(sum);
        }
        Array<Body> d(bodies);
        Array<float> out(300);
        nested_structures<<<3, 128>>>(d, out, 300);
        outcome.equal(out, expected);
    });
    launches.add("packed_members", [](Outcome& outcome) {
        auto numbers = values<int>(3 * 500, 1000);
        std::vector<Packed> rows;
        for (int i = 0; i < 500; ++i) {
            rows.push_back({static_cast<char>(numbers[3 * i] % 2), numbers[3 * i + 1],
                            static_cast<short>(numbers[3 * i + 2])});
        }
        Array<Packed> d(rows);
        packed_members<<<4, 128>>>(d, 500);
        for (Packed& p : rows) p.value += p.tag == 1 ? p.extra : 0;
        outcome.equal(d, rows);
    });
    launches.add("power_series", [](Outcome& outcome) {
        auto numbers = values<float>(2 * 600, 3);
        std::vector<Complex> z, expected;
        for (int i = 0; i < 600; ++i) {
            z.push_back({numbers[2 * i], numbers[2 * i + 1]});
            Complex sum = {0, 0}, power = {1, 0};
            for (int k = 0; k < 9; ++k) {
                sum += power;
                power = power * z[i];
            }
            expected.push_back(sum);
        }
        Array<Complex> d(z), out(600);
        power_series<<<5, 128>>>(d, out, 600, 9);
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_language(Launches& launches) {
    add_calls_and_templates(launches);
    add_layouts(launches);
    launches.add("interpret", [](Outcome& outcome) {
        // x, squares it, and adds 7; then 5 is taken off while it is positive.
        const std::vector<unsigned char> code = {0, 5, 3, 1, 7, 2, 1, 5, 4, 5, 6, 6, 255};
        auto inputs = values<int>(300, 20);
        Array<unsigned char> dc(code);
        Array<int> d(inputs), out(300);
        interpret<<<3, 128>>>(dc, d, out, 300);
        for (int& v : inputs) {
            v = v * v + 7;
            int rounds = 0;  // as many as 200 steps allow
            do v -= 5;
            while (v > 0 && ++rounds < 49);
        }
        outcome.equal(out, inputs);
    });
    launches.add("find_in_rows", [](Outcome& outcome) {
        auto in = values<int>(20 * 15, 200), wanted = values<int>(192, 220, 2);
        Array<int> d(in), dw(wanted);
        Array<int2> places(192);
        find_in_rows<<<3, 64>>>(d, dw, places, 20, 15);
        std::vector<int2> expected;
        for (int w : wanted) {
            auto at = std::find(in.begin(), in.end(), w) - in.begin();
            int i = static_cast<int>(at);
            expected.push_back(i == 300 ? int2{-1, -1} : int2{i / 15, i % 15});
        }
        outcome.equal(places, expected);
    });
    launches.add("until_all_done", [](Outcome& outcome) {
        auto in = values<unsigned>(900, 1 << 23);
        Array<unsigned> d(in);
        Array<int> rounds(900);
        until_all_done<<<8, 128>>>(d, rounds, 900);
        std::vector<int> expected;
        for (unsigned v : in) expected.push_back(__builtin_popcount(v));
        outcome.equal(rounds, expected);
    });
}

}  // namespace ordinary
