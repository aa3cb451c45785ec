// Atomic operations, cache operators, constant memory, textures and asynchronous copies.
#include <cuda_fp16.h>

#include <climits>
#include <cuda/atomic>
#include <cuda/pipeline>
#include <numeric>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

// Numbers the elements of each key. Which element gets which number is open.
__global__ void rank_among_equals(const unsigned char* keys, unsigned* counters, unsigned* out,
                                  int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned key = keys[i];
        out[i] = key << 20 | atomicAdd(&counters[key], 1u);
    }
}

struct Reading {
    short station, degrees;
};

__global__ void extremes_of_stations(const Reading* __restrict__ readings, int* lows, int* highs,
                                     int n, int stations) {
    extern __shared__ int extremes[];
    int *low = extremes, *high = extremes + stations;
    for (int s = threadIdx.x; s < stations; s += blockDim.x) {
        low[s] = INT_MAX;
        high[s] = INT_MIN;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Reading r = readings[i];
        atomicMin(&low[r.station], r.degrees);
        atomicMax(&high[r.station], r.degrees);
    }
    __syncthreads();
    for (int s = threadIdx.x; s < stations; s += blockDim.x) {
        atomicMin(&lows[s], low[s]);
        atomicMax(&highs[s], high[s]);
    }
}

// A block sieves 4096 numbers, a thread strikes out the multiples of one.
__global__ void sieve_of_bits(unsigned* primes) {
    constexpr int N = 4096;
    __shared__ unsigned struck[N / 32];
    int base = blockIdx.x * N, d = threadIdx.x + 2;
    for (int w = threadIdx.x; w < N / 32; w += blockDim.x) struck[w] = base + w == 0 ? 3u : 0u;
    __syncthreads();
    for (int m = max(d * d, (base + d - 1) / d * d); m < base + N; m += d) {
        atomicOr(&struck[(m - base) / 32], 1u << (m - base) % 32);
    }
    __syncthreads();
    for (int w = threadIdx.x; w < N / 32; w += blockDim.x) {
        primes[base / 32 + w] = ~struck[w];
    }
}

__global__ void toggle_lamps(const int2* ranges, unsigned long long* lamps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int first = ranges[i].x, last = first + ranges[i].y;
    for (int w = first / 64; w * 64 < last; ++w) {
        int low = max(first - 64 * w, 0), high = min(last - 64 * w, 64);
        atomicXor(&lamps[w], ~0ull >> (64 - (high - low)) << low);
    }
}

// Each list is a stack: its head is exchanged for the new node.
__global__ void push_on_lists(const int* __restrict__ keys, int* heads, int* next, int n,
                              int lists) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = atomicExch(&heads[keys[i] % lists], i);
}

// Seven seats in turn in each block, and a count down from nine for each seat over all blocks.
__global__ void take_turns(unsigned* out, unsigned* left) {
    __shared__ unsigned next;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    unsigned seat = atomicInc(&next, 6u);
    out[blockIdx.x * blockDim.x + threadIdx.x] = seat * 16 + atomicDec(&left[seat], 9u);
}

// The largest price of each article, and of equal ones the first.
__global__ void best_offers(const int2* __restrict__ offers, unsigned long long* best, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
#pragma unroll
    for (int i = first; i < first + 2; ++i) {
        if (i >= n) return;
        int2 offer = offers[i];
        unsigned long long key = static_cast<unsigned long long>(offer.y) << 32;
        atomicMax(&best[offer.x], key | (0xffffffffu - static_cast<unsigned>(i)));
    }
}

// There is no saturating atomic addition, so compare and swap.
__global__ void saturate_shorts(const unsigned short* amounts, const short* places,
                                unsigned short* totals, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned short* total = &totals[places[i]];
    unsigned short old = *static_cast<volatile unsigned short*>(total), seen;
    do {
        seen = old;
        int sum = min(seen + amounts[i], 65535);
        old = atomicCAS(total, seen, static_cast<unsigned short>(sum));
    } while (old != seen);
}

__global__ void moments_in_doubles(const float4* in, double* moments, int n) {
    __shared__ double sums[3];
    int t = threadIdx.x;
    if (t < 3) sums[t] = 0.0;
    __syncthreads();
    double a = 0.0, b = 0.0, c = 0.0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        for (double x : {v.x, v.y, v.z, v.w}) {
            a += x;
            b += x * x;
            c += x * x * x;
        }
    }
    atomicAdd(&sums[0], a);
    atomicAdd(&sums[1], b);
    atomicAdd(&sums[2], c);
    __syncthreads();
    if (t < 3) atomicAdd(&moments[t], sums[t]);
}

__global__ void votes_in_halves(const short2* votes, __half2* tally, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short2 vote = votes[i];
    atomicAdd(&tally[vote.x], __floats2half2_rn(0.5f, vote.y));
}

__global__ void scoped_totals(const int* in, long long* total, unsigned* seen, int* largest,
                              int n) {
    __shared__ int sum;
    __shared__ unsigned bits;
    if (threadIdx.x == 0) sum = bits = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cuda::atomic_ref<int, cuda::thread_scope_block> block_sum(sum);
        cuda::atomic_ref<unsigned, cuda::thread_scope_block> block_bits(bits);
        block_sum.fetch_add(in[i], cuda::memory_order_relaxed);
        block_bits.fetch_or(1u << in[i] % 32, cuda::memory_order_relaxed);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<long long, cuda::thread_scope_device> all(*total);
        cuda::atomic_ref<unsigned, cuda::thread_scope_system> all_seen(*seen);
        cuda::atomic_ref<int, cuda::thread_scope_device> all_largest(*largest);
        all.fetch_add(sum, cuda::memory_order_relaxed);
        all_seen.fetch_or(bits);
        all_largest.fetch_max(sum, cuda::memory_order_relaxed);
    }
}

// Each block leaves its histogram, the last one to arrive adds them all up.
__global__ void last_block_histogram(const uchar4* in, unsigned* partial, unsigned* arrived,
                                     unsigned* out, int n) {
    __shared__ unsigned bins[64];
    __shared__ bool is_last;
    int t = threadIdx.x;
    if (t < 64) bins[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        uchar4 v = in[i];
        atomicAdd(&bins[v.x / 4], 1u);
        atomicAdd(&bins[v.y / 4], 1u);
        atomicAdd(&bins[v.z / 4], 1u);
        atomicAdd(&bins[v.w / 4], 1u);
    }
    __syncthreads();
    if (t < 64) {
        partial[blockIdx.x * 64 + t] = bins[t];
        __threadfence();
    }
    __syncthreads();
    if (t == 0) is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last || t >= 64) return;
    __threadfence();
    unsigned sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += __ldcg(&partial[b * 64 + t]);
    out[t] = sum;
}

// Nothing is used again: the loads and stores should not displace what is in the caches.
__global__ void streamed_axpy(double a, const double* x, double* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        double2 v = __ldcs(reinterpret_cast<const double2*>(x) + i);
        double2 w = __ldcs(reinterpret_cast<const double2*>(y) + i);
        __stcs(reinterpret_cast<double2*>(y) + i, make_double2(a * v.x + w.x, a * v.y + w.y));
    } else if (i == n / 2 && n % 2 == 1) {
        __stcs(&y[n - 1], a * __ldcs(&x[n - 1]) + __ldcs(&y[n - 1]));
    }
}

__global__ void load_in_all_ways(const char4* a, const short* b, const int2* c, const double* d,
                                 const unsigned* e, long long* wide, short* narrow, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        char4 va = __ldg(&a[i]);
        int vb = __ldca(&b[i * 7 % n]);
        int2 vc = __ldcg(&c[i]);
        double vd = __ldcs(&d[n - 1 - i]);
        unsigned ve = __ldcv(&e[i / 3]);
        __stwt(&wide[i], static_cast<long long>(vc.x) * vc.y + static_cast<long long>(vd) + ve);
        __stcg(&narrow[i], static_cast<short>(va.x + va.y - va.z + va.w * vb));
    }
}

// A warp sums without shuffles: after each step every lane holds the sum of twice as many.
__global__ void volatile_trees(const int* in, int* out, const volatile int* factor) {
    __shared__ int data[5][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    volatile int* mine = data[warp];
    int first = (blockIdx.x * 5 + warp) * 96 + lane, sum = 0;
    for (int k = 0; k < 3; ++k) sum += *factor * in[first + 32 * k];
    mine[lane] = sum;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int v = mine[lane] + mine[(lane + d) % 32];
        __syncwarp();
        mine[lane] = v;
        __syncwarp();
    }
    if (lane == 0) out[blockIdx.x * 5 + warp] = mine[0];
}

struct Tap {
    int weight;
    short offset, shift;
};

__constant__ Tap taps[9];
__constant__ int biases[24];

// The taps are the same for a warp, the biases differ by lane.
__global__ void taps_in_constant(const short* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = biases[i % 24];
#pragma unroll 3
    for (int k = 0; k < 9; ++k) {
        int j = min(max(i + taps[k].offset, 0), n - 1);
        sum += (taps[k].weight * in[j]) << taps[k].shift;
    }
    out[i] = sum;
}

__global__ void pairs_by_fetch(cudaTextureObject_t pairs, const int* places, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int2 v = tex1Dfetch<int2>(pairs, places[i]);
    out[i] = v.x * 3 - v.y;
}

// Three times the width and height of the picture, which is mirrored at its edges.
__global__ void mirrored_texture(cudaTextureObject_t picture, uchar4* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 3 * width || y >= 3 * height) return;
    float u = (x - width + 0.5f) / width, v = (y - height + 0.5f) / height;
    out[y * 3 * width + x] = tex2D<uchar4>(picture, u, v);
}

// Spans of any alignment: bytes at both ends, 16 at once between them.
__global__ void zero_spans(unsigned char* bytes, const int2* spans) {
    int first = spans[blockIdx.x].x, last = first + spans[blockIdx.x].y, t = threadIdx.x;
    int body = min((first + 15) / 16 * 16, last), tail = max(body, last / 16 * 16);
    if (first + t < body) bytes[first + t] = 0;
    for (int i = body + 16 * t; i < tail; i += 16 * blockDim.x) {
        *reinterpret_cast<uint4*>(bytes + i) = make_uint4(0, 0, 0, 0);
    }
    if (tail + t < last) bytes[tail + t] = 0;
}

// The next row is under way while this one is used.
__global__ void staged_by_pipeline(const int* in, int* out, int rows) {
    constexpr int N = 512;
    __shared__ alignas(16) int stage[2][N];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, slot = 0;
    auto fetch = [&](int row, int to) {
        pipe.producer_acquire();
        if (row < rows) {
            cuda::memcpy_async(&stage[to][4 * t], &in[row * N + 4 * t],
                               cuda::aligned_size_t<16>(16), pipe);
        }
        pipe.producer_commit();
    };
    fetch(blockIdx.x, 0);
    for (int row = blockIdx.x; row < rows; row += gridDim.x, slot ^= 1) {
        fetch(row + gridDim.x, slot ^ 1);
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        __syncthreads();
        for (int c = t; c < N; c += 128) {
            out[row * N + c] = 2 * stage[slot][N - 1 - c] - stage[slot][c];
        }
        pipe.consumer_release();
        __syncthreads();
    }
}

}  // namespace

void add_more_atomics_caches(Launches& launches) {
    launches.add("rank_among_equals", [](Outcome& outcome) {
        const int n = 20011, keys = 53;
        auto key = values<unsigned char>(n, keys, 11);
        Array<unsigned char> in(key);
        Array<unsigned> counters(keys, 0), out(n);
        rank_among_equals<<<18, 288>>>(in, counters, out, n);
        std::vector<unsigned> counts(keys, 0), expected(n);
        for (int i = 0; i < n; ++i) {
            const unsigned k = key[i];
            expected[i] = k << 20 | counts[k]++;
        }
        outcome.equal(counters, counts);
        outcome.same_elements(out, expected);
    });
    launches.add("extremes_of_stations", [](Outcome& outcome) {
        const int n = 30001, stations = 61;
        auto station = values<short>(n, stations, 12), degrees = values<short>(n, 900, 13);
        std::vector<Reading> readings(n);
        std::vector<int> lowest(stations, INT_MAX), highest(stations, INT_MIN);
        for (int i = 0; i < n; ++i) {
            readings[i] = {station[i], static_cast<short>(degrees[i] - 400)};
            int &low = lowest[station[i]], &high = highest[station[i]];
            low = std::min<int>(low, readings[i].degrees);
            high = std::max<int>(high, readings[i].degrees);
        }
        Array<Reading> in(readings);
        Array<int> lows(std::vector<int>(stations, INT_MAX));
        Array<int> highs(std::vector<int>(stations, INT_MIN));
        extremes_of_stations<<<20, 160, 2 * stations * sizeof(int)>>>(in, lows, highs, n, stations);
        outcome.equal(lows, lowest);
        outcome.equal(highs, highest);
    });
    launches.add("sieve_of_bits", [](Outcome& outcome) {
        const int n = 16 * 4096;
        Array<unsigned> primes(n / 32);
        // The divisors go from 2 to 255, and 256 x 256 is beyond the last number.
        sieve_of_bits<<<16, 254>>>(primes);
        std::vector<unsigned> expected(n / 32, 0);
        for (int i = 2; i < n; ++i) {
            bool is_prime = true;
            for (int d = 2; d * d <= i && is_prime; ++d) is_prime = i % d != 0;
            if (is_prime) expected[i / 32] |= 1u << i % 32;
        }
        outcome.equal(primes, expected);
    });
    launches.add("toggle_lamps", [](Outcome& outcome) {
        const int n = 3000, words = 320;
        auto first = values<int>(n, 64 * words - 300, 14), count = values<int>(n, 300, 15);
        std::vector<int2> ranges(n);
        std::vector<unsigned long long> expected(words, 0);
        for (int i = 0; i < n; ++i) {
            ranges[i] = {first[i], count[i] + 1};
            for (int k = first[i]; k < first[i] + count[i] + 1; ++k) {
                expected[k / 64] ^= 1ull << k % 64;
            }
        }
        Array<int2> in(ranges);
        Array<unsigned long long> lamps(words, 0);
        toggle_lamps<<<blocks_for(n, 224), 224>>>(in, lamps, n);
        outcome.equal(lamps, expected);
    });
    launches.add("push_on_lists", [](Outcome& outcome) {
        const int n = 5003, lists = 128;
        auto keys = values<int>(n, 10000, 16);
        Array<int> in(keys), heads(std::vector<int>(lists, -1)), next(n);
        push_on_lists<<<blocks_for(n, 96), 96>>>(in, heads, next, n, lists);
        // The order in a list is open: each must hold its own nodes, once.
        const std::vector<int> head = heads.to_host(), link = next.to_host();
        std::vector<int> found(n, 0), expected(n);
        for (int list = 0; list < lists; ++list) {
            int steps = 0;
            for (int i = head[list]; i >= 0 && i < n && steps++ < n; i = link[i]) {
                found[i] = list + 1;
            }
        }
        for (int i = 0; i < n; ++i) expected[i] = keys[i] % lists + 1;
        Array<int> lists_of_nodes(found);
        outcome.equal(lists_of_nodes, expected);
    });
    launches.add("take_turns", [](Outcome& outcome) {
        const int blocks = 30, threads = 100;
        Array<unsigned> out(blocks * threads), left(std::vector<unsigned>(7, 9));
        take_turns<<<blocks, threads>>>(out, left);
        std::vector<unsigned> remaining(7, 9), expected;
        for (int i = 0; i < blocks * threads; ++i) {
            const unsigned seat = i % threads % 7;
            expected.push_back(seat * 16 + remaining[seat]);
            remaining[seat] = remaining[seat] == 0 ? 9 : remaining[seat] - 1;
        }
        outcome.equal(left, remaining);
        outcome.same_elements(out, expected);
    });
    launches.add("best_offers", [](Outcome& outcome) {
        const int n = 60001, articles = 500;
        auto article = values<int>(n, articles, 17), price = values<int>(n, 2000, 18);
        std::vector<int2> offers(n);
        std::vector<int> first(articles, -1);
        for (int i = 0; i < n; ++i) {
            offers[i] = {article[i], price[i]};
            int& best = first[article[i]];
            if (best < 0 || price[i] > price[best]) best = i;
        }
        std::vector<unsigned long long> expected(articles, 0);
        for (int a = 0; a < articles; ++a) {
            if (first[a] < 0) continue;
            expected[a] = (static_cast<unsigned long long>(price[first[a]]) << 32) +
                          (0xffffffffull - static_cast<unsigned long long>(first[a]));
        }
        Array<int2> in(offers);
        Array<unsigned long long> best(articles, 0);
        best_offers<<<blocks_for(n, 2 * 256), 256>>>(in, best, n);
        outcome.equal(best, expected);
    });
    launches.add("saturate_shorts", [](Outcome& outcome) {
        const int n = 12000, places = 1000;
        auto amounts = values<unsigned short>(n, 97, 19);
        auto place = values<short>(n, places, 20);
        std::vector<unsigned short> expected(places, 65000);
        Array<unsigned short> in(amounts), totals(expected);
        Array<short> where(place);
        saturate_shorts<<<blocks_for(n, 128), 128>>>(in, where, totals, n);
        for (int i = 0; i < n; ++i) {
            const int sum = expected[place[i]] + amounts[i];
            expected[place[i]] = static_cast<unsigned short>(std::min(sum, 65535));
        }
        outcome.equal(totals, expected);
    });
    launches.add("moments_in_doubles", [](Outcome& outcome) {
        const int n = 10007;
        auto in = values<float>(4 * n, 97, 21);
        std::vector<float4> vectors(n);
        std::vector<double> expected(3, 0.0);
        for (int i = 0; i < n; ++i) {
            vectors[i] = {in[4 * i], in[4 * i + 1], in[4 * i + 2], in[4 * i + 3]};
        }
        for (double x : in) {
            expected[0] += x;
            expected[1] += x * x;
            expected[2] += x * x * x;
        }
        Array<float4> data(vectors);
        Array<double> moments(3, 0);
        moments_in_doubles<<<9, 224>>>(data, moments, n);
        outcome.equal(moments, expected);
    });
    launches.add("votes_in_halves", [](Outcome& outcome) {
        // At most some 100 votes of at most 3: every sum is exact.
        const int n = 8000, candidates = 128;
        auto candidate = values<short>(n, candidates, 22), weight = values<short>(n, 4, 23);
        std::vector<short2> votes(n);
        std::vector<float> halves(candidates, 0.0f), weights(candidates, 0.0f);
        for (int i = 0; i < n; ++i) {
            votes[i] = {candidate[i], weight[i]};
            halves[candidate[i]] += 0.5f;
            weights[candidate[i]] += weight[i];
        }
        std::vector<__half2> expected(candidates);
        for (int c = 0; c < candidates; ++c) {
            expected[c] = __floats2half2_rn(halves[c], weights[c]);
        }
        Array<short2> in(votes);
        Array<__half2> tally(candidates, 0);
        votes_in_halves<<<blocks_for(n, 160), 160>>>(in, tally, n);
        outcome.equal(tally, expected);
    });
    launches.add("scoped_totals", [](Outcome& outcome) {
        const int n = 25000, each = 352;
        auto in = values<int>(n, 30, 24);
        long long sum = 0;
        unsigned bits = 0;
        int greatest = 0;
        for (int first = 0; first < n; first += each) {
            int block = 0;
            for (int i = first; i < std::min(n, first + each); ++i) {
                block += in[i];
                bits |= 1u << in[i];
            }
            sum += block;
            greatest = std::max(greatest, block);
        }
        Array<int> data(in), largest(1, 0);
        Array<long long> total(1, 0);
        Array<unsigned> seen(1, 0);
        scoped_totals<<<blocks_for(n, each), each>>>(data, total, seen, largest, n);
        outcome.equal(total, std::vector<long long>{sum});
        outcome.equal(seen, std::vector<unsigned>{bits});
        outcome.equal(largest, std::vector<int>{greatest});
    });
    launches.add("last_block_histogram", [](Outcome& outcome) {
        const int n = 40009, blocks = 36;
        auto bytes = values<unsigned char>(4 * n, 256, 25);
        std::vector<uchar4> in(n);
        std::vector<unsigned> expected(64, 0);
        for (int i = 0; i < n; ++i) {
            in[i] = {bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]};
        }
        for (unsigned char byte : bytes) ++expected[byte / 4];
        Array<uchar4> data(in);
        Array<unsigned> partial(blocks * 64), arrived(1, 0), out(64);
        last_block_histogram<<<blocks, 192>>>(data, partial, arrived, out, n);
        outcome.equal(out, expected);
        outcome.equal(arrived, std::vector<unsigned>{0});
    });
    launches.add("streamed_axpy", [](Outcome& outcome) {
        const int n = 50001;
        auto x = values<double>(n, 97, 26), y = values<double>(n, 1000, 27);
        std::vector<double> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = 2.5 * x[i] + y[i];
        Array<double> in(x), out(y);
        streamed_axpy<<<blocks_for(n / 2 + 1, 128), 128>>>(2.5, in, out, n);
        outcome.equal(out, expected);
    });
    launches.add("load_in_all_ways", [](Outcome& outcome) {
        const int n = 12345;
        auto bytes = values<signed char>(4 * n, 100, 28);
        auto b = values<short>(n, 50, 29);
        auto c = values<int>(2 * n, 100000, 30);
        auto d = values<double>(n, 5000, 31);
        auto e = values<unsigned>(n / 3 + 1, 1000, 32);
        std::vector<char4> a(n);
        std::vector<int2> pairs(n);
        std::vector<long long> wide(n);
        std::vector<short> narrow(n);
        for (int i = 0; i < n; ++i) {
            a[i] = {bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]};
            pairs[i] = {c[2 * i], c[2 * i + 1]};
            wide[i] = static_cast<long long>(pairs[i].x) * pairs[i].y +
                      static_cast<long long>(d[n - 1 - i]) + e[i / 3];
            narrow[i] = static_cast<short>(a[i].x + a[i].y - a[i].z + a[i].w * b[i * 7 % n]);
        }
        Array<char4> da(a);
        Array<short> db(b), out_narrow(n);
        Array<int2> dc(pairs);
        Array<double> dd(d);
        Array<unsigned> de(e);
        Array<long long> out_wide(n);
        load_in_all_ways<<<30, 320>>>(da, db, dc, dd, de, out_wide, out_narrow, n);
        outcome.equal(out_wide, wide);
        outcome.equal(out_narrow, narrow);
    });
    launches.add("volatile_trees", [](Outcome& outcome) {
        const int warps = 5 * 28;
        auto in = values<int>(warps * 96, 97, 33);
        std::vector<int> expected(warps, 0);
        for (int i = 0; i < warps * 96; ++i) expected[i / 96] += 3 * in[i];
        Array<int> data(in), out(warps), factor(std::vector<int>{3});
        volatile_trees<<<28, 160>>>(data, out, factor);
        outcome.equal(out, expected);
    });
    launches.add("taps_in_constant", [](Outcome& outcome) {
        const int n = 33333;
        std::vector<Tap> weights(9);
        for (short k = 0; k < 9; ++k) {
            weights[k] = {k * k - 20, static_cast<short>(3 * k - 12), static_cast<short>(k % 3)};
        }
        auto bias = values<int>(24, 5000, 34);
        auto in = values<short>(n, 700, 35);
        check(cudaMemcpyToSymbol(taps, weights.data(), sizeof(Tap) * 9));
        check(cudaMemcpyToSymbol(biases, bias.data(), sizeof(int) * 24));
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            expected[i] = bias[i % 24];
            for (const Tap& tap : weights) {
                const int j = std::min(std::max(i + tap.offset, 0), n - 1);
                expected[i] += tap.weight * in[j] * (1 << tap.shift);
            }
        }
        Array<short> data(in);
        Array<int> out(n);
        taps_in_constant<<<blocks_for(n, 256), 256>>>(data, out, n);
        outcome.equal(out, expected);
    });
    launches.add("pairs_by_fetch", [](Outcome& outcome) {
        const int n = 30000, pairs = 9001;
        auto numbers = values<int>(2 * pairs, 100000, 36), places = values<int>(n, pairs, 37);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i) {
            expected[i] = numbers[2 * places[i]] * 3 - numbers[2 * places[i] + 1];
        }
        Array<int> table(numbers), where(places), out(n);
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = table.data();
        resource.res.linear.desc = cudaCreateChannelDesc<int2>();
        resource.res.linear.sizeInBytes = 2 * pairs * sizeof(int);
        cudaTextureDesc description = {};
        description.readMode = cudaReadModeElementType;
        cudaTextureObject_t texture;
        check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
        pairs_by_fetch<<<blocks_for(n, 128), 128>>>(texture, where, out, n);
        outcome.equal(out, expected);
        check(cudaDestroyTextureObject(texture));
    });
    launches.add("mirrored_texture", [](Outcome& outcome) {
        // Powers of two, so that the coordinates are exact.
        const int width = 64, height = 32;
        auto bytes = values<unsigned char>(4 * width * height, 256, 38);
        std::vector<uchar4> picture(width * height), expected(9 * width * height);
        for (int i = 0; i < width * height; ++i) {
            picture[i] = {bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]};
        }
        auto mirrored = [](int i, int size) {
            return i < size ? size - 1 - i : i < 2 * size ? i - size : 3 * size - 1 - i;
        };
        for (int y = 0; y < 3 * height; ++y) {
            for (int x = 0; x < 3 * width; ++x) {
                expected[y * 3 * width + x] =
                    picture[mirrored(y, height) * width + mirrored(x, width)];
            }
        }
        cudaArray_t array;
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
        check(cudaMallocArray(&array, &format, width, height));
        check(cudaMemcpy2DToArray(array, 0, 0, picture.data(), width * sizeof(uchar4),
                                  width * sizeof(uchar4), height, cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc description = {};
        description.addressMode[0] = description.addressMode[1] = cudaAddressModeMirror;
        description.filterMode = cudaFilterModePoint;
        description.readMode = cudaReadModeElementType;
        description.normalizedCoords = 1;
        cudaTextureObject_t texture;
        check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
        Array<uchar4> out(9 * width * height);
        mirrored_texture<<<dim3(6, 24), dim3(32, 4)>>>(texture, out, width, height);
        outcome.equal(out, expected);
        check(cudaDestroyTextureObject(texture));
        check(cudaFreeArray(array));
    });
    launches.add("zero_spans", [](Outcome& outcome) {
        const int spans = 60, room = 2000;
        auto gaps = values<int>(spans, 40, 39), counts = values<int>(spans, 1900, 40);
        std::vector<int2> span(spans);
        std::vector<unsigned char> expected(spans * room, 0xFF);
        counts[3] = 0;
        counts[4] = 7;
        counts[5] = 16;
        for (int s = 0; s < spans; ++s) {
            span[s] = {s * room + gaps[s], counts[s]};
            std::fill_n(expected.begin() + span[s].x, counts[s], 0);
        }
        Array<unsigned char> bytes(spans * room);
        Array<int2> in(span);
        zero_spans<<<spans, 96>>>(bytes, in);
        outcome.equal(bytes, expected);
    });
    launches.add("staged_by_pipeline", [](Outcome& outcome) {
        const int rows = 101, columns = 512;
        auto in = values<int>(rows * columns, 5000, 41);
        std::vector<int> expected(rows * columns);
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) {
                expected[r * columns + c] =
                    2 * in[r * columns + columns - 1 - c] - in[r * columns + c];
            }
        }
        Array<int> data(in), out(rows * columns);
        staged_by_pipeline<<<16, 128>>>(data, out, rows);
        outcome.equal(out, expected);
    });
}

}  // namespace ordinary
