// Sorts, searches and strings.
#include <map>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

// Pairs of key and value, sorted by key.
__global__ void bitonic_pairs(uint2* pairs) {
    __shared__ uint2 s[512];
    uint2* mine = pairs + blockIdx.x * 512;
    for (int i = threadIdx.x; i < 512; i += 256) s[i] = mine[i];
    for (int size = 2; size <= 512; size <<= 1) {
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            int lower = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool up = (lower & size) == 0;
            uint2 a = s[lower], b = s[lower + stride];
            if ((a.x > b.x) == up) {
                s[lower] = b;
                s[lower + stride] = a;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += 256) mine[i] = s[i];
}

// Each thread finds its part of the merged sequence by the diagonal of the merge path, then merges it.
__global__ void merge_path(const int* a, int na, const int* b, int nb, int* out, int part) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int diagonal = thread * part;
    if (diagonal >= na + nb) return;
    int low = max(0, diagonal - nb), high = min(diagonal, na);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    int i = low, j = diagonal - low;
    for (int k = 0; k < part && diagonal + k < na + nb; ++k) {
        bool from_a = j >= nb || (i < na && a[i] <= b[j]);
        out[diagonal + k] = from_a ? a[i++] : b[j++];
    }
}

__global__ void counting_sort(const unsigned char* in, unsigned char* out, int n) {
    __shared__ int count[256], start[256];
    int t = threadIdx.x;
    count[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256) atomicAdd(&count[in[blockIdx.x * n + i]], 1);
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int v = 0; v < 256; ++v) {
            start[v] = sum;
            sum += count[v];
        }
    }
    __syncthreads();
    for (int k = 0; k < count[t]; ++k) out[blockIdx.x * n + start[t] + k] = t;
}

// A heap of the largest five, in an array of the thread.
__global__ void top_five(const float* in, float* out, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float heap[5];
    for (int i = 0; i < 5; ++i) heap[i] = -1.0f;
    for (int c = 0; c < columns; ++c) {
        float v = in[c * rows + row];
        if (v <= heap[0]) continue;
        int i = 0;
        while (true) {
            int child = 2 * i + 1;
            if (child >= 5) break;
            if (child + 1 < 5 && heap[child + 1] < heap[child]) ++child;
            if (heap[child] >= v) break;
            heap[i] = heap[child];
            i = child;
        }
        heap[i] = v;
    }
    for (int i = 0; i < 5; ++i) out[i * rows + row] = heap[i];
}

__global__ void shell_sort_rows(const short* in, short* out, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    short v[24];
    for (int i = 0; i < columns; ++i) v[i] = in[row * columns + i];
    for (int gap = columns / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < columns; ++i) {
            short x = v[i];
            int j = i;
            for (; j >= gap && v[j - gap] > x; j -= gap) v[j] = v[j - gap];
            v[j] = x;
        }
    }
    for (int i = 0; i < columns; ++i) out[row * columns + i] = v[i];
}

__global__ void upper_bounds(const float* __restrict__ sorted, int n,
                             const float* __restrict__ keys, int* found, int queries) {
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < queries; q += gridDim.x * blockDim.x) {
        float key = __ldg(keys + q);
        int first = 0, count = n;
        while (count > 0) {
            int step = count / 2;
            if (!(key < __ldg(sorted + first + step))) {
                first += step + 1;
                count -= step + 1;
            } else {
                count = step;
            }
        }
        found[q] = first;
    }
}

__constant__ int failure[16];
__constant__ char pattern[16];

// Knuth, Morris and Pratt, a piece of the text a thread.
__global__ void count_matches(const char* text, int n, int length, int piece, int* matches) {
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
    if (begin >= n) return;
    int end = min(begin + piece + length - 1, n);
    int state = 0, found = 0;
    for (int i = begin; i < end; ++i) {
        char c = text[i];
        while (state > 0 && pattern[state] != c) state = failure[state - 1];
        if (pattern[state] == c) ++state;
        if (state == length) {
            ++found;
            state = failure[state - 1];
        }
    }
    if (found) atomicAdd(matches, found);
}

// Edit distance of two strings along the diagonals of the table, a block.
__global__ void edit_distance_diagonals(const char* a, const char* b, int n, int* distance) {
    extern __shared__ int diagonals[];
    int *d0 = diagonals, *d1 = d0 + n + 1, *d2 = d1 + n + 1;
    for (int d = 0; d <= 2 * n; ++d) {
        for (int i = threadIdx.x; i <= n; i += blockDim.x) {
            int j = d - i;
            if (j < 0 || j > n) continue;
            int v;
            if (i == 0 || j == 0) {
                v = i + j;
            } else {
                int change = d0[i - 1] + (a[blockIdx.x * n + i - 1] != b[blockIdx.x * n + j - 1]);
                v = min(change, min(d1[i - 1], d1[i]) + 1);
            }
            d2[i] = v;
        }
        __syncthreads();
        int* old = d0;
        d0 = d1;
        d1 = d2;
        d2 = old;
    }
    if (threadIdx.x == 0) distance[blockIdx.x] = d1[n];
}

// A binary tree in the order of Eytzinger: the children of k are 2k and 2k + 1.
__global__ void eytzinger(const int* tree, int n, const int* keys, int* found, int queries) {
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= queries) return;
    int k = 1, key = keys[q];
    while (k <= n) k = 2 * k + (tree[k] < key);
    k >>= __ffs(~k);
    found[q] = k == 0 ? -1 : tree[k];
}

// One pass of a radix sort by one bit, the order kept, a block.
__global__ void split_by_bit(const unsigned* in, unsigned* out, int bit) {
    __shared__ int zeros_of_warp[8];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    unsigned v = in[blockIdx.x * 256 + t];
    bool is_zero = !(v >> bit & 1);
    unsigned zeros = __ballot_sync(0xffffffffu, is_zero);
    if (lane == 0) zeros_of_warp[warp] = __popc(zeros);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < 8; ++w) {
        if (w < warp) before += zeros_of_warp[w];
        all += zeros_of_warp[w];
    }
    int rank = before + __popc(zeros & ((1u << lane) - 1));
    int place = is_zero ? rank : all + t - rank;
    out[blockIdx.x * 256 + place] = v;
}

__global__ void run_heads(const int* in, int* is_head, int* lengths, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool head = i == 0 || in[i] != in[i - 1];
    is_head[i] = head;
    int length = 0;
    if (head) {
        do {
            ++length;
        } while (i + length < n && in[i + length] == in[i]);
    }
    lengths[i] = length;
}

__global__ void reverse_words(char* text, const int* starts, int words) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    int i = starts[w], j = starts[w + 1] - 1;
    while (i < j) {
        char c = text[i];
        text[i++] = text[j];
        text[j--] = c;
    }
}

void copy_pattern(const std::string& word) {
    std::vector<int> back(16);
    for (int i = 1, k = 0; i < static_cast<int>(word.size()); ++i) {
        while (k > 0 && word[k] != word[i]) k = back[k - 1];
        if (word[k] == word[i]) ++k;
        back[i] = k;
    }
    check(cudaMemcpyToSymbol(failure, back.data(), sizeof failure));
    check(cudaMemcpyToSymbol(pattern, word.c_str(), word.size() + 1));
}

int edits(const char* a, const char* b, int n) {
    std::vector<int> row(n + 1);
    for (int j = 0; j <= n; ++j) row[j] = j;
    for (int i = 1; i <= n; ++i) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= n; ++j) {
            int change = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            row[j] = std::min(change, std::min(row[j], row[j - 1]) + 1);
        }
    }
    return row[n];
}

void add_searches(Launches& launches) {
    launches.add("upper_bounds", [](Outcome& outcome) {
        auto sorted = values<float>(3001, 5000), keys = values<float>(2000, 5000, 2);
        std::sort(sorted.begin(), sorted.end());
        Array<float> ds(sorted), dk(keys);
        Array<int> found(2000);
        upper_bounds<<<5, 128>>>(ds, 3001, dk, found, 2000);
        std::vector<int> expected;
        for (float k : keys) {
            expected.push_back(static_cast<int>(std::upper_bound(sorted.begin(), sorted.end(), k) -
                                                sorted.begin()));
        }
        outcome.equal(found, expected);
    });
    launches.add("count_matches", [](Outcome& outcome) {
        auto letters = values<char>(20000, 2);
        for (char& c : letters) c = static_cast<char>('a' + c);
        std::string word = "abaababa", text(letters.begin(), letters.end());
        copy_pattern(word);
        Array<char> d(letters);
        Array<int> matches(1, 0);
        count_matches<<<4, 64>>>(d, 20000, 8, 100, matches);
        int expected = 0;
        for (auto p = text.find(word); p != text.npos; p = text.find(word, p + 1)) ++expected;
        outcome.equal(matches, std::vector<int>{expected});
    });
    launches.add("edit_distance_diagonals", [](Outcome& outcome) {
        auto a = values<char>(3 * 60, 4), b = values<char>(3 * 60, 4, 2);
        Array<char> da(a), db(b);
        Array<int> distance(3);
        edit_distance_diagonals<<<3, 64, 3 * 61 * sizeof(int)>>>(da, db, 60, distance);
        std::vector<int> expected;
        for (int i = 0; i < 3; ++i) expected.push_back(edits(&a[i * 60], &b[i * 60], 60));
        outcome.equal(distance, expected);
    });
    launches.add("eytzinger", [](Outcome& outcome) {
        std::vector<int> sorted, tree(512);
        for (int i = 0; i < 511; ++i) sorted.push_back(3 * i + 1);
        int next = 0;
        std::function<void(int)> fill = [&](int k) {
            if (k > 511) return;
            fill(2 * k);
            tree[k] = sorted[next++];
            fill(2 * k + 1);
        };
        fill(1);
        auto keys = values<int>(700, 1600);
        Array<int> dt(tree), dk(keys), found(700);
        eytzinger<<<6, 128>>>(dt, 511, dk, found, 700);
        std::vector<int> expected;
        for (int key : keys) {
            auto at = std::lower_bound(sorted.begin(), sorted.end(), key);
            expected.push_back(at == sorted.end() ? -1 : *at);
        }
        outcome.equal(found, expected);
    });
    launches.add("run_heads", [](Outcome& outcome) {
        auto in = values<int>(3000, 2);
        Array<int> d(in), heads(3000), lengths(3000);
        run_heads<<<12, 256>>>(d, heads, lengths, 3000);
        std::vector<int> head(3000), length(3000);
        for (int i = 2999; i >= 0; --i) {
            head[i] = i == 0 || in[i] != in[i - 1];
            int run = 1;
            while (i + run < 3000 && in[i + run] == in[i]) ++run;
            length[i] = head[i] ? run : 0;
        }
        outcome.equal(heads, head);
        outcome.equal(lengths, length);
    });
    launches.add("reverse_words", [](Outcome& outcome) {
        auto text = values<char>(5000, 26);
        auto lengths = values<int>(600, 15);
        std::vector<int> starts = {0};
        for (int l : lengths) starts.push_back(std::min(5000, starts.back() + l));
        Array<char> d(text);
        Array<int> ds(starts);
        reverse_words<<<5, 128>>>(d, ds, 600);
        for (int w = 0; w < 600; ++w) {
            std::reverse(text.begin() + starts[w], text.begin() + starts[w + 1]);
        }
        outcome.equal(d, text);
    });
}

}  // namespace

void add_sorting_searching(Launches& launches) {
    launches.add("bitonic_pairs", [](Outcome& outcome) {
        auto keys = values<unsigned>(3 * 512, 1 << 23);
        std::vector<uint2> pairs;
        for (unsigned k : keys)
            pairs.push_back({k * 2048 + static_cast<unsigned>(pairs.size()), k});
        Array<uint2> d(pairs);
        bitonic_pairs<<<3, 256>>>(d);
        for (int b = 0; b < 3; ++b) {
            std::sort(pairs.begin() + b * 512, pairs.begin() + (b + 1) * 512,
                      [](uint2 l, uint2 r) { return l.x < r.x; });
        }
        outcome.equal(d, pairs);
    });
    launches.add("merge_path", [](Outcome& outcome) {
        auto a = values<int>(2000, 9000), b = values<int>(1500, 9000, 2);
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        Array<int> da(a), db(b), out(3500);
        merge_path<<<7, 64>>>(da, 2000, db, 1500, out, 8);
        std::vector<int> expected(3500);
        std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
        outcome.equal(out, expected);
    });
    launches.add("counting_sort", [](Outcome& outcome) {
        auto in = values<unsigned char>(3 * 1500, 256);
        Array<unsigned char> d(in), out(in.size());
        counting_sort<<<3, 256>>>(d, out, 1500);
        for (int b = 0; b < 3; ++b) std::sort(in.begin() + b * 1500, in.begin() + (b + 1) * 1500);
        outcome.equal(out, in);
    });
    launches.add("top_five", [](Outcome& outcome) {
        auto in = values<float>(300 * 64, 1 << 20);
        Array<float> d(in), out(300 * 5);
        top_five<<<3, 128>>>(d, out, 300, 64);
        // A heap of five: compared as sorted rows.
        auto heaps = out.to_host();
        std::vector<float> sorted(1500), expected(1500);
        for (int r = 0; r < 300; ++r) {
            std::vector<float> row, heap;
            for (int c = 0; c < 64; ++c) row.push_back(in[c * 300 + r]);
            for (int i = 0; i < 5; ++i) heap.push_back(heaps[i * 300 + r]);
            std::sort(row.rbegin(), row.rend());
            std::sort(heap.rbegin(), heap.rend());
            for (int i = 0; i < 5; ++i) {
                expected[r * 5 + i] = row[i];
                sorted[r * 5 + i] = heap[i];
            }
        }
        outcome.equal(Array<float>(sorted), expected);
    });
    launches.add("shell_sort_rows", [](Outcome& outcome) {
        auto in = values<short>(128 * 21, 1000);
        Array<short> d(in), out(in.size());
        shell_sort_rows<<<2, 64>>>(d, out, 21);
        for (int r = 0; r < 128; ++r) std::sort(in.begin() + r * 21, in.begin() + (r + 1) * 21);
        outcome.equal(out, in);
    });
    launches.add("split_by_bit", [](Outcome& outcome) {
        auto in = values<unsigned>(1024, 1 << 20);
        Array<unsigned> d(in), out(1024);
        split_by_bit<<<4, 256>>>(d, out, 3);
        for (int b = 0; b < 4; ++b) {
            std::stable_partition(in.begin() + b * 256, in.begin() + (b + 1) * 256,
                                  [](unsigned v) { return !(v >> 3 & 1); });
        }
        outcome.equal(out, in);
    });
    add_searches(launches);
}

}  // namespace ordinary
