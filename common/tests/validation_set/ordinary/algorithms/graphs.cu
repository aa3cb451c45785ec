// Linked data: pointer chasing, list ranking, breadth-first search, PageRank, union-find, trees.
#include <numeric>

#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

__global__ void chase(const int* next, int* out, int steps, int n) {
    int place = (blockIdx.x * blockDim.x + threadIdx.x) * 7 % n;
    for (int k = 0; k < steps; ++k) place = next[place];
    out[blockIdx.x * blockDim.x + threadIdx.x] = place;
}

struct Item {
    int value;
    const Item* next;
};

// Lists of different lengths, through pointers.
__global__ void sum_lists(const Item* const* heads, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (const Item* item = heads[i]; item != nullptr; item = item->next) sum += item->value;
    out[i] = sum;
}

// Pointer jumping: each element's distance to the end of its list.
__global__ void rank_list(const int* next, const int* rank, int* new_next, int* new_rank, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int after = next[i];
    if (after >= 0) {
        new_rank[i] = rank[i] + rank[after];
        new_next[i] = next[after];
    } else {
        new_rank[i] = rank[i];
        new_next[i] = -1;
    }
}

// One level, a thread a vertex.
__global__ void bfs_level(const int* starts, const int* edges, int* levels, int level, int* changed,
                          int n) {
    const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= n || levels[vertex] != level) return;
    for (int e = starts[vertex]; e < starts[vertex + 1]; ++e) {
        const int other = edges[e];
        if (atomicCAS(&levels[other], -1, level + 1) == -1) *changed = 1;
    }
}

// One level with a queue of vertices; places in the next queue come from an atomic.
__global__ void bfs_queue(const int* starts, const int* edges, const int* queue, int length,
                          int* levels, int* next_queue, int* next_length, int level) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length) return;
    const int vertex = queue[i];
    for (int e = starts[vertex]; e < starts[vertex + 1]; ++e) {
        const int other = edges[e];
        if (atomicCAS(&levels[other], -1, level + 1) == -1) {
            next_queue[atomicAdd(next_length, 1)] = other;
        }
    }
}

// Bottom-up: a vertex without a level looks for a neighbour of the last one.
__global__ void bfs_bottom_up(const int* starts, const int* edges, const int* levels, int* out,
                              int level, int n) {
    const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= n) return;
    int mine = levels[vertex];
    if (mine < 0) {
        for (int e = starts[vertex]; e < starts[vertex + 1]; ++e) {
            if (levels[edges[e]] == level) {
                mine = level + 1;
                break;
            }
        }
    }
    out[vertex] = mine;
}

__global__ void rank_pages_pull(const int* starts, const int* edges, const float* shares,
                                float* ranks, int n) {
    const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= n) return;
    float sum = 0;
    for (int e = starts[vertex]; e < starts[vertex + 1]; ++e) sum += shares[edges[e]];
    ranks[vertex] = 0.5f * sum + 1.0f;
}

__device__ int find_root(const int* parents, int i) {
    while (parents[i] != i) i = parents[i];
    return i;
}

__global__ void find_roots(const int* parents, int* roots, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) roots[i] = find_root(parents, i);
}

// Disjoint pairs: no union meets another.
__global__ void unite(int* parents, const int2* pairs, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = pairs[i].x, b = pairs[i].y;
    while (true) {
        while (parents[a] != a) a = parents[a];
        while (parents[b] != b) b = parents[b];
        if (a == b) return;
        const int low = min(a, b), high = max(a, b);
        if (atomicCAS(&parents[high], high, low) == high) return;
    }
}

struct TreeNode {
    int key, left, right, payload;
};

__global__ void search_tree(const TreeNode* nodes, const int* keys, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int key = keys[i];
    int node = 0, found = -1;
    while (node >= 0) {
        const TreeNode here = nodes[node];
        if (here.key == key) {
            found = here.payload;
            break;
        }
        node = key < here.key ? here.left : here.right;
    }
    out[i] = found;
}

struct Graph {
    int vertices = 1500;
    std::vector<int> starts{0}, edges, levels;

    Graph() {
        const auto degrees = values<int>(vertices, 9, 40),
                   targets = values<int>(20000, vertices, 41);
        for (int v = 0; v < vertices; ++v) {
            for (int e = 0; e < degrees[v]; ++e) edges.push_back(targets[edges.size()]);
            starts.push_back(static_cast<int>(edges.size()));
        }
        levels.assign(vertices, -1);
        for (int v = 0; v < vertices; v += 100) levels[v] = 0;
        expand(0);
        expand(1);
    }

    void expand(int level) {
        for (int v = 0; v < vertices; ++v) {
            if (levels[v] != level) continue;
            for (int e = starts[v]; e < starts[v + 1]; ++e) {
                if (levels[edges[e]] == -1) levels[edges[e]] = level + 1;
            }
        }
    }
};

void add_lists(Launches& launches) {
    const int n = 4096;
    launches.add("chase", [=](Outcome& outcome) {
        std::vector<int> next(n), expected(512);
        for (int i = 0; i < n; ++i) next[i] = (i * 1565 + 331) % n;
        const Array<int> links(next), out(512);
        chase<<<4, 128>>>(links, out, 20, n);
        for (int i = 0; i < 512; ++i) {
            expected[i] = i * 7 % n;
            for (int k = 0; k < 20; ++k) expected[i] = next[expected[i]];
        }
        outcome.equal(out, expected);
    });
    launches.add("sum_lists", [](Outcome& outcome) {
        const int lists = 500, items = 4000;
        const auto numbers = values<int>(items), owners = values<int>(items, lists, 2);
        const Array<Item> memory(items);
        std::vector<Item> all(items);
        std::vector<const Item*> heads(lists, nullptr);
        std::vector<int> expected(lists);
        for (int i = 0; i < items; ++i) {
            all[i] = {numbers[i], heads[owners[i]]};
            heads[owners[i]] = memory.data() + i;
            expected[owners[i]] += numbers[i];
        }
        check(cudaMemcpy(memory.data(), all.data(), items * sizeof(Item), cudaMemcpyHostToDevice));
        const Array<const Item*> first(heads);
        const Array<int> out(lists);
        sum_lists<<<4, 128>>>(first.data(), out, lists);
        outcome.equal(out, expected);
    });
    launches.add("rank_list", [=](Outcome& outcome) {
        std::vector<int> next(n), rank(n, 1), expected_next(n, -1), expected_rank(n, 1);
        for (int i = 0; i < n; ++i) next[i] = i % 50 == 0 ? -1 : (i * 37 + 5) % n;
        for (int i = 0; i < n; ++i) {
            if (next[i] >= 0) expected_next[i] = next[next[i]], expected_rank[i] = 2;
        }
        const Array<int> links(next), ranks(rank), new_links(n), new_ranks(n);
        rank_list<<<32, 128>>>(links, ranks, new_links, new_ranks, n);
        outcome.equal(new_links, expected_next);
        outcome.equal(new_ranks, expected_rank);
    });
}

void add_searches(Launches& launches) {
    const Graph graph;
    const int n = graph.vertices;
    launches.add("bfs_level", [=](Outcome& outcome) {
        Graph g = graph;
        const Array<int> starts(g.starts), edges(g.edges), levels(g.levels), changed(1, 0);
        bfs_level<<<blocks_of(n), 128>>>(starts, edges, levels, 2, changed, n);
        g.expand(2);
        outcome.equal(levels, g.levels);
        outcome.equal(changed, {1});
    });
    launches.add("bfs_queue", [=](Outcome& outcome) {
        Graph g = graph;
        std::vector<int> queue, expected;
        for (int v = 0; v < n; ++v) {
            if (g.levels[v] == 2) queue.push_back(v);
        }
        const int length = static_cast<int>(queue.size());
        const Array<int> starts(g.starts), edges(g.edges), levels(g.levels), vertices(queue);
        const Array<int> next_queue(n), next_length(1, 0);
        bfs_queue<<<blocks_of(length), 128>>>(starts, edges, vertices, length, levels, next_queue,
                                              next_length, 2);
        g.expand(2);
        for (int v = 0; v < n; ++v) {
            if (g.levels[v] == 3) expected.push_back(v);
        }
        outcome.equal(levels, g.levels);
        outcome.same_elements(next_queue, expected);
        outcome.equal(next_length, {static_cast<int>(expected.size())});
    });
    launches.add("bfs_bottom_up", [=](Outcome& outcome) {
        const Array<int> starts(graph.starts), edges(graph.edges), levels(graph.levels), out(n);
        bfs_bottom_up<<<blocks_of(n), 128>>>(starts, edges, levels, out, 2, n);
        auto expected = graph.levels;
        for (int v = 0; v < n; ++v) {
            for (int e = graph.starts[v]; e < graph.starts[v + 1]; ++e) {
                if (expected[v] < 0 && graph.levels[graph.edges[e]] == 2) expected[v] = 3;
            }
        }
        outcome.equal(out, expected);
    });
    launches.add("rank_pages_pull", [=](Outcome& outcome) {
        const auto shares = values<float>(n);
        const Array<int> starts(graph.starts), edges(graph.edges);
        const Array<float> input(shares), ranks(n);
        rank_pages_pull<<<blocks_of(n), 128>>>(starts, edges, input, ranks, n);
        std::vector<float> expected(n, 1.0f);
        for (int v = 0; v < n; ++v) {
            for (int e = graph.starts[v]; e < graph.starts[v + 1]; ++e) {
                expected[v] += 0.5f * shares[graph.edges[e]];
            }
        }
        outcome.equal(ranks, expected);
    });
}

void add_trees(Launches& launches) {
    const int n = 2000;
    launches.add("find_roots", [=](Outcome& outcome) {
        const auto steps = values<int>(n, 40, 3);
        std::vector<int> parents(n), expected(n);
        for (int i = 0; i < n; ++i) parents[i] = std::max(i - steps[i], i % 61 == 0 ? i : 0);
        for (int i = 0; i < n; ++i) expected[i] = parents[i] == i ? i : expected[parents[i]];
        const Array<int> input(parents), roots(n);
        find_roots<<<blocks_of(n), 128>>>(input, roots, n);
        outcome.equal(roots, expected);
    });
    launches.add("unite", [=](Outcome& outcome) {
        // Chains of four below the roots 0, 4, 8, ...; the pairs join the chains 8k and 8k + 4.
        std::vector<int> parents(n);
        std::vector<int2> pairs(n / 8);
        for (int i = 0; i < n; ++i) parents[i] = i % 4 == 0 ? i : i - 1;
        for (int i = 0; i < n / 8; ++i) pairs[i] = {8 * i + i % 4, 8 * i + 4 + (i + 1) % 4};
        const Array<int> input(parents);
        const Array<int2> edges(pairs);
        unite<<<blocks_of(n / 8), 128>>>(input, edges, n / 8);
        for (int i = 4; i < n; i += 8) parents[i] = i - 4;
        outcome.equal(input, parents);
    });
    launches.add("search_tree", [=](Outcome& outcome) {
        const auto keys = values<int>(700, 5000, 5), wanted = values<int>(n, 5000, 6);
        std::vector<TreeNode> nodes{{2500, -1, -1, 0}};
        for (int k = 0; k < 700; ++k) {
            int node = 0;
            while (nodes[node].key != keys[k]) {
                const bool is_left = keys[k] < nodes[node].key;
                const int child = is_left ? nodes[node].left : nodes[node].right;
                if (child < 0) {
                    const int added = static_cast<int>(nodes.size());
                    (is_left ? nodes[node].left : nodes[node].right) = added;
                    nodes.push_back({keys[k], -1, -1, k});
                    break;
                }
                node = child;
            }
        }
        std::vector<int> expected(n, -1);
        for (int i = 0; i < n; ++i) {
            for (const auto& node : nodes) {
                if (node.key == wanted[i]) expected[i] = node.payload;
            }
        }
        const Array<TreeNode> tree(nodes);
        const Array<int> queries(wanted), out(n);
        search_tree<<<blocks_of(n), 128>>>(tree, queries, out, n);
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_graphs(Launches& launches) {
    add_lists(launches);
    add_searches(launches);
    add_trees(launches);
}

}  // namespace ordinary
