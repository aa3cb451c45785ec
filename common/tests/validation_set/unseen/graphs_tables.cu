// Graphs, hash tables, sketches and search trees.
#include <cooperative_groups.h>

#include <map>
#include <numeric>
#include <set>

#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

namespace cg = cooperative_groups;

// All levels in one launch: who is not reached looks for a neighbour on the last level.
__global__ void bfs_in_grid(const int* offsets, const int* neighbours, int* levels, int* reached,
                            int n) {
    auto grid = cg::this_grid();
    for (int level = 0;; ++level) {
        for (int v = static_cast<int>(grid.thread_rank()); v < n;
             v += static_cast<int>(grid.size())) {
            if (levels[v] >= 0) continue;
            for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
                if (levels[neighbours[e]] != level) continue;
                levels[v] = level + 1;
                atomicAdd(&reached[level], 1);
                break;
            }
        }
        grid.sync();
        if (reached[level] == 0) return;
    }
}

__global__ void page_ranks(const int* offsets, const int* neighbours, float* ranks, int n,
                           int iterations) {
    extern __shared__ float rank[];
    float *now = rank, *next = rank + n;
    for (int v = threadIdx.x; v < n; v += blockDim.x) now[v] = 1.0f / n;
    for (int i = 0; i < iterations; ++i) {
        __syncthreads();
        for (int v = threadIdx.x; v < n; v += blockDim.x) {
            float sum = 0.0f;
            for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
                int u = neighbours[e];
                sum += now[u] / (offsets[u + 1] - offsets[u]);
            }
            next[v] = 0.15f / n + 0.85f * sum;
        }
        __syncthreads();
        float* t = now;
        now = next;
        next = t;
    }
    for (int v = threadIdx.x; v < n; v += blockDim.x) ranks[v] = now[v];
}

// The smallest number of each component; a vertex a thread.
__global__ void components(const int* offsets, const int* neighbours, int* labels, int n) {
    __shared__ int label[2][512];
    int v = threadIdx.x, now = 0, mine = v;
    label[0][v] = v;
    bool is_changed;
    do {
        __syncthreads();
        int best = mine;
        if (v < n) {
            for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
                best = min(best, label[now][neighbours[e]]);
            }
            best = min(best, label[now][best]);
        }
        is_changed = best != mine;
        mine = best;
        now = 1 - now;
        label[now][v] = mine;
    } while (__syncthreads_or(is_changed));
    if (v < n) labels[v] = mine;
}

// A small graph a thread: union by find with path halving in local memory.
__global__ void disjoint_sets(const uchar2* edges, int* sets, int graphs, int edges_each) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= graphs) return;
    unsigned char parent[20];
    for (int v = 0; v < 20; ++v) parent[v] = static_cast<unsigned char>(v);
    auto find = [&](int v) {
        while (parent[v] != v) {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        return v;
    };
    int count = 20;
    for (int e = 0; e < edges_each; ++e) {
        uchar2 edge = edges[e * graphs + g];
        int a = find(edge.x), b = find(edge.y);
        if (a == b) continue;
        parent[max(a, b)] = static_cast<unsigned char>(min(a, b));
        --count;
    }
    sets[g] = count;
}

struct Edge {  // 12 bytes
    int from, to, weight;
};

// Boruvka: the cheapest edge that leaves each component.
__global__ void cheapest_edges(const Edge* edges, const int* component, unsigned long long* best,
                               int n) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    Edge edge = edges[e];
    int a = component[edge.from], b = component[edge.to];
    if (a == b) return;
    auto packed = static_cast<unsigned long long>(edge.weight) << 32 | static_cast<unsigned>(e);
    atomicMin(&best[a], packed);
    atomicMin(&best[b], packed);
}

// All rounds in one block, from one array of distances to the other.
__global__ void shortest_paths(const int* offsets, const int* neighbours,
                               const unsigned short* weights, int* distances, int n) {
    extern __shared__ int distance[];
    int now = 0, v = threadIdx.x, mine = v == static_cast<int>(blockIdx.x) ? 0 : 1 << 29;
    if (v < n) distance[v] = mine;
    bool is_changed;
    do {
        __syncthreads();
        int before = mine;
        if (v < n) {
            for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
                mine = min(mine, distance[now * n + neighbours[e]] + weights[e]);
            }
        }
        is_changed = mine < before;
        now = 1 - now;
        if (v < n) distance[now * n + v] = mine;
    } while (__syncthreads_or(is_changed));
    if (v < n) distances[blockIdx.x * n + v] = mine;
}

// Who has the highest number among neighbours without a colour takes the first free one.
__global__ void colour_graph(const int* offsets, const int* neighbours, int* colours, int n) {
    __shared__ int colour[320];
    int v = threadIdx.x, mine = -1;
    colour[v] = -1;
    bool is_open;
    do {
        __syncthreads();
        if (v < n && mine < 0) {
            unsigned long long used = 0;
            bool is_highest = true;
            for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
                int u = neighbours[e];
                if (colour[u] >= 0) {
                    used |= 1ull << colour[u];
                } else if (pcg_hash(u) > pcg_hash(v)) {
                    is_highest = false;
                    break;
                }
            }
            if (is_highest) mine = __ffsll(static_cast<long long>(~used)) - 1;
        }
        __syncthreads();
        colour[v] = mine;
        is_open = v < n && mine < 0;
    } while (__syncthreads_or(is_open));
    if (v < n) colours[v] = mine;
}

// What the neighbours at both ends of an edge have in common.
__global__ void jaccard(const Edge* edges, const int* offsets, const int* neighbours,
                        float* similar, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = offsets[edges[i].from], last_a = offsets[edges[i].from + 1];
    int b = offsets[edges[i].to], last_b = offsets[edges[i].to + 1];
    int all = last_a - a + last_b - b, both = 0;
    while (a < last_a && b < last_b) {
        int u = neighbours[a], v = neighbours[b];
        both += u == v;
        a += u <= v;
        b += v <= u;
    }
    similar[i] = static_cast<float>(both) / (all - both);
}

__global__ void common_neighbours(const uint4* bits, unsigned char* counts, int n) {
    int u = blockIdx.y, v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int count = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        uint4 a = bits[2 * u + half], b = bits[2 * v + half];
        count += __popc(a.x & b.x) + __popc(a.y & b.y) + __popc(a.z & b.z) + __popc(a.w & b.w);
    }
    counts[u * n + v] = static_cast<unsigned char>(count);
}

constexpr unsigned long long FREE_SLOT = ~0ull;

// Open addressing; key and value in one word.
__global__ void insert_by_cas(const unsigned* keys, unsigned long long* table, unsigned mask,
                              int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long entry = static_cast<unsigned long long>(keys[i]) << 32 | i;
    for (unsigned slot = pcg_hash(keys[i]) & mask;; slot = (slot + 1) & mask) {
        unsigned long long old = atomicCAS(&table[slot], FREE_SLOT, entry);
        if (old == FREE_SLOT || old >> 32 == keys[i]) return;
    }
}

struct Row {  // 16 bytes
    int key, next;
    long long value;
};

// A join: chains of rows with equal hashes, built before.
__global__ void join_chains(const int* heads, const Row* rows, const int* keys, longlong2* joined,
                            int n, int buckets) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    longlong2 result = make_longlong2(0, 0);
    int key = keys[i];
    for (int at = heads[pcg_hash(key) % buckets]; at >= 0;) {
        Row row = rows[at];
        if (row.key == key) {
            ++result.x;
            result.y += row.value;
        }
        at = row.next;
    }
    joined[i] = result;
}

__global__ void count_min_sketch(const unsigned* keys, int* sketch, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#pragma unroll
        for (unsigned row = 0; row < 4; ++row) {
            atomicAdd(&sketch[row * 512 + pcg_hash(keys[i] + row * 0x9e3779b9u) % 512], 1);
        }
    }
}

__global__ void hyperloglog(const unsigned* keys, int* registers, int n) {
    __shared__ int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned hash = pcg_hash(keys[i]);
        atomicMax(&mine[hash & 255], __clz(static_cast<int>(hash | 255)) + 1);
    }
    __syncthreads();
    if (mine[threadIdx.x] > 0) atomicMax(&registers[threadIdx.x], mine[threadIdx.x]);
}

// Numbers that occur for the first time, by the bit's old value.
__global__ void count_distinct(const unsigned* keys, unsigned* seen, int* distinct, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_first = false;
    if (i < n) {
        unsigned bit = 1u << (keys[i] & 31);
        is_first = (atomicOr(&seen[keys[i] / 32], bit) & bit) == 0;
    }
    int count = __syncthreads_count(is_first);
    if (threadIdx.x == 0) atomicAdd(distinct, count);
}

__host__ __device__ unsigned murmur3(const unsigned char* data, int n, unsigned seed) {
    auto turn = [](unsigned v, int by) { return v << by | v >> (32 - by); };
    unsigned h = seed, k = 0;
    int words = n / 4;
    for (int w = 0; w < words; ++w) {
        k = data[4 * w] | data[4 * w + 1] << 8 | data[4 * w + 2] << 16 |
            static_cast<unsigned>(data[4 * w + 3]) << 24;
        h = turn(h ^ turn(k * 0xcc9e2d51u, 15) * 0x1b873593u, 13) * 5 + 0xe6546b64u;
    }
    k = 0;
    switch (n & 3) {
        case 3:
            k ^= data[4 * words + 2] << 16;
            [[fallthrough]];
        case 2:
            k ^= data[4 * words + 1] << 8;
            [[fallthrough]];
        case 1:
            h ^= turn((k ^ data[4 * words]) * 0xcc9e2d51u, 15) * 0x1b873593u;
    }
    h ^= n;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

__global__ void murmur_of_rows(const unsigned char* bytes, const int* offsets, unsigned* hashes,
                               int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) hashes[i] = murmur3(bytes + offsets[i], offsets[i + 1] - offsets[i], 42);
}

struct Node {  // 48 bytes
    int keys[7];
    int count;
    unsigned short children[8];  // 0: none
};

__global__ void search_b_tree(const Node* __restrict__ nodes, const int* keys, int* places, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i], node = 0;
    places[i] = -1;
    do {
        const Node& here = nodes[node];
        int slot = 0;
        while (slot < here.count && here.keys[slot] < key) ++slot;
        if (slot < here.count && here.keys[slot] == key) {
            places[i] = node * 8 + slot;
            return;
        }
        node = here.children[slot];
    } while (node != 0);
}

struct Graph {
    int n;
    std::vector<int> offsets{0}, neighbours;
    std::vector<Edge> edges;
};

Graph make_graph(int n, int edges) {
    Graph graph;
    graph.n = n;
    std::vector<std::set<int>> near(n);
    for (int e = 0; e < edges; ++e) {
        int a = static_cast<int>(pcg_hash(2 * e) % n),
            b = static_cast<int>(pcg_hash(2 * e + 1) % n);
        // A few hubs.
        if (e % 10 == 0) a %= 7;
        if (a == b || near[a].count(b)) continue;
        near[a].insert(b);
        near[b].insert(a);
        graph.edges.push_back({a, b, static_cast<int>(pcg_hash(e) % 500)});
    }
    for (const auto& set : near) {
        graph.neighbours.insert(graph.neighbours.end(), set.begin(), set.end());
        graph.offsets.push_back(static_cast<int>(graph.neighbours.size()));
    }
    return graph;
}

// Adds the node of these sorted keys and all below it, and where each key is.
int add_node(std::vector<Node>& nodes, const std::vector<int>& keys, std::map<int, int>& places) {
    const int id = static_cast<int>(nodes.size()), n = static_cast<int>(keys.size());
    nodes.push_back({});
    int from = 0;
    for (int child = 0; child < 8; ++child) {
        int to = n <= 7 ? std::min(child, n) : (n - 7) * (child + 1) / 8 + child;
        if (to > from && n > 7) {
            int below = add_node(nodes, {keys.begin() + from, keys.begin() + to}, places);
            nodes[id].children[child] = static_cast<unsigned short>(below);
        }
        int separator = n <= 7 ? child : to;
        if (child == 7 || separator >= n) break;
        places[keys[separator]] = id * 8 + nodes[id].count;
        nodes[id].keys[nodes[id].count++] = keys[separator];
        from = separator + 1;
    }
    return id;
}

void add_graphs(Launches& launches) {
    launches.add("bfs_in_grid", [](Outcome& outcome) {
        const Graph graph = make_graph(3000, 4500);
        Array<int> offsets(graph.offsets), neighbours(graph.neighbours), reached(3000, 0);
        std::vector<int> expected(graph.n, -1), open = {5};
        expected[5] = 0;
        Array<int> levels(expected);
        int *o = offsets, *e = neighbours, *l = levels, *r = reached, n = graph.n;
        void* arguments[] = {&o, &e, &l, &r, &n};
        check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(bfs_in_grid), 10, 128,
                                          arguments, 0, nullptr));
        for (std::size_t at = 0; at < open.size(); ++at) {
            int v = open[at];
            for (int k = graph.offsets[v]; k < graph.offsets[v + 1]; ++k) {
                int u = graph.neighbours[k];
                if (expected[u] >= 0) continue;
                expected[u] = expected[v] + 1;
                open.push_back(u);
            }
        }
        outcome.equal(levels, expected);
    });
    launches.add("page_ranks", [](Outcome& outcome) {
        const Graph graph = make_graph(450, 1400);
        const int n = graph.n;
        Array<int> offsets(graph.offsets), neighbours(graph.neighbours);
        Array<float> ranks(n);
        page_ranks<<<1, 256, 2 * n * sizeof(float)>>>(offsets, neighbours, ranks, n, 10);
        std::vector<double> now(n, 1.0 / n);
        for (int i = 0; i < 10; ++i) {
            std::vector<double> next(n, 0.15 / n);
            for (int v = 0; v < n; ++v) {
                for (int e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
                    int u = graph.neighbours[e];
                    next[v] += 0.85 * now[u] / (graph.offsets[u + 1] - graph.offsets[u]);
                }
            }
            now = next;
        }
        outcome.near(ranks, std::vector<float>(now.begin(), now.end()), 1e-6);
    });
    launches.add("components", [](Outcome& outcome) {
        const Graph graph = make_graph(500, 260);
        Array<int> offsets(graph.offsets), neighbours(graph.neighbours), labels(graph.n);
        components<<<1, 512>>>(offsets, neighbours, labels, graph.n);
        std::vector<int> expected(graph.n);
        std::iota(expected.begin(), expected.end(), 0);
        for (int round = 0; round < graph.n; ++round) {
            for (const Edge& e : graph.edges) {
                expected[e.from] = expected[e.to] = std::min(expected[e.from], expected[e.to]);
            }
        }
        outcome.equal(labels, expected);
    });
    launches.add("disjoint_sets", [](Outcome& outcome) {
        const int graphs = 330, each = 14;
        auto ends = values<unsigned char>(2 * each * graphs, 20);
        Array<unsigned char> d(ends);
        Array<int> sets(graphs);
        disjoint_sets<<<3, 128>>>(reinterpret_cast<uchar2*>(d.data()), sets, graphs, each);
        std::vector<int> expected;
        for (int g = 0; g < graphs; ++g) {
            std::vector<int> label(20);
            std::iota(label.begin(), label.end(), 0);
            for (int e = 0; e < each; ++e) {
                int a = label[ends[2 * (e * graphs + g)]],
                    b = label[ends[2 * (e * graphs + g) + 1]];
                std::replace(label.begin(), label.end(), a, b);
            }
            expected.push_back(static_cast<int>(std::set<int>(label.begin(), label.end()).size()));
        }
        outcome.equal(sets, expected);
    });
    launches.add("cheapest_edges", [](Outcome& outcome) {
        const Graph graph = make_graph(900, 2500);
        const int edges = static_cast<int>(graph.edges.size());
        auto component = values<int>(graph.n, 60);
        Array<Edge> d(graph.edges);
        Array<int> dc(component);
        Array<unsigned long long> best(60);
        cheapest_edges<<<ceil_div(edges, 192), 192>>>(d, dc, best, edges);
        std::vector<unsigned long long> expected(60, ~0ull);
        for (int e = 0; e < edges; ++e) {
            const Edge& edge = graph.edges[e];
            int a = component[edge.from], b = component[edge.to];
            auto packed = static_cast<unsigned long long>(edge.weight) * (1ull << 32) + e;
            if (a == b) continue;
            expected[a] = std::min(expected[a], packed);
            expected[b] = std::min(expected[b], packed);
        }
        outcome.equal(best, expected);
    });
    launches.add("shortest_paths", [](Outcome& outcome) {
        const int sources = 4;
        const Graph graph = make_graph(300, 800);
        const int n = graph.n, entries = static_cast<int>(graph.neighbours.size());
        auto weights = values<unsigned short>(entries, 500);
        Array<int> offsets(graph.offsets), neighbours(graph.neighbours), out(sources * n);
        Array<unsigned short> dw(weights);
        shortest_paths<<<sources, 320, 2 * n * sizeof(int)>>>(offsets, neighbours, dw, out, n);
        std::vector<int> expected;
        for (int s = 0; s < sources; ++s) {
            std::vector<int> distance(n, 1 << 29);
            distance[s] = 0;
            for (bool is_changed = true; is_changed;) {
                is_changed = false;
                for (int v = 0; v < n; ++v) {
                    for (int e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
                        int through = distance[graph.neighbours[e]] + weights[e];
                        if (through >= distance[v]) continue;
                        distance[v] = through;
                        is_changed = true;
                    }
                }
            }
            expected.insert(expected.end(), distance.begin(), distance.end());
        }
        outcome.equal(out, expected);
    });
    launches.add("colour_graph", [](Outcome& outcome) {
        const Graph graph = make_graph(300, 900);
        Array<int> offsets(graph.offsets), neighbours(graph.neighbours), colours(graph.n);
        colour_graph<<<1, 320>>>(offsets, neighbours, colours, graph.n);
        std::vector<int> in_turn(graph.n), expected(graph.n, -1);
        std::iota(in_turn.begin(), in_turn.end(), 0);
        std::sort(in_turn.begin(), in_turn.end(),
                  [](int a, int b) { return pcg_hash(a) > pcg_hash(b); });
        for (int v : in_turn) {
            std::set<int> used;
            for (int e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
                used.insert(expected[graph.neighbours[e]]);
            }
            expected[v] = 0;
            while (used.count(expected[v])) ++expected[v];
        }
        outcome.equal(colours, expected);
    });
    launches.add("jaccard", [](Outcome& outcome) {
        const Graph graph = make_graph(200, 1500);
        const int edges = static_cast<int>(graph.edges.size());
        Array<Edge> d(graph.edges);
        Array<int> offsets(graph.offsets), neighbours(graph.neighbours);
        Array<float> similar(edges);
        jaccard<<<ceil_div(edges, 128), 128>>>(d, offsets, neighbours, similar, edges);
        std::vector<float> expected;
        for (const Edge& e : graph.edges) {
            std::set<int> all;
            int ends = 0;
            for (int v : {e.from, e.to}) {
                for (int k = graph.offsets[v]; k < graph.offsets[v + 1]; ++k, ++ends) {
                    all.insert(graph.neighbours[k]);
                }
            }
            int different = static_cast<int>(all.size());
            expected.push_back(static_cast<float>(ends - different) /
                               static_cast<float>(different));
        }
        outcome.near(similar, expected, 1e-6);
    });
    launches.add("common_neighbours", [](Outcome& outcome) {
        const int n = 250;
        const Graph graph = make_graph(n, 3000);
        std::vector<unsigned> bits(8 * n);
        for (const Edge& e : graph.edges) {
            bits[8 * e.from + e.to / 32] |= 1u << e.to % 32;
            bits[8 * e.to + e.from / 32] |= 1u << e.from % 32;
        }
        Array<unsigned> d(bits);
        Array<unsigned char> counts(n * n);
        common_neighbours<<<dim3(2, n), 128>>>(reinterpret_cast<uint4*>(d.data()), counts, n);
        std::vector<unsigned char> expected(n * n);
        for (int through = 0; through < n; ++through) {
            for (int a = graph.offsets[through]; a < graph.offsets[through + 1]; ++a) {
                for (int b = graph.offsets[through]; b < graph.offsets[through + 1]; ++b) {
                    ++expected[graph.neighbours[a] * n + graph.neighbours[b]];
                }
            }
        }
        outcome.equal(counts, expected);
    });
}

void add_tables(Launches& launches) {
    launches.add("insert_by_cas", [](Outcome& outcome) {
        const unsigned slots = 4096;
        // No two keys of one slot: else their order would decide where they are.
        std::vector<unsigned> keys;
        std::vector<unsigned long long> expected(slots, FREE_SLOT);
        for (unsigned key = 1000; keys.size() < 1500; key += 3) {
            unsigned slot = pcg_hash(key) % slots;
            if (expected[slot] != FREE_SLOT) continue;
            expected[slot] = static_cast<unsigned long long>(key) << 32 | keys.size();
            keys.push_back(key);
        }
        Array<unsigned> d(keys);
        Array<unsigned long long> table(slots);
        insert_by_cas<<<ceil_div(1500, 256), 256>>>(d, table, slots - 1, 1500);
        outcome.equal(table, expected);
    });
    launches.add("join_chains", [](Outcome& outcome) {
        const int buckets = 128, count = 600, n = 450;
        auto numbers = values<int>(count, 250), keys = values<int>(n, 300, 2);
        std::vector<int> heads(buckets, -1);
        std::vector<Row> rows;
        for (int i = 0; i < count; ++i) {
            int& head = heads[pcg_hash(numbers[i]) % buckets];
            rows.push_back({numbers[i], head, 1000000007ll * i});
            head = i;
        }
        Array<int> dh(heads), dk(keys);
        Array<Row> dr(rows);
        Array<longlong2> joined(n);
        join_chains<<<ceil_div(n, 96), 96>>>(dh, dr, dk, joined, n, buckets);
        std::vector<longlong2> expected;
        for (int key : keys) {
            longlong2 e = {0, 0};
            for (int i = 0; i < count; ++i) {
                if (numbers[i] != key) continue;
                ++e.x;
                e.y += 1000000007ll * i;
            }
            expected.push_back(e);
        }
        outcome.equal(joined, expected);
    });
    launches.add("count_min_sketch", [](Outcome& outcome) {
        auto keys = values<unsigned>(7000, 900);
        Array<unsigned> d(keys);
        Array<int> sketch(4 * 512, 0);
        count_min_sketch<<<6, 192>>>(d, sketch, 7000);
        std::vector<int> expected(4 * 512);
        for (unsigned key : keys) {
            for (unsigned row = 0; row < 4; ++row) {
                ++expected[row * 512 + pcg_hash(key + row * 0x9e3779b9u) % 512];
            }
        }
        outcome.equal(sketch, expected);
    });
    launches.add("hyperloglog", [](Outcome& outcome) {
        auto keys = values<unsigned>(9000, 1 << 20);
        Array<unsigned> d(keys);
        Array<int> registers(256, 0);
        hyperloglog<<<5, 256>>>(d, registers, 9000);
        std::vector<int> expected(256);
        for (unsigned key : keys) {
            unsigned hash = pcg_hash(key);
            int& e = expected[hash & 255];
            e = std::max(e, __builtin_clz(hash | 255) + 1);
        }
        outcome.equal(registers, expected);
    });
    launches.add("count_distinct", [](Outcome& outcome) {
        const int n = 5000, limit = 4000;
        auto keys = values<unsigned>(n, limit);
        Array<unsigned> d(keys), seen(limit / 32, 0);
        Array<int> distinct(1, 0);
        count_distinct<<<ceil_div(n, 128), 128>>>(d, seen, distinct, n);
        std::vector<unsigned> bits(limit / 32);
        for (unsigned key : keys) bits[key / 32] |= 1u << key % 32;
        int all = static_cast<int>(std::set<unsigned>(keys.begin(), keys.end()).size());
        outcome.equal(seen, bits);
        outcome.equal(distinct, std::vector<int>{all});
    });
    launches.add("murmur_of_rows", [](Outcome& outcome) {
        const int n = 300;
        std::vector<int> offsets = {0};
        for (int i = 0; i < n; ++i) {
            offsets.push_back(offsets.back() + static_cast<int>(pcg_hash(i) % 40));
        }
        auto bytes = values<unsigned char>(offsets[n], 256);
        Array<unsigned char> d(bytes);
        Array<int> o(offsets);
        Array<unsigned> hashes(n);
        murmur_of_rows<<<5, 64>>>(d, o, hashes, n);
        std::vector<unsigned> expected;
        for (int i = 0; i < n; ++i) {
            expected.push_back(murmur3(bytes.data() + offsets[i], offsets[i + 1] - offsets[i], 42));
        }
        outcome.equal(hashes, expected);
    });
    launches.add("search_b_tree", [](Outcome& outcome) {
        const int n = 700;
        std::vector<int> sorted;
        for (int i = 0; i < 1500; ++i) sorted.push_back(5 * i + i % 3);
        std::vector<Node> nodes;
        std::map<int, int> places;
        add_node(nodes, sorted, places);
        auto keys = values<int>(n, 7600);
        for (int i = 0; i < n; i += 2) keys[i] = sorted[keys[i] % 1500];
        Array<Node> d(nodes);
        Array<int> dk(keys), out(n);
        search_b_tree<<<ceil_div(n, 128), 128>>>(d, dk, out, n);
        std::vector<int> expected;
        for (int key : keys) expected.push_back(places.count(key) ? places[key] : -1);
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_graphs_tables(Launches& launches) {
    add_graphs(launches);
    add_tables(launches);
}

}  // namespace ordinary
