// Loops and branches that lanes take differently: conditional loads, trip counts by lane, breaks,
// continues, switches, early returns.
#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

// A load that only some rounds and some lanes execute.
__global__ void conditional_load_in_loop(const int* in, const int* flags, int* out, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (flags[round * threads + i] % 3 == 0) sum += in[round * threads + i];
    }
    out[i] = sum;
}

__global__ void trip_count_by_lane(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < i % 23; ++k) sum += in[(i + k * 31) % n];
    out[i] = sum;
}

// Both loops end at different times for different lanes.
__global__ void nested_trip_counts(const int* outer, const int* inner, const int* in, int* out,
                                   int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int a = 0; a < outer[i]; ++a) {
        for (int b = 0; b < inner[(i + a) % n]; ++b) {
            sum += in[(a * 64 + b + i) % n];
        }
        sum ^= a;
    }
    out[i] = sum;
}

__global__ void find_first(const int* in, int* out, int wanted, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int place = -1;
    for (int k = 0; k < length; ++k) {
        if (in[i * length + k] == wanted) {
            place = k;
            break;
        }
    }
    out[i] = place;
}

__global__ void skip_and_stop(const int* in, int* out, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    int sum = 0;
    for (int k = 0; k < length; ++k) {
        const int value = in[k * threads + i];
        if (value % 5 == 0) continue;
        if (value > 92) break;
        sum += value;
        if (sum > 1000) {
            sum -= in[i];
            break;
        }
    }
    out[i] = sum;
}

__global__ void switch_by_lane(const int* in, const int* a, const int* b, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int result;
    switch (in[i] % 6) {
        case 0:
            result = a[i];
            break;
        case 1:
            result = b[i] * 2;
            break;
        case 2:
            result = a[i] + b[i];
            break;
        case 3:
            result = a[n - 1 - i];
            break;
        case 4:
            result = b[n - 1 - i] - 7;
            break;
        default:
            result = 0;
    }
    out[i] = result;
}

__global__ void early_returns(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int value = in[i];
    if (value < 30) {
        out[i] = -value;
        return;
    }
    const int next = in[(i + 1) % n];
    if (next > value) {
        out[i] = next;
        return;
    }
    out[i] = in[(i + value) % n] + value;
}

__global__ void collatz(const unsigned* in, int* steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long value = in[i] + 1;
    int count = 0;
    while (value != 1) {
        value = value % 2 == 0 ? value / 2 : 3 * value + 1;
        ++count;
    }
    steps[i] = count;
}

__global__ void greatest_common_divisor(const int* a, const int* b, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i] + 1, y = b[i] + 1;
    do {
        const int rest = x % y;
        x = y;
        y = rest;
    } while (y != 0);
    out[i] = x;
}

// Different branches store to different places.
__global__ void store_in_branches(const int* in, int* even, int* odd, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int value = in[i];
    if (value % 2 == 0) {
        even[i] = value / 2;
    } else {
        odd[i] = 3 * value + 1;
        if (value > 50) even[i] = 0;
    }
}

// A state machine a thread: the loads differ from state to state.
__global__ void state_machine(const unsigned char* program, const int* data, int* out, int length) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int accumulator = i, place = i % length;
    for (int step = 0; step < 24; ++step) {
        switch (program[place]) {
            case 0:
                accumulator += data[(i + step) % length];
                ++place;
                break;
            case 1:
                accumulator ^= data[place];
                place += 3;
                break;
            case 2:
                accumulator *= 3;
                place = (place * 5 + 1) % length;
                break;
            default:
                ++accumulator;
                place = accumulator & 63;
        }
        if (place >= length) place -= length;
    }
    out[i] = accumulator;
}

__global__ void short_circuit(const int* a, const int* b, const int* c, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = (a[i] > 40 && b[i] > 40) || (a[i] < 10 && c[i] > 20) ? 1 : 0;
}

int skip_and_stop_reference(const std::vector<int>& in, int i, int threads, int length) {
    int sum = 0;
    for (int k = 0; k < length; ++k) {
        const int value = in[k * threads + i];
        if (value % 5 == 0) continue;
        if (value > 92) return sum;
        sum += value;
        if (sum > 1000) return sum - in[i];
    }
    return sum;
}

void add_loops(Launches& launches) {
    const int n = 2048;
    launches.add("conditional_load_in_loop", [=](Outcome& outcome) {
        const auto in = values<int>(n * 12), flags = values<int>(n * 12, 50, 2);
        const Array<int> input(in), conditions(flags), out(n);
        conditional_load_in_loop<<<16, 128>>>(input, conditions, out, 12);
        outcome.equal(out, each(n, [&](int i) {
                          int sum = 0;
                          for (int k = i; k < n * 12; k += n) sum += flags[k] % 3 == 0 ? in[k] : 0;
                          return sum;
                      }));
    });
    launches.add("trip_count_by_lane", [=](Outcome& outcome) {
        const auto in = values<int>(n);
        const Array<int> input(in), out(n);
        trip_count_by_lane<<<16, 128>>>(input, out, n);
        outcome.equal(out, each(n, [&](int i) {
                          int sum = 0;
                          for (int k = 0; k < i % 23; ++k) sum += in[(i + k * 31) % n];
                          return sum;
                      }));
    });
    launches.add("nested_trip_counts", [=](Outcome& outcome) {
        const auto in = values<int>(n), outer = values<int>(n, 6, 3), inner = values<int>(n, 9, 4);
        const Array<int> input(in), outer_counts(outer), inner_counts(inner), out(n);
        nested_trip_counts<<<16, 128>>>(outer_counts, inner_counts, input, out, n);
        outcome.equal(out, each(n, [&](int i) {
                          int sum = 0;
                          for (int a = 0; a < outer[i]; ++a) {
                              for (int b = 0; b < inner[(i + a) % n]; ++b) {
                                  sum += in[(a * 64 + b + i) % n];
                              }
                              sum ^= a;
                          }
                          return sum;
                      }));
    });
    launches.add("find_first", [=](Outcome& outcome) {
        const auto in = values<int>(n * 20, 16);
        const Array<int> input(in), out(n);
        find_first<<<16, 128>>>(input, out, 5, 20);
        outcome.equal(out, each(n, [&](int i) {
                          const auto begin = in.begin() + i * 20;
                          const auto found = std::find(begin, begin + 20, 5);
                          return found == begin + 20 ? -1 : static_cast<int>(found - begin);
                      }));
    });
    launches.add("skip_and_stop", [=](Outcome& outcome) {
        const auto in = values<int>(n * 40);
        const Array<int> input(in), out(n);
        skip_and_stop<<<16, 128>>>(input, out, 40);
        outcome.equal(out, each(n, [&](int i) { return skip_and_stop_reference(in, i, n, 40); }));
    });
}

void add_branches(Launches& launches) {
    const int n = 3000;
    const auto in = values<int>(n), a = values<int>(n, 97, 5), b = values<int>(n, 97, 6);
    launches.add("switch_by_lane", [=](Outcome& outcome) {
        const Array<int> input(in), first(a), second(b), out(n);
        switch_by_lane<<<24, 128>>>(input, first, second, out, n);
        outcome.equal(out, each(n, [&](int i) {
                          const int results[] = {a[i],         b[i] * 2,         a[i] + b[i],
                                                 a[n - 1 - i], b[n - 1 - i] - 7, 0};
                          return results[in[i] % 6];
                      }));
    });
    launches.add("early_returns", [=](Outcome& outcome) {
        const Array<int> input(in), out(n);
        early_returns<<<24, 128>>>(input, out, n);
        outcome.equal(out, each(n, [&](int i) {
                          const int next = in[(i + 1) % n];
                          if (in[i] < 30) return -in[i];
                          return next > in[i] ? next : in[(i + in[i]) % n] + in[i];
                      }));
    });
    launches.add("short_circuit", [=](Outcome& outcome) {
        const Array<int> first(in), second(a), third(b), out(n);
        short_circuit<<<24, 128>>>(first, second, third, out, n);
        outcome.equal(out, each(n, [&](int i) {
                          return (in[i] > 40 && a[i] > 40) || (in[i] < 10 && b[i] > 20) ? 1 : 0;
                      }));
    });
    launches.add("store_in_branches", [=](Outcome& outcome) {
        const Array<int> input(in), even(n), odd(n);
        store_in_branches<<<24, 128>>>(input, even, odd, n);
        outcome.equal(even, each(n, [&](int i) {
                          return in[i] % 2 == 0 ? in[i] / 2 : in[i] > 50 ? 0 : -1;
                      }));
        outcome.equal(odd, each(n, [&](int i) { return in[i] % 2 == 0 ? -1 : 3 * in[i] + 1; }));
    });
}

void add_whiles(Launches& launches) {
    const int n = 3000;
    launches.add("collatz", [=](Outcome& outcome) {
        const auto in = values<unsigned>(n, 5000);
        const Array<unsigned> input(in);
        const Array<int> steps(n);
        collatz<<<24, 128>>>(input, steps, n);
        outcome.equal(steps, each(n, [&](int i) {
                          int count = 0;
                          for (unsigned long long v = in[i] + 1; v != 1; ++count) {
                              v = v % 2 == 0 ? v / 2 : 3 * v + 1;
                          }
                          return count;
                      }));
    });
    launches.add("greatest_common_divisor", [=](Outcome& outcome) {
        const auto a = values<int>(n, 10000, 5), b = values<int>(n, 10000, 6);
        const Array<int> first(a), second(b), out(n);
        greatest_common_divisor<<<24, 128>>>(first, second, out, n);
        outcome.equal(out, each(n, [&](int i) {
                          int x = a[i] + 1, y = b[i] + 1;
                          while (y != 0) x = std::exchange(y, x % y);
                          return x;
                      }));
    });
    launches.add("state_machine", [=](Outcome& outcome) {
        const auto program = values<unsigned char>(200, 4);
        const auto data = values<int>(200);
        const Array<unsigned char> code(program);
        const Array<int> input(data), out(2048);
        state_machine<<<16, 128>>>(code, input, out, 200);
        outcome.equal(out, each(2048, [&](int i) {
                          unsigned accumulator = i;
                          int place = i % 200;
                          for (int step = 0; step < 24; ++step) {
                              const int kind = program[place];
                              if (kind == 0) accumulator += data[(i + step) % 200], ++place;
                              if (kind == 1) accumulator ^= data[place], place += 3;
                              if (kind == 2) accumulator *= 3, place = (place * 5 + 1) % 200;
                              if (kind == 3) place = ++accumulator & 63;
                              if (place >= 200) place -= 200;
                          }
                          return static_cast<int>(accumulator);
                      }));
    });
}

}  // namespace

void add_control_flow(Launches& launches) {
    add_loops(launches);
    add_branches(launches);
    add_whiles(launches);
}

}  // namespace ordinary
