#include "emulator/ptx/code/machine_counts.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace emulator::ptx {

MachineCounts::MachineCounts(const std::vector<MachineBlock>& code, const PtxLines& ptx,
                             std::uint32_t entry)
    : nodes_(code.size()), entry_(entry) {
    std::vector<MachineEvidence> evidence = evidence_of(code, ptx);
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        Node& node = nodes_[i];
        node.opening = code[i].opening;
        node.size = static_cast<std::uint32_t>(code[i].instructions.size()) + code[i].called;
        node.is_entry = code[i].is_entry;
        node.ends_region =
            !code[i].instructions.empty() && code[i].instructions.back().operation == machine_bsync;
        node.evidence = std::move(evidence[i]);
        if (node.opening != no_machine_block) nodes_[node.opening].closings.push_back(i);
        if (node.evidence.loop != no_machine_block) bodies_[node.evidence.loop].push_back(i);
    }
    connect(code);
    order_blocks();
}

void MachineCounts::connect(const std::vector<MachineBlock>& code) {
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
        const auto edge = static_cast<std::uint32_t>(edges_.size());
        edges_.push_back({from, to});
        nodes_[from].out.push_back(edge);
        if (to == no_machine_block) return;
        nodes_[to].in.push_back(edge);
        nodes_[to].is_behind_region |= nodes_[from].ends_region;
    };
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (code[i].target != no_machine_block) add(i, code[i].target);
        if (code[i].next != no_machine_block) add(i, code[i].next);
        if (code[i].may_leave) add(i, no_machine_block);
    }
}

void MachineCounts::order_blocks() {
    std::vector<std::uint8_t> state(nodes_.size());
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) visit(i, state);
    std::ranges::reverse(order_);
}

// Depth first; the edges back to a block that is being visited are those of loops.
void MachineCounts::visit(std::uint32_t root, std::vector<std::uint8_t>& state) {
    enum : std::uint8_t { unseen, open, done };
    if (state[root] != unseen) return;
    std::vector<std::pair<std::uint32_t, std::size_t>> way{{root, 0}};  // block, its next edge
    state[root] = open;
    while (!way.empty()) {
        const auto [block, at] = way.back();
        if (at == nodes_[block].out.size()) {
            state[block] = done;
            order_.push_back(block);
            way.pop_back();
            continue;
        }
        ++way.back().second;
        Edge& edge = edges_[nodes_[block].out[at]];
        if (edge.to == no_machine_block) continue;
        edge.is_back = state[edge.to] == open;
        if (state[edge.to] != unseen) continue;
        state[edge.to] = open;
        way.emplace_back(edge.to, 0);
    }
}

// Fills in executions of blocks and edges until all are known.
class MachineFlowSolver {
  public:
    MachineFlowSolver(const MachineCounts& counts, std::span<const PtxBlockCount> ptx)
        : nodes_(counts.nodes_),
          edges_(counts.edges_),
          order_(counts.order_),
          bodies_(counts.bodies_),
          ptx_(ptx),
          blocks_(nodes_.size()),
          flows_(edges_.size()),
          more_(nodes_.size()) {
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) take_evidence(i);
        if (!nodes_.empty()) blocks_[0] = ptx[counts.entry_].executions;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) open_.push_back(i);
    }

    std::vector<std::uint64_t> solve() {
        do {
            follow();
        } while (enter_a_loop() || decide_a_block());
        std::vector<std::uint64_t> result;
        result.reserve(blocks_.size());
        for (const auto& block : blocks_) result.push_back(block.value_or(0));
        return result;
    }

  private:
    using Node = MachineCounts::Node;
    using Count = std::uint64_t;
    static constexpr Count unbounded = std::numeric_limits<std::uint32_t>::max() * Count{1 << 20};

    void take_evidence(std::uint32_t block) {
        const MachineEvidence& evidence = nodes_[block].evidence;
        if (evidence.branch != no_machine_block) more_[block] = ptx_[evidence.branch].divergences;
        if (evidence.is_never_executed) blocks_[block] = 0;
        const auto& equal = evidence.equal;
        if (equal.empty()) return;
        const auto most = std::ranges::max_element(
            equal, {}, [&](std::uint32_t other) { return ptx_[other].executions; });
        blocks_[block] = ptx_[*most].executions;
    }

    void set_block(std::uint32_t block, Count count) {
        blocks_[block] = count;
        open_.push_back(block);
        for (const std::uint32_t closing : nodes_[block].closings) open_.push_back(closing);
        if (const std::uint32_t loop = nodes_[block].evidence.loop; loop != no_machine_block)
            open_.insert(open_.end(), bodies_.at(loop).begin(), bodies_.at(loop).end());
    }

    void set_flow(std::uint32_t edge, Count count) {
        flows_[edge] = count;
        open_.push_back(edges_[edge].from);
        if (edges_[edge].to != no_machine_block) open_.push_back(edges_[edge].to);
    }

    struct Sum {
        Count known = 0;
        std::uint32_t unknown = 0, edge = 0;  // how many, and the first of them
    };
    Sum sum_of(const std::vector<std::uint32_t>& edges, bool with_loops = true) const {
        Sum sum;
        for (const std::uint32_t edge : edges) {
            if (!with_loops && edges_[edge].is_back) continue;
            if (flows_[edge]) {
                sum.known += *flows_[edge];
            } else if (sum.unknown++ == 0) {
                sum.edge = edge;
            }
        }
        return sum;
    }

    // The rounds of a loop that its known bodies do not make; nothing where more than `block` is unknown.
    std::optional<Count> rounds_left(std::uint32_t block, bool if_last) const {
        Count made = 0;
        for (const std::uint32_t other : bodies_.at(nodes_[block].evidence.loop)) {
            if (other == block) continue;
            if (!blocks_[other] && if_last) return std::nullopt;
            made += blocks_[other].value_or(0) * nodes_[other].evidence.rounds;
        }
        return less(ptx_[nodes_[block].evidence.loop].executions, made);
    }

    std::optional<Count> last_body(std::uint32_t block) const {
        const MachineEvidence& evidence = nodes_[block].evidence;
        if (evidence.loop == no_machine_block) return std::nullopt;
        const std::optional<Count> left = rounds_left(block, true);
        return left ? std::optional(*left / evidence.rounds) : left;
    }

    // Each warp that comes to the loop makes equally many rounds: in a loop of their own as many as fit, else those that
    // the bigger bodies leave.
    Count share_of(std::uint32_t block, const std::vector<Count>& limit) const {
        const Node& node = nodes_[block];
        const Count rounds = node.evidence.rounds, left = *rounds_left(block, false);
        Count entries = unbounded;
        bool repeats = false;
        for (const std::uint32_t edge : node.in) {
            repeats |= edges_[edge].is_back;
            if (!edges_[edge].is_back)
                entries = std::min(entries, flows_[edge].value_or(limit[edges_[edge].from]));
        }
        if (entries == unbounded) return left / rounds;
        if (entries == 0) return 0;
        const Count each = left / entries;
        if (repeats) return entries * (each / rounds);
        return each % (2 * rounds) >= rounds ? std::min(entries, left / rounds) : 0;
    }

    static Count less(Count all, Count part) { return all > part ? all - part : 0; }

    void follow() {
        while (!open_.empty()) {
            const std::uint32_t block = open_.back();
            open_.pop_back();
            balance(block);
        }
    }

    // A block whose lanes diverge makes two warps of one; lanes that reconverge behind it are not counted by edges.
    void balance(std::uint32_t block) {
        const Node& node = nodes_[block];
        const bool is_summed = !node.is_behind_region && !node.is_entry && !node.in.empty();
        if (!blocks_[block]) {
            const Sum in = sum_of(node.in);
            if (is_summed && in.unknown == 0) {
                set_block(block, in.known);
            } else if (const std::optional<Count> last = last_body(block)) {
                set_block(block, *last);
            } else if (node.opening != no_machine_block && blocks_[node.opening]) {
                set_block(block, *blocks_[node.opening]);
            } else if (node.out.size() == 1 && flows_[node.out[0]] && !node.ends_region) {
                set_block(block, *flows_[node.out[0]]);
            }
        }
        if (!blocks_[block]) return;
        if (const Sum out = sum_of(node.out); out.unknown == 1 && !node.ends_region)
            set_flow(out.edge, less(*blocks_[block] + more_[block], out.known));
        if (const Sum in = sum_of(node.in); in.unknown == 1 && is_summed)
            set_flow(in.edge, less(*blocks_[block], in.known));
    }

    // The most that each block can be executed, by what leads to it and what is in it.
    std::vector<Count> limits() const {
        std::vector<Count> limits(nodes_.size());
        for (const std::uint32_t block : order_) {
            const Node& node = nodes_[block];
            if (blocks_[block]) {
                limits[block] = *blocks_[block];
                continue;
            }
            limits[block] = node.in.empty() ? unbounded : 0;
            for (const std::uint32_t edge : node.in) {
                if (edges_[edge].is_back) continue;
                limits[block] += flows_[edge] ? *flows_[edge] : limits[edges_[edge].from];
            }
            limits[block] = std::min(limits[block], unbounded);
            for (const std::uint32_t other : node.evidence.bounds)
                limits[block] = std::min(limits[block], ptx_[other].executions);
            if (const std::uint32_t loop = node.evidence.loop; loop != no_machine_block)
                limits[block] =
                    std::min(limits[block], ptx_[loop].executions / node.evidence.rounds);
        }
        return limits;
    }

    bool enter_a_loop() {
        const std::vector<Count> limit = limits();
        for (const std::uint32_t block : order_) {
            const Node& node = nodes_[block];
            const bool is_head = std::ranges::any_of(
                node.in, [&](std::uint32_t edge) { return edges_[edge].is_back; });
            if (!is_head || !blocks_[block] || node.is_behind_region) continue;
            const Sum in = sum_of(node.in, false);
            if (in.unknown == 0) continue;
            set_flow(in.edge,
                     std::min(less(*blocks_[block], in.known), limit[edges_[in.edge].from]));
            return true;
        }
        return false;
    }

    bool decide_a_block() {
        const std::vector<Count> limit = limits();
        for (const std::uint32_t block : order_) {
            if (blocks_[block]) continue;
            const bool is_body = nodes_[block].evidence.loop != no_machine_block;
            const Count count = is_body ? share_of(block, limit) : limit[block];
            set_block(block, count == unbounded ? 0 : count);
            return true;
        }
        return false;
    }

    const std::vector<Node>& nodes_;
    const std::vector<MachineCounts::Edge>& edges_;
    const std::vector<std::uint32_t>& order_;
    const std::map<std::uint32_t, std::vector<std::uint32_t>>& bodies_;
    std::span<const PtxBlockCount> ptx_;
    std::vector<std::optional<Count>> blocks_, flows_;
    std::vector<Count> more_;  // fragments that leave a block than come to it
    std::vector<std::uint32_t> open_;
};

std::vector<std::uint64_t> MachineCounts::executions(std::span<const PtxBlockCount> ptx) const {
    return MachineFlowSolver(*this, ptx).solve();
}

std::uint64_t MachineCounts::instructions(std::span<const PtxBlockCount> ptx) const {
    const std::vector<std::uint64_t> blocks = executions(ptx);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) sum += blocks[i] * nodes_[i].size;
    return sum;
}

}  // namespace emulator::ptx
