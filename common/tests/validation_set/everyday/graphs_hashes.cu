// Graphs, hash tables, checksums, unions of sets.
#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

__global__ void floyd_warshall_step(int* distance, int n, int k) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n) return;
    int through = distance[i * n + k] + distance[k * n + j];
    if (through < distance[i * n + j]) distance[i * n + j] = through;
}

// All steps for one tile, in shared memory.
__global__ void floyd_warshall_tile(int* distance) {
    __shared__ int tile[32][32];
    int i = threadIdx.y, j = threadIdx.x, base = blockIdx.x * 1024;
    tile[i][j] = distance[base + i * 32 + j];
    for (int k = 0; k < 32; ++k) {
        __syncthreads();
        int through = tile[i][k] + tile[k][j];
        if (through < tile[i][j]) tile[i][j] = through;
    }
    distance[base + i * 32 + j] = tile[i][j];
}

struct Edge {
    int from, to, weight;
};

__global__ void relax_edges(const Edge* edges, int n, const int* before, int* after) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Edge e = edges[i];
    int d = before[e.from];
    if (d != INT_MAX) atomicMin(&after[e.to], d + e.weight);
}

__global__ void smallest_label(const int* starts, const int* neighbours, const int* labels,
                               int* next, int* changed, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int label = labels[v];
    for (int k = starts[v]; k < starts[v + 1]; ++k) label = min(label, labels[neighbours[k]]);
    next[v] = label;
    if (label != labels[v]) *changed = 1;
}

__global__ void push_ranks(const int* starts, const int* neighbours, const int* ranks, int* next,
                           int n) {
    int v = blockIdx.x;
    int first = starts[v], degree = starts[v + 1] - first;
    if (degree == 0) return;
    int share = ranks[v] / degree;
    for (int k = threadIdx.x; k < degree; k += blockDim.x)
        atomicAdd(&next[neighbours[first + k]], share);
}

// Common neighbours of both ends of each edge, by merging sorted lists.
__global__ void count_triangles(const int2* edges, int m, const int* starts, const int* neighbours,
                                unsigned long long* total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int2 e = edges[i];
    int a = starts[e.x], end_a = starts[e.x + 1], b = starts[e.y], end_b = starts[e.y + 1];
    unsigned found = 0;
    while (a < end_a && b < end_b) {
        int u = neighbours[a], v = neighbours[b];
        if (u == v) {
            ++found;
            ++a;
            ++b;
        } else if (u < v) {
            ++a;
        } else {
            ++b;
        }
    }
    if (found) atomicAdd(total, static_cast<unsigned long long>(found));
}

__global__ void jump_to_roots(int* parents, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int p = i;
    while (parents[p] != p) p = parents[p];
    parents[n + i] = p;
}

__host__ __device__ unsigned mix(unsigned h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

struct Slot {
    unsigned key, value;
};

__global__ void look_up(const Slot* table, unsigned mask, const unsigned* keys, unsigned* found,
                        int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], at = mix(key) & mask;
    unsigned value = ~0u;
    while (true) {
        Slot s = table[at];
        if (s.key == key) {
            value = s.value;
            break;
        }
        if (s.key == ~0u) break;
        at = (at + 1) & mask;
    }
    found[i] = value;
}

__global__ void look_up_cuckoo(const unsigned long long* table, unsigned size, const unsigned* keys,
                               unsigned* found, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned key = keys[i], h = mix(key);
        unsigned long long slot = table[h % size];
        if (static_cast<unsigned>(slot >> 32) != key) slot = table[size + mix(h + 1) % size];
        found[i] = static_cast<unsigned>(slot >> 32) == key ? static_cast<unsigned>(slot) : 0;
    }
}

__global__ void bloom_insert(unsigned* bits, unsigned mask, const unsigned* keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = mix(keys[i]), step = mix(h) | 1;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        unsigned bit = (h + k * step) & mask;
        atomicOr(&bits[bit / 32], 1u << bit % 32);
    }
}

__constant__ unsigned crc_table[256];

__global__ void crc_of_rows(const unsigned char* data, unsigned* crc, int rows, int length) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    unsigned c = ~0u;
    for (int i = 0; i < length; ++i) c = crc_table[(c ^ data[r * length + i]) & 255] ^ c >> 8;
    crc[r] = ~c;
}

// A queue's tail in shared memory; the block's share of the output reserved by one atomic.
__global__ void degree_histogram(const int* starts, int n, int* histogram) {
    __shared__ int bins[32];
    if (threadIdx.x < 32) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        atomicAdd_block(&bins[min(31, starts[v + 1] - starts[v])], 1);
    }
    __syncthreads();
    if (threadIdx.x < 32 && bins[threadIdx.x])
        atomicAdd(&histogram[threadIdx.x], bins[threadIdx.x]);
}

struct Graph {
    std::vector<int> starts{0}, neighbours;
    std::vector<int2> edges;
};

Graph graph(int n, int edges) {
    auto ends = values<int>(2 * edges, n, 4);
    std::vector<std::vector<int>> lists(n);
    for (int i = 0; i < edges; ++i) {
        int a = ends[2 * i] * ends[2 * i] / n, b = ends[2 * i + 1];
        if (a == b || std::count(lists[a].begin(), lists[a].end(), b)) continue;
        lists[a].push_back(b);
        lists[b].push_back(a);
    }
    Graph g;
    for (int v = 0; v < n; ++v) {
        std::sort(lists[v].begin(), lists[v].end());
        for (int u : lists[v]) {
            g.neighbours.push_back(u);
            if (v < u) g.edges.push_back({v, u});
        }
        g.starts.push_back(static_cast<int>(g.neighbours.size()));
    }
    return g;
}

void floyd_warshall(int* distance, int n, int k) {
    for (int i = 0; i < n * n; ++i) {
        distance[i] = std::min(distance[i], distance[i / n * n + k] + distance[k * n + i % n]);
    }
}

void add_paths(Launches& launches) {
    launches.add("floyd_warshall_step", [](Outcome& outcome) {
        auto distance = values<int>(100 * 100, 1000);
        for (int i = 0; i < 100; ++i) distance[i * 101] = 0;
        Array<int> d(distance);
        floyd_warshall_step<<<dim3(7, 13), dim3(16, 8)>>>(d, 100, 17);
        floyd_warshall(distance.data(), 100, 17);
        outcome.equal(d, distance);
    });
    launches.add("floyd_warshall_tile", [](Outcome& outcome) {
        auto distance = values<int>(3 * 1024, 1000);
        for (int i = 0; i < 96; ++i) distance[i / 32 * 1024 + i % 32 * 33] = 0;
        Array<int> d(distance);
        floyd_warshall_tile<<<3, dim3(32, 32)>>>(d);
        for (int i = 0; i < 96; ++i) floyd_warshall(&distance[i / 32 * 1024], 32, i % 32);
        outcome.equal(d, distance);
    });
    launches.add("relax_edges", [](Outcome& outcome) {
        auto numbers = values<int>(3 * 3000, 500);
        std::vector<Edge> edges;
        for (int i = 0; i < 3000; ++i)
            edges.push_back({numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]});
        auto before = values<int>(500, 400, 2);
        for (int& d : before) d = d > 200 ? INT_MAX : d;
        auto after = before;
        Array<Edge> de(edges);
        Array<int> db(before), da(before);
        relax_edges<<<12, 256>>>(de, 3000, db, da);
        for (Edge e : edges) {
            if (before[e.from] != INT_MAX)
                after[e.to] = std::min(after[e.to], before[e.from] + e.weight);
        }
        outcome.equal(da, after);
    });
    launches.add("smallest_label", [](Outcome& outcome) {
        Graph g = graph(600, 1500);
        auto labels = values<int>(600, 600, 7);
        Array<int> starts(g.starts), neighbours(g.neighbours), d(labels), next(600), changed(1, 0);
        smallest_label<<<5, 128>>>(starts, neighbours, d, next, changed, 600);
        auto expected = labels;
        for (int2 e : g.edges) {
            expected[e.x] = std::min(expected[e.x], labels[e.y]);
            expected[e.y] = std::min(expected[e.y], labels[e.x]);
        }
        outcome.equal(next, expected);
        outcome.equal(changed, std::vector<int>{1});
    });
    launches.add("push_ranks", [](Outcome& outcome) {
        Graph g = graph(150, 1200);
        auto ranks = values<int>(150, 1 << 16, 7);
        Array<int> starts(g.starts), neighbours(g.neighbours), d(ranks), next(150, 0);
        push_ranks<<<150, 32>>>(starts, neighbours, d, next, 150);
        std::vector<int> expected(150);
        for (int v = 0; v < 150; ++v) {
            for (int k = g.starts[v]; k < g.starts[v + 1]; ++k) {
                expected[g.neighbours[k]] += ranks[v] / (g.starts[v + 1] - g.starts[v]);
            }
        }
        outcome.equal(next, expected);
    });
}

}  // namespace

void add_graphs_hashes(Launches& launches) {
    add_paths(launches);
    launches.add("count_triangles", [](Outcome& outcome) {
        Graph g = graph(120, 1500);
        Array<int> starts(g.starts), neighbours(g.neighbours);
        Array<int2> edges(g.edges);
        Array<unsigned long long> total(1, 0);
        int m = static_cast<int>(g.edges.size());
        count_triangles<<<(m + 127) / 128, 128>>>(edges, m, starts, neighbours, total);
        unsigned long long expected = 0;
        for (int2 e : g.edges) {
            for (int k = g.starts[e.x]; k < g.starts[e.x + 1]; ++k) {
                auto first = g.neighbours.begin() + g.starts[e.y],
                     last = g.neighbours.begin() + g.starts[e.y + 1];
                expected += std::count(first, last, g.neighbours[k]);
            }
        }
        outcome.equal(total, std::vector<unsigned long long>{expected});
    });
    launches.add("jump_to_roots", [](Outcome& outcome) {
        auto random = values<int>(1000, 1 << 20);
        std::vector<int> parents(2000), roots(2000);
        for (int i = 0; i < 1000; ++i) parents[i] = i % 40 == 0 ? i : i - 1 - random[i] % (i % 40);
        Array<int> d(parents);
        jump_to_roots<<<8, 128>>>(d, 1000);
        for (int i = 0; i < 1000; ++i) {
            roots[i] = parents[i];
            roots[1000 + i] = i / 40 * 40;
        }
        outcome.equal(d, roots);
    });
    launches.add("look_up", [](Outcome& outcome) {
        std::vector<Slot> table(1024, {~0u, 0});
        for (unsigned k = 0; k < 700; ++k) {
            unsigned at = mix(k * 3) & 1023;
            while (table[at].key != ~0u) at = (at + 1) & 1023;
            table[at] = {k * 3, k + 7};
        }
        auto keys = values<unsigned>(1500, 2100);
        Array<Slot> d(table);
        Array<unsigned> dk(keys), found(1500);
        look_up<<<12, 128>>>(d, 1023, dk, found, 1500);
        std::vector<unsigned> expected;
        for (unsigned k : keys) expected.push_back(k % 3 == 0 ? k / 3 + 7 : ~0u);
        outcome.equal(found, expected);
    });
    launches.add("look_up_cuckoo", [](Outcome& outcome) {
        const unsigned size = 1009;
        std::vector<unsigned long long> table(2 * size);
        std::vector<unsigned> kept(3000);
        for (unsigned k = 1; k < 1200; ++k) {
            unsigned h = mix(k), places[2] = {h % size, size + mix(h + 1) % size};
            for (unsigned at : places) {
                if (table[at] || kept[k]) continue;
                table[at] = static_cast<unsigned long long>(k) << 32 | (k * 5);
                kept[k] = k * 5;
            }
        }
        auto keys = values<unsigned>(2000, 2400);
        for (unsigned& k : keys) ++k;
        Array<unsigned long long> d(table);
        Array<unsigned> dk(keys), found(2000);
        look_up_cuckoo<<<4, 128>>>(d, size, dk, found, 2000);
        std::vector<unsigned> expected;
        for (unsigned k : keys) expected.push_back(kept[k]);
        outcome.equal(found, expected);
    });
    launches.add("bloom_insert", [](Outcome& outcome) {
        auto keys = values<unsigned>(1000, 1 << 22);
        Array<unsigned> dk(keys), bits(512, 0);
        bloom_insert<<<8, 128>>>(bits, 512 * 32 - 1, dk, 1000);
        std::vector<unsigned> expected(512);
        for (unsigned key : keys) {
            unsigned h = mix(key), step = mix(h) | 1;
            for (int k = 0; k < 3; ++k) {
                unsigned bit = (h + k * step) & (512 * 32 - 1);
                expected[bit / 32] |= 1u << bit % 32;
            }
        }
        outcome.equal(bits, expected);
    });
    launches.add("crc_of_rows", [](Outcome& outcome) {
        std::vector<unsigned> table, expected;
        for (unsigned i = 0; i < 256; ++i) {
            unsigned c = i;
            for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
            table.push_back(c);
        }
        check(cudaMemcpyToSymbol(crc_table, table.data(), sizeof crc_table));
        auto data = values<unsigned char>(300 * 37, 256);
        Array<unsigned char> d(data);
        Array<unsigned> crc(300);
        crc_of_rows<<<5, 64>>>(d, crc, 300, 37);
        for (int r = 0; r < 300; ++r) {
            unsigned c = ~0u;
            for (int i = 0; i < 37; ++i) c = table[(c ^ data[r * 37 + i]) & 255] ^ c >> 8;
            expected.push_back(~c);
        }
        outcome.equal(crc, expected);
    });
    launches.add("degree_histogram", [](Outcome& outcome) {
        Graph g = graph(700, 3000);
        Array<int> starts(g.starts), histogram(32, 0);
        degree_histogram<<<2, 160>>>(starts, 700, histogram);
        std::vector<int> expected(32);
        for (int v = 0; v < 700; ++v) ++expected[std::min(31, g.starts[v + 1] - g.starts[v])];
        outcome.equal(histogram, expected);
    });
}

}  // namespace ordinary
