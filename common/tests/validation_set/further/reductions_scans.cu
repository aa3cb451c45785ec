// Reductions, scans, histograms, compaction, sorting, searching and sets.
#include <cuda_fp16.h>

#include <numeric>
#include <tuple>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__global__ void sum_of_halves(const __half2* __restrict__ in, float* __restrict__ sums, int n) {
    __shared__ float warps[5];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 v = __half22float2(in[i]);
        sum += v.x + v.y;
    }
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(ALL_LANES, sum, d);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 5; ++w) sum += warps[w];
        sums[blockIdx.x] = sum;
    }
}

void run_sum_of_halves(Outcome& outcome) {
    const int n = 40001, blocks = 28, threads = 160;
    const auto numbers = values<int>(2 * n, 9, 3);
    std::vector<__half2> halves(n);
    std::vector<float> expected(blocks);
    for (int i = 0; i < n; ++i) {
        const float x = static_cast<float>(numbers[2 * i] - 4);
        const float y = static_cast<float>(numbers[2 * i + 1] - 3);
        halves[i] = __floats2half2_rn(x, y);
        expected[i / threads % blocks] += x + y;
    }
    const Array<__half2> in(halves);
    const Array<float> sums(blocks);
    sum_of_halves<<<blocks, threads>>>(in, sums, n);
    outcome.equal(sums, expected);
}

// Works for any number of threads; everybody gets the sum.
__device__ __noinline__ double sum_of_block(double v, double* buffer) {
    int t = threadIdx.x;
    buffer[t] = v;
    __syncthreads();
    for (int active = blockDim.x; active > 1;) {
        int half = (active + 1) / 2;
        if (t + half < active) buffer[t] += buffer[t + half];
        __syncthreads();
        active = half;
    }
    double sum = buffer[0];
    __syncthreads();
    return sum;
}

__global__ void variance_of_rows(const double* in, double* variances, int columns) {
    extern __shared__ double row_buffer[];
    const double* row = in + blockIdx.x * columns;
    double sum = 0.0, squares = 0.0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += row[c];
    double mean = sum_of_block(sum, row_buffer) / columns;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        double d = row[c] - mean;
        squares += d * d;
    }
    squares = sum_of_block(squares, row_buffer);
    if (threadIdx.x == 0) variances[blockIdx.x] = squares / (columns - 1);
}

void run_variance_of_rows(Outcome& outcome) {
    const int rows = 150, columns = 333, threads = 96;
    const auto numbers = values<double>(rows * columns, 1000, 5);
    std::vector<double> expected(rows);
    for (int r = 0; r < rows; ++r) {
        double mean = 0.0, squares = 0.0;
        for (int c = 0; c < columns; ++c) mean += numbers[r * columns + c] / columns;
        for (int c = 0; c < columns; ++c) {
            const double d = numbers[r * columns + c] - mean;
            squares += d * d;
        }
        expected[r] = squares / (columns - 1);
    }
    const Array<double> in(numbers), variances(rows);
    variance_of_rows<<<rows, threads, threads * sizeof(double)>>>(in, variances, columns);
    outcome.near(variances, expected, 1e-10);
}

__global__ void argmin_of_columns(const signed char* __restrict__ in, unsigned short* places,
                                  int rows, int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    int least = in[c], place = 0;
#pragma unroll 4
    for (int r = 1; r < rows; ++r) {
        int v = in[r * columns + c];
        if (v < least) {
            least = v;
            place = r;
        }
    }
    places[c] = static_cast<unsigned short>(place);
}

void run_argmin_of_columns(Outcome& outcome) {
    const int rows = 121, columns = 1000;
    auto numbers = values<signed char>(rows * columns, 120, 7);
    for (auto& v : numbers) v = static_cast<signed char>(v - 60);
    std::vector<unsigned short> expected(columns);
    for (int c = 0; c < columns; ++c) {
        for (int r = 1; r < rows; ++r) {
            if (numbers[r * columns + c] < numbers[expected[c] * columns + c]) {
                expected[c] = static_cast<unsigned short>(r);
            }
        }
    }
    const Array<signed char> in(numbers);
    const Array<unsigned short> places(columns);
    argmin_of_columns<<<blocks_for(columns, 72), 72>>>(in, places, rows, columns);
    outcome.equal(places, expected);
}

constexpr unsigned PRIME = 1000003;

__global__ void product_modulo(const unsigned* in, unsigned* products, int n) {
    __shared__ unsigned long long warps[7];
    unsigned long long product = 1;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = (blockIdx.x * 4 + k) * blockDim.x + threadIdx.x;
        if (i < n) product = product * in[i] % PRIME;
    }
    for (int d = 1; d < 32; d *= 2) {
        product = product * __shfl_xor_sync(ALL_LANES, product, d) % PRIME;
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = product;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int w = 1; w < 7; ++w) product = product * warps[w] % PRIME;
    products[blockIdx.x] = static_cast<unsigned>(product);
}

void run_product_modulo(Outcome& outcome) {
    const int n = 60001, threads = 224, tile = 4 * threads, blocks = blocks_for(n, tile);
    auto numbers = values<unsigned>(n, 900000, 9);
    for (auto& v : numbers) v += 1;
    std::vector<unsigned> expected(blocks, 1);
    for (int i = 0; i < n; ++i) {
        unsigned long long product = expected[i / tile];
        expected[i / tile] = static_cast<unsigned>(product * numbers[i] % PRIME);
    }
    const Array<unsigned> in(numbers), products(blocks);
    product_modulo<<<blocks, threads>>>(in, products, n);
    outcome.equal(products, expected);
}

// The block stops at the first chunk with a descent.
__global__ void check_sorted_rows(const int* __restrict__ in, int* bad_chunks, int columns) {
    const int* row = in + blockIdx.x * columns;
    int chunk = 0, found = -1;
    for (int first = 0; first < columns - 1; first += blockDim.x, ++chunk) {
        int c = first + threadIdx.x;
        bool is_bad = c + 1 < columns && row[c] > row[c + 1];
        if (__syncthreads_or(is_bad)) {
            found = chunk;
            break;
        }
    }
    if (threadIdx.x == 0) bad_chunks[blockIdx.x] = found;
}

void run_check_sorted_rows(Outcome& outcome) {
    const int rows = 300, columns = 700, threads = 128;
    auto numbers = values<int>(rows * columns, 5, 11);
    const auto bad = values<int>(rows, 1400, 12);
    std::vector<int> expected(rows, -1);
    for (int r = 0; r < rows; ++r) {
        int* row = &numbers[r * columns];
        std::partial_sum(row, row + columns, row);
        if (bad[r] < columns - 1) row[bad[r]] = row[bad[r] + 1] + 1;
        for (int c = columns - 2; c >= 0; --c) {
            if (row[c] > row[c + 1]) expected[r] = c / threads;
        }
    }
    const Array<int> in(numbers), chunks(rows);
    check_sorted_rows<<<rows, threads>>>(in, chunks, columns);
    outcome.equal(chunks, expected);
}

struct Player {
    float score;
    int id;
    short team, year;
};

__host__ __device__ bool is_better(const Player& a, const Player& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.id < b.id;
}

__global__ void best_player_of_block(const Player* in, Player* best, int n) {
    __shared__ Player players[200];
    int t = threadIdx.x, i = blockIdx.x * 200 + t;
    if (i < n) {
        players[t] = in[i];
    } else {
        players[t] = Player{-1.0f, 0, 0, 0};
    }
    __syncthreads();
    for (int active = 200; active > 1; active = (active + 1) / 2) {
        int half = (active + 1) / 2;
        if (t + half < active && is_better(players[t + half], players[t])) {
            players[t] = players[t + half];
        }
        __syncthreads();
    }
    if (t == 0) best[blockIdx.x] = players[0];
}

void run_best_player_of_block(Outcome& outcome) {
    const int n = 30050, blocks = blocks_for(n, 200);
    const auto scores = values<float>(n, 150, 13);
    std::vector<Player> all(n), expected(blocks, Player{-1.0f, 0, 0, 0});
    for (int i = 0; i < n; ++i) {
        all[i] = {scores[i], (i * 7919) % n, static_cast<short>(i % 11),
                  static_cast<short>(1950 + i % 70)};
        if (is_better(all[i], expected[i / 200])) expected[i / 200] = all[i];
    }
    const Array<Player> in(all), best(blocks);
    best_player_of_block<<<blocks, 200>>>(in, best, n);
    outcome.equal(best, expected);
}

__global__ void scan_of_bytes(const unsigned char* __restrict__ in,
                              unsigned short* __restrict__ before, int n) {
    __shared__ unsigned short sums[192];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    unsigned short own = i < n ? in[i] : 0;
    sums[t] = own;
    __syncthreads();
    for (int d = 1; d < 192; d *= 2) {
        unsigned short other = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += other;
        __syncthreads();
    }
    if (i < n) before[i] = sums[t] - own;
}

void run_scan_of_bytes(Outcome& outcome) {
    const int n = 100003;
    const auto numbers = values<unsigned char>(n, 256, 15);
    std::vector<unsigned short> expected(n);
    for (int i = 0; i < n; ++i) {
        if (i % 192 > 0) {
            expected[i] = static_cast<unsigned short>(expected[i - 1] + numbers[i - 1]);
        }
    }
    const Array<unsigned char> in(numbers);
    const Array<unsigned short> before(n);
    scan_of_bytes<<<blocks_for(n, 192), 192>>>(in, before, n);
    outcome.equal(before, expected);
}

template <class T>
__device__ T scan_of_lanes(T v) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        T other = __shfl_up_sync(ALL_LANES, v, d);
        if (lane >= d) v += other;
    }
    return v;
}

// One block goes through the whole array.
__global__ void scan_with_carry(const short* in, long long* out, int n) {
    __shared__ long long warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long carry = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        int i = first + threadIdx.x;
        long long v = scan_of_lanes<long long>(i < n ? in[i] : 0);
        if (lane == 31) warps[warp] = v;
        __syncthreads();
        if (warp == 0) warps[lane] = scan_of_lanes(warps[lane]);
        __syncthreads();
        if (warp > 0) v += warps[warp - 1];
        if (i < n) out[i] = carry + v;
        carry += warps[31];
        __syncthreads();
    }
}

void run_scan_with_carry(Outcome& outcome) {
    const int n = 30011;
    auto numbers = values<short>(n, 20000, 17);
    for (auto& v : numbers) v = static_cast<short>(v - 8000);
    std::vector<long long> expected(n);
    long long sum = 0;
    for (int i = 0; i < n; ++i) expected[i] = sum += numbers[i];
    const Array<short> in(numbers);
    const Array<long long> out(n);
    scan_with_carry<<<1, 1024>>>(in, out, n);
    outcome.equal(out, expected);
}

// The largest element from here to the tile's end.
__global__ void suffix_maxima(const float* in, float* out, int n) {
    __shared__ float warps[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = i < n ? in[i] : -INFINITY;
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_down_sync(ALL_LANES, v, d);
        if (lane + d < 32) v = fmaxf(v, other);
    }
    if (lane == 0) warps[warp] = v;
    __syncthreads();
    for (int w = warp + 1; w < 8; ++w) v = fmaxf(v, warps[w]);
    if (i < n) out[i] = v;
}

void run_suffix_maxima(Outcome& outcome) {
    const int n = 60100;
    auto numbers = values<float>(n, 5000, 19);
    for (auto& v : numbers) v -= 2500.5f;
    std::vector<float> expected(numbers);
    for (int i = n - 2; i >= 0; --i) {
        if (i % 256 != 255) expected[i] = std::max(expected[i], expected[i + 1]);
    }
    const Array<float> in(numbers), out(n);
    suffix_maxima<<<blocks_for(n, 256), 256>>>(in, out, n);
    outcome.equal(out, expected);
}

// The last phase of a scan in three.
__global__ void add_tile_offsets(int4* data, const int* offsets, int fours) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= fours) return;
    int offset = offsets[blockIdx.x];
    int4 v = data[i];
    v.x += offset;
    v.y += offset;
    v.z += offset;
    v.w += offset;
    data[i] = v;
}

void run_add_tile_offsets(Outcome& outcome) {
    const int n = 200004, blocks = blocks_for(n / 4, 128);
    auto numbers = values<int>(n, 10000, 21);
    const auto offsets = values<int>(blocks, 1000000, 22);
    const Array<int> data(numbers), device_offsets(offsets);
    add_tile_offsets<<<blocks, 128>>>(reinterpret_cast<int4*>(data.data()), device_offsets, n / 4);
    for (int i = 0; i < n; ++i) numbers[i] += offsets[i / 512];
    outcome.equal(data, numbers);
}

// Every thread has a byte for each bin: it sees fewer than 256 elements.
__global__ void histogram_in_bytes(const unsigned char* __restrict__ in, int* counts, int n) {
    __shared__ unsigned words[64 * 64 / 4];
    unsigned char* bytes = reinterpret_cast<unsigned char*>(words);
    int t = threadIdx.x;
    for (int i = t; i < 64 * 64 / 4; i += 64) words[i] = 0;
    __syncthreads();
    for (int k = 0; k < 200; ++k) {
        int i = (blockIdx.x * 200 + k) * 64 + t;
        if (i < n) ++bytes[(in[i] >> 2) * 64 + t];
    }
    __syncthreads();
    int count = 0;
    for (int k = 0; k < 64; ++k) count += bytes[t * 64 + (k + 4 * t) % 64];
    counts[blockIdx.x * 64 + t] = count;
}

void run_histogram_in_bytes(Outcome& outcome) {
    const int n = 150000, tile = 64 * 200, blocks = blocks_for(n, tile);
    const auto numbers = values<unsigned char>(n, 256, 23);
    std::vector<int> expected(blocks * 64);
    for (int i = 0; i < n; ++i) ++expected[i / tile * 64 + numbers[i] / 4];
    const Array<unsigned char> in(numbers);
    const Array<int> counts(blocks * 64);
    histogram_in_bytes<<<blocks, 64>>>(in, counts, n);
    outcome.equal(counts, expected);
}

__global__ void histogram_of_bit_lengths(const unsigned long long* in, unsigned* counts, int n) {
    __shared__ unsigned own[65];
    for (int b = threadIdx.x; b < 65; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[64 - __clzll(static_cast<long long>(in[i]))], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 65; b += blockDim.x) {
        if (own[b] > 0) atomicAdd(&counts[b], own[b]);
    }
}

void run_histogram_of_bit_lengths(Outcome& outcome) {
    const int n = 50021;
    const auto numbers = values<unsigned>(n, 1u << 22, 25), shifts = values<unsigned>(n, 64, 26);
    std::vector<unsigned long long> wide(n);
    std::vector<unsigned> expected(65);
    for (int i = 0; i < n; ++i) {
        wide[i] = (numbers[i] * 0x9E3779B97F4A7C15ull) >> shifts[i];
        int length = 0;
        for (unsigned long long v = wide[i]; v > 0; v /= 2) ++length;
        ++expected[length];
    }
    const Array<unsigned long long> in(wide);
    const Array<unsigned> counts(65, 0);
    histogram_of_bit_lengths<<<20, 176>>>(in, counts, n);
    outcome.equal(counts, expected);
}

// Negative elements first, both kinds in their old order.
__global__ void partition_by_sign(const float* in, float* out, int n) {
    __shared__ int counts[9];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * blockDim.x + t;
    float v = i < n ? in[i] : 0.0f;
    unsigned negative = __ballot_sync(ALL_LANES, v < 0.0f);
    if (lane == 0) counts[warp] = __popc(negative);
    __syncthreads();
    int before = __popc(negative & ((1u << lane) - 1)), total = 0;
#pragma unroll
    for (int w = 0; w < 9; ++w) {
        if (w < warp) before += counts[w];
        total += counts[w];
    }
    if (i >= n) return;
    int place = v < 0.0f ? before : total + t - before;
    out[blockIdx.x * blockDim.x + place] = v;
}

void run_partition_by_sign(Outcome& outcome) {
    const int n = 70001, tile = 288;
    auto numbers = values<float>(n, 901, 27);
    for (auto& v : numbers) v -= 450.0f;
    std::vector<float> expected(numbers);
    for (int first = 0; first < n; first += tile) {
        std::stable_partition(expected.begin() + first,
                              expected.begin() + std::min(n, first + tile),
                              [](float v) { return v < 0.0f; });
    }
    const Array<float> in(numbers), out(n);
    partition_by_sign<<<blocks_for(n, tile), tile>>>(in, out, n);
    outcome.equal(out, expected);
}

// A warp packs a row.
__global__ void pack_nonzeros(const int* __restrict__ dense, int* __restrict__ packed,
                              unsigned short* __restrict__ places, int* __restrict__ counts,
                              int rows, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    int count = 0;
    for (int first = 0; first < columns; first += 32) {
        int c = first + lane;
        int v = c < columns ? dense[row * columns + c] : 0;
        unsigned kept = __ballot_sync(ALL_LANES, v != 0);
        if (v != 0) {
            int place = row * columns + count + __popc(kept & ((1u << lane) - 1));
            packed[place] = v;
            places[place] = static_cast<unsigned short>(c);
        }
        count += __popc(kept);
    }
    if (lane == 0) counts[row] = count;
}

void run_pack_nonzeros(Outcome& outcome) {
    const int rows = 301, columns = 210;
    auto numbers = values<int>(rows * columns, 13, 29);
    for (auto& v : numbers) v = v < 4 ? v : 0;
    std::vector<int> packed(rows * columns, -1), counts(rows);
    std::vector<unsigned short> places(rows * columns, 0xffff);
    for (int i = 0; i < rows * columns; ++i) {
        if (numbers[i] == 0) continue;
        const int row = i / columns, place = row * columns + counts[row]++;
        packed[place] = numbers[i];
        places[place] = static_cast<unsigned short>(i % columns);
    }
    const Array<int> dense(numbers), device_packed(rows * columns), device_counts(rows);
    const Array<unsigned short> device_places(rows * columns);
    pack_nonzeros<<<blocks_for(rows, 6), dim3(32, 6)>>>(dense, device_packed, device_places,
                                                        device_counts, rows, columns);
    outcome.equal(device_packed, packed);
    outcome.equal(device_places, places);
    outcome.equal(device_counts, counts);
}

// A thread sorts a column where it lies.
__global__ void comb_sort_columns(float* data, int rows, int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    int gap = rows;
    bool is_sorted = false;
    while (!is_sorted) {
        gap = gap > 1 ? gap * 10 / 13 : 1;
        is_sorted = gap == 1;
        for (int r = 0; r + gap < rows; ++r) {
            float low = data[r * columns + c], high = data[(r + gap) * columns + c];
            if (low > high) {
                data[r * columns + c] = high;
                data[(r + gap) * columns + c] = low;
                is_sorted = false;
            }
        }
    }
}

void run_comb_sort_columns(Outcome& outcome) {
    const int rows = 40, columns = 1003;
    auto numbers = values<float>(rows * columns, 10000, 31);
    const Array<float> data(numbers);
    comb_sort_columns<<<blocks_for(columns, 64), 64>>>(data, rows, columns);
    for (int c = 0; c < columns; ++c) {
        std::vector<float> column(rows);
        for (int r = 0; r < rows; ++r) column[r] = numbers[r * columns + c];
        std::sort(column.begin(), column.end());
        for (int r = 0; r < rows; ++r) numbers[r * columns + c] = column[r];
    }
    outcome.equal(data, numbers);
}

struct Card {
    short rank;
    signed char suit, deck;
};

__device__ bool goes_before(const Card& a, const Card& b) {
    if (a.suit != b.suit) return a.suit < b.suit;
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.deck < b.deck;
}

__global__ void sort_hands(const Card* in, Card* out, int hands) {
    int hand = blockIdx.x * blockDim.x + threadIdx.x;
    if (hand >= hands) return;
    Card cards[13];
    for (int k = 0; k < 13; ++k) cards[k] = in[hand * 13 + k];
    for (int k = 0; k < 13; ++k) {
        int least = k;
        for (int m = k + 1; m < 13; ++m) {
            if (goes_before(cards[m], cards[least])) least = m;
        }
        out[hand * 13 + k] = cards[least];
        cards[least] = cards[k];
    }
}

void run_sort_hands(Outcome& outcome) {
    const int hands = 2021;
    const auto numbers = values<int>(hands * 13, 104, 33);
    std::vector<Card> cards(hands * 13);
    for (int i = 0; i < hands * 13; ++i) {
        cards[i] = {static_cast<short>(numbers[i] % 13),
                    static_cast<signed char>(numbers[i] / 13 % 4),
                    static_cast<signed char>(numbers[i] / 52)};
    }
    const Array<Card> in(cards), out(hands * 13);
    sort_hands<<<blocks_for(hands, 100), 100>>>(in, out, hands);
    for (int hand = 0; hand < hands; ++hand) {
        std::sort(cards.begin() + hand * 13, cards.begin() + hand * 13 + 13,
                  [](const Card& a, const Card& b) {
                      return std::tie(a.suit, a.rank, a.deck) < std::tie(b.suit, b.rank, b.deck);
                  });
    }
    outcome.equal(out, cards);
}

// Counts of a digit for a radix sort, all blocks of a digit together.
__global__ void digit_counts(const unsigned* __restrict__ keys, int* counts, int n, int shift) {
    extern __shared__ unsigned short digit_counters[];
    int t = threadIdx.x;
    for (int d = 0; d < 16; ++d) digit_counters[d * 128 + t] = 0;
    for (int k = 0; k < 16; ++k) {
        int i = (blockIdx.x * 16 + k) * 128 + t;
        if (i < n) ++digit_counters[((keys[i] >> shift) & 15) * 128 + t];
    }
    __syncthreads();
    int digit = t / 8, part = t % 8, sum = 0;
    for (int k = 0; k < 16; ++k) sum += digit_counters[digit * 128 + k * 8 + part];
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(ALL_LANES, sum, d, 8);
    if (part == 0) counts[digit * gridDim.x + blockIdx.x] = sum;
}

void run_digit_counts(Outcome& outcome) {
    const int n = 81000, blocks = blocks_for(n, 2048), shift = 12;
    const auto numbers = values<unsigned>(n, 1u << 22, 35);
    std::vector<int> expected(16 * blocks);
    for (int i = 0; i < n; ++i) ++expected[(numbers[i] / 4096 % 16) * blocks + i / 2048];
    const Array<unsigned> keys(numbers);
    const Array<int> counts(16 * blocks);
    digit_counts<<<blocks, 128, 16 * 128 * sizeof(short)>>>(keys, counts, n, shift);
    outcome.equal(counts, expected);
}

struct Word {
    char letters[12];
};

__device__ bool is_less(const Word& a, const Word& b) {
    for (int k = 0; k < 12; ++k) {
        if (a.letters[k] != b.letters[k]) return a.letters[k] < b.letters[k];
    }
    return false;
}

__global__ void search_words(const Word* table, int entries, const Word* __restrict__ queries,
                             int* __restrict__ places, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Word query = queries[i];
    int low = 0, high = entries;
    while (low < high) {
        int middle = (low + high) / 2;
        if (is_less(table[middle], query)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    places[i] = low;
}

bool is_less_on_host(const Word& a, const Word& b) {
    return std::memcmp(a.letters, b.letters, sizeof(Word)) < 0;
}

std::vector<Word> make_words(int n, unsigned seed) {
    const auto letters = values<char>(n * 12, 5, seed);
    const auto lengths = values<int>(n, 9, seed + 1);
    std::vector<Word> words(n);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 12; ++k) {
            words[i].letters[k] =
                k < lengths[i] + 4 ? static_cast<char>('a' + letters[i * 12 + k]) : '\0';
        }
    }
    return words;
}

void run_search_words(Outcome& outcome) {
    const int entries = 3000, n = 5001;
    auto words = make_words(entries, 37);
    auto asked = make_words(n, 41);
    for (int i = 0; i < n; i += 3) asked[i] = words[i * 5 % entries];
    std::sort(words.begin(), words.end(), is_less_on_host);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const auto place = std::lower_bound(words.begin(), words.end(), asked[i], is_less_on_host);
        expected[i] = static_cast<int>(place - words.begin());
    }
    const Array<Word> table(words), queries(asked);
    const Array<int> places(n);
    search_words<<<blocks_for(n, 128), 128>>>(table, entries, queries, places, n);
    outcome.equal(places, expected);
}

// Keys before `low` are smaller than the query, `high` and what follows it are not.
__global__ void gallop_from_hints(const long long* __restrict__ keys, int size,
                                  const long long* queries, const int* hints, int* places, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long query = queries[i];
    int low = hints[i], high = low, step = 1;
    if (keys[low] < query) {
        high = low + 1;
        while (high < size && keys[high] < query) {
            low = high;
            high += step;
            step *= 2;
        }
        high = min(high, size);
    } else {
        low = high - 1;
        while (low >= 0 && keys[low] >= query) {
            high = low;
            low -= step;
            step *= 2;
        }
        low = max(low, -1);
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (keys[middle] < query) {
            low = middle;
        } else {
            high = middle;
        }
    }
    places[i] = high;
}

void run_gallop_from_hints(Outcome& outcome) {
    const int size = 50000, n = 20011;
    std::vector<long long> sorted(size), asked(n);
    const auto steps = values<int>(size, 1000, 43), picks = values<int>(n, 1 << 22, 44);
    const auto errors = values<int>(n, 400, 45);
    for (int i = 0; i < size; ++i) sorted[i] = (i > 0 ? sorted[i - 1] : -10000000) + steps[i];
    std::vector<int> guesses(n), expected(n);
    const long long range = sorted.back() - sorted.front() + 2;
    for (int i = 0; i < n; ++i) {
        asked[i] = sorted.front() - 1 + range * picks[i] / (1 << 22);
        const auto place = std::lower_bound(sorted.begin(), sorted.end(), asked[i]);
        expected[i] = static_cast<int>(place - sorted.begin());
        guesses[i] = std::min(size - 1, std::max(0, expected[i] + errors[i] - 200));
    }
    const Array<long long> keys(sorted), queries(asked);
    const Array<int> hints(guesses), places(n);
    gallop_from_hints<<<blocks_for(n, 192), 192>>>(keys, size, queries, hints, places, n);
    outcome.equal(places, expected);
}

__device__ bool is_member(const int* set, int size, int v) {
    int low = 0;
    while (size > 0) {
        int half = size / 2;
        if (set[low + half] == v) return true;
        if (set[low + half] < v) {
            low += half + 1;
            size -= half + 1;
        } else {
            size = half;
        }
    }
    return false;
}

// A block for each pair of sorted sets.
__global__ void sizes_of_intersections(const int* elements, const int* offsets, const int2* pairs,
                                       int* sizes) {
    int2 pair = pairs[blockIdx.x];
    int first = offsets[pair.x], n = offsets[pair.x + 1] - first;
    const int* other = elements + offsets[pair.y];
    int m = offsets[pair.y + 1] - offsets[pair.y], common = 0;
    for (int k = 0; k < n; k += blockDim.x) {
        int i = k + threadIdx.x;
        common += __syncthreads_count(i < n && is_member(other, m, elements[first + i]));
    }
    if (threadIdx.x == 0) sizes[blockIdx.x] = common;
}

void run_sizes_of_intersections(Outcome& outcome) {
    const int sets = 300, n = 500;
    const auto lengths = values<int>(sets, 151, 47), picks = values<int>(2 * n, sets, 48);
    std::vector<int> all, begins = {0};
    for (int s = 0; s < sets; ++s) {
        const auto steps = values<int>(lengths[s], 5, 100 + s);
        int v = 0;
        for (int step : steps) all.push_back(v += 1 + step);
        begins.push_back(static_cast<int>(all.size()));
    }
    std::vector<int2> chosen(n);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        chosen[i] = make_int2(picks[2 * i], picks[2 * i + 1]);
        const int a = chosen[i].x, b = chosen[i].y;
        for (int k = begins[a]; k < begins[a + 1]; ++k) {
            const auto end = all.begin() + begins[b + 1];
            expected[i] += std::find(all.begin() + begins[b], end, all[k]) != end ? 1 : 0;
        }
    }
    const Array<int> elements(all), offsets(begins), sizes(n);
    const Array<int2> pairs(chosen);
    sizes_of_intersections<<<n, 64>>>(elements, offsets, pairs, sizes);
    outcome.equal(sizes, expected);
}

__global__ void subtract_bitmaps(const ulonglong2* a, const ulonglong2* b, ulonglong2* difference,
                                 int* sizes) {
    __shared__ int counts[48];
    int t = threadIdx.x, i = blockIdx.x * 48 + t;
    ulonglong2 x = a[i], y = b[i];
    x.x &= ~y.x;
    x.y &= ~y.y;
    difference[i] = x;
    counts[t] = __popcll(x.x) + __popcll(x.y);
    __syncthreads();
    for (int half = 24; half >= 3; half /= 2) {
        if (t < half) counts[t] += counts[t + half];
        __syncthreads();
    }
    if (t == 0) sizes[blockIdx.x] = counts[0] + counts[1] + counts[2];
}

void run_subtract_bitmaps(Outcome& outcome) {
    const int sets = 250, words = sets * 96;
    std::vector<unsigned long long> x(words), y(words), expected(words);
    const auto seeds = values<unsigned>(2 * words, 1u << 22, 51);
    std::vector<int> expected_sizes(sets);
    for (int i = 0; i < words; ++i) {
        x[i] = (seeds[2 * i] + 1) * 0x9E3779B97F4A7C15ull;
        y[i] = (seeds[2 * i + 1] + 1) * 0xC2B2AE3D27D4EB4Full;
        for (int bit = 0; bit < 64; ++bit) {
            const bool is_in = (x[i] >> bit & 1) == 1 && (y[i] >> bit & 1) == 0;
            if (is_in) expected[i] |= 1ull << bit;
            expected_sizes[i / 96] += is_in ? 1 : 0;
        }
    }
    const Array<unsigned long long> a(x), b(y), difference(words);
    const Array<int> sizes(sets);
    subtract_bitmaps<<<sets, 48>>>(reinterpret_cast<const ulonglong2*>(a.data()),
                                   reinterpret_cast<const ulonglong2*>(b.data()),
                                   reinterpret_cast<ulonglong2*>(difference.data()), sizes);
    outcome.equal(difference, expected);
    outcome.equal(sizes, expected_sizes);
}

// A thread merges two sorted lists of at most nine elements.
__global__ void unions_of_lists(const short* a, const short* b, const int* lengths_a,
                                const int* lengths_b, short* out, unsigned char* sizes, int n) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n) return;
    int i = 0, j = 0, size = 0, count_a = lengths_a[s], count_b = lengths_b[s];
    while (i < count_a || j < count_b) {
        short v;
        if (j == count_b || (i < count_a && a[s * 9 + i] < b[s * 9 + j])) {
            v = a[s * 9 + i++];
        } else {
            v = b[s * 9 + j++];
            if (i < count_a && a[s * 9 + i] == v) ++i;
        }
        out[s * 18 + size++] = v;
    }
    sizes[s] = static_cast<unsigned char>(size);
}

void run_unions_of_lists(Outcome& outcome) {
    const int n = 3001;
    std::vector<short> lists[2];
    const auto steps = values<int>(2 * n * 9, 4, 53), lengths = values<int>(2 * n, 10, 54);
    const std::vector<int> lengths_a(lengths.begin(), lengths.begin() + n);
    const std::vector<int> lengths_b(lengths.begin() + n, lengths.end());
    for (int list = 0; list < 2; ++list) {
        lists[list].resize(n * 9);
        for (int i = 0; i < n * 9; ++i) {
            const int before = i % 9 > 0 ? lists[list][i - 1] : 0;
            lists[list][i] = static_cast<short>(before + 1 + steps[list * n * 9 + i]);
        }
    }
    std::vector<short> expected(n * 18, -1);
    std::vector<unsigned char> expected_sizes(n);
    for (int s = 0; s < n; ++s) {
        const auto a = lists[0].begin() + s * 9, b = lists[1].begin() + s * 9;
        const auto end =
            std::set_union(a, a + lengths_a[s], b, b + lengths_b[s], expected.begin() + s * 18);
        expected_sizes[s] = static_cast<unsigned char>(end - (expected.begin() + s * 18));
    }
    const Array<short> a(lists[0]), b(lists[1]), out(n * 18);
    const Array<int> counts_a(lengths_a), counts_b(lengths_b);
    const Array<unsigned char> sizes(n);
    unions_of_lists<<<blocks_for(n, 96), 96>>>(a, b, counts_a, counts_b, out, sizes, n);
    outcome.equal(out, expected);
    outcome.equal(sizes, expected_sizes);
}

}  // namespace

void add_more_reductions_scans(Launches& launches) {
    launches.add("sum_of_halves", run_sum_of_halves);
    launches.add("variance_of_rows", run_variance_of_rows);
    launches.add("argmin_of_columns", run_argmin_of_columns);
    launches.add("product_modulo", run_product_modulo);
    launches.add("check_sorted_rows", run_check_sorted_rows);
    launches.add("best_player_of_block", run_best_player_of_block);
    launches.add("scan_of_bytes", run_scan_of_bytes);
    launches.add("scan_with_carry", run_scan_with_carry);
    launches.add("suffix_maxima", run_suffix_maxima);
    launches.add("add_tile_offsets", run_add_tile_offsets);
    launches.add("histogram_in_bytes", run_histogram_in_bytes);
    launches.add("histogram_of_bit_lengths", run_histogram_of_bit_lengths);
    launches.add("partition_by_sign", run_partition_by_sign);
    launches.add("pack_nonzeros", run_pack_nonzeros);
    launches.add("comb_sort_columns", run_comb_sort_columns);
    launches.add("sort_hands", run_sort_hands);
    launches.add("digit_counts", run_digit_counts);
    launches.add("search_words", run_search_words);
    launches.add("gallop_from_hints", run_gallop_from_hints);
    launches.add("sizes_of_intersections", run_sizes_of_intersections);
    launches.add("subtract_bitmaps", run_subtract_bitmaps);
    launches.add("unions_of_lists", run_unions_of_lists);
}

}  // namespace ordinary
