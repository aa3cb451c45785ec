#include "emulator/ptx/code/machine_evidence.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace emulator::ptx {
namespace {

using Weights = std::map<std::uint32_t, double>;  // by block of the PTX

// ptxas keeps these where they are: a conditional branch, accesses to memory, barriers, and what lanes do together.
// The others may stand elsewhere; of an instruction with a guard only some lanes are sure to come by.
constexpr double weight_in_place = 20, weight_of_others = 1, weight_of_guarded = 0.3,
                 weight_of_convergence = 0.1;

constexpr std::uint16_t atoms = 0x18c, atoms_compare = 0x18d;

bool stays_in_place(std::uint16_t operation) {
    const auto is_between = [&](int first, int last) {
        return operation >= first && operation <= last;
    };
    constexpr std::uint16_t ldc = 0x182;                    // of the constant bank
    if (is_between(0x180, 0x18f)) return operation != ldc;  // LD to CCTL: memory, SHFL
    if (is_between(0x160, 0x16f)) return true;              // textures
    if (is_between(0x199, 0x19d)) return true;              // surfaces
    if (is_between(0x1a1, 0x1a9)) return true;              // MATCH, atomics
    switch (operation) {
        case 0x006:  // VOTE
        case 0x086:  // VOTEU
        case 0x03b:  // LDSM
        case 0x11a:  // DEPBAR
        case 0x11d:  // BAR
        case 0x15d:  // NANOSLEEP
        case 0x192:  // MEMBAR
        case 0x1ae:  // LDGSTS
        case 0x1c4:  // REDUX
        case machine_call:
            return true;
        default:
            return false;
    }
}

bool is_of_convergence(std::uint16_t operation) {
    return operation == machine_bssy || operation == machine_bsync || operation == machine_break ||
           operation == machine_warpsync;
}

bool ends_way(std::uint16_t operation) {
    return operation == machine_bra || operation == machine_exit || operation == machine_ret;
}

// A line and an operation that was made of it.
using Copied = std::pair<std::uint32_t, std::uint16_t>;

class Finder {
  public:
    Finder(const std::vector<MachineBlock>& code, const PtxLines& ptx) : code_(code), ptx_(ptx) {
        for (std::uint32_t block = 0; block < ptx.blocks.size(); ++block) {
            for (const std::uint32_t line : ptx.blocks[block]) ++times_[line][block];
        }
        for (std::uint32_t block = 0; block < code.size(); ++block) {
            for (const MachineInstruction& each : code[block].instructions)
                copies_[{each.line, each.operation}].push_back(block);
        }
        for (std::uint32_t block = 0; block < code.size(); ++block) {
            bodies_.push_back(unrolled_loop_of(block));
            ++bodies_of_[bodies_.back().loop];
        }
    }

    MachineEvidence of(std::uint32_t block) const {
        if (const std::uint32_t loop = loop_of(block); loop != no_machine_block)
            return {.equal = {loop}, .bounds = {}, .branch = loop};
        if (code_[block].called != 0) return rare_call(block);
        MachineEvidence evidence;
        if (is_unrolled(bodies_[block].loop)) return bodies_[block];
        Weights sure, clear;
        const std::map<std::uint32_t, unsigned> copies = times_in(block);
        for (std::size_t i = 0; i < code_[block].instructions.size(); ++i)
            weigh(block, i, copies.at(code_[block].instructions[i].line), sure, clear);
        evidence.branch = branch_of(block);
        double most = 0;
        for (const auto& [each, weight] : sure) most = std::max(most, weight);
        for (const auto& [each, weight] : sure) {
            if (weight > 0.999 * most) evidence.equal.push_back(each);
        }
        if (!evidence.equal.empty()) return evidence;
        for (const auto& [each, weight] : clear) {
            if (weight >= weight_of_others) evidence.bounds.push_back(each);
        }
        return evidence;
    }

  private:
    static constexpr std::uint32_t min_lines = 2;  // of an unrolled body
    struct Weight {
        double value = 0;
        bool is_in_place = false;
    };

    Weight weight_of(const MachineBlock& block, std::size_t i) const {
        const MachineInstruction& each = block.instructions[i];
        if (i + 1 == block.instructions.size() &&
            (ends_way(each.operation) || each.operation == machine_brx)) {
            const bool is_branch = std::ranges::binary_search(ptx_.branches, each.line);
            if (!is_branch) return {weight_of_convergence, false};
            const bool is_in_place = block.is_conditional || each.operation == machine_brx;
            return {is_in_place ? weight_in_place : weight_of_others, is_in_place};
        }
        if (each.is_guarded) return {weight_of_guarded, false};
        if (stays_in_place(each.operation)) return {weight_in_place, true};
        return {is_of_convergence(each.operation) ? weight_of_convergence : weight_of_others,
                false};
    }

    // The machine code has copies in several blocks of what the PTX has once.
    bool is_copied(const MachineInstruction& each) const {
        const auto found = times_.find(each.line);
        if (found == times_.end() || found->second.size() != 1) return false;
        const auto& copies = copies_.at({each.line, each.operation});
        return found->second.begin()->second == 1 && copies.front() != copies.back();
    }

    bool is_unrolled(std::uint32_t loop) const {
        return loop != no_machine_block && bodies_of_.contains(loop) && bodies_of_.at(loop) > 1;
    }
    bool is_of_unrolled_loop(const MachineInstruction& each) const {
        return is_copied(each) && is_unrolled(times_.at(each.line).begin()->first);
    }

    // Where most of the block, branches and tests aside, is copied so often.
    MachineEvidence unrolled_loop_of(std::uint32_t block) const {
        std::map<Copied, std::uint32_t> times;
        for (const MachineInstruction& each : code_[block].instructions) {
            const bool is_test = std::ranges::binary_search(ptx_.branches, each.line);
            if (!is_test && times_.contains(each.line)) ++times[{each.line, each.operation}];
        }
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> found;  // loop, rounds
        for (const auto& [copied, rounds] : times) {
            if (is_copied({copied.first, copied.second, false}))
                ++found[{times_.at(copied.first).begin()->first, rounds}];
        }
        const auto most =
            std::ranges::max_element(found, {}, [](const auto& each) { return each.second; });
        if (most == found.end() || most->second < min_lines || 2 * most->second < times.size())
            return {};
        MachineEvidence evidence;
        evidence.loop = most->first.first;
        evidence.rounds = most->first.second;
        return evidence;
    }

    // The tries of an atomic operation, where the block makes one and the operation is one of the PTX's.
    std::uint32_t loop_of(std::uint32_t block) const {
        for (const MachineInstruction& each : code_[block].instructions) {
            if (each.operation != atoms && each.operation != atoms_compare) continue;
            const std::uint32_t counted = counted_of(block, each, ptx_.loops);
            if (counted != no_machine_block) return counted;
        }
        return no_machine_block;
    }

    // Copies of an instruction belong to those of the PTX in order, where there are equally many.
    std::uint32_t counted_of(std::uint32_t block, const MachineInstruction& each,
                             const std::vector<PtxLines::Counted>& all) const {
        std::vector<std::uint32_t> counted;
        for (const PtxLines::Counted& other : all) {
            if (other.line == each.line) counted.push_back(other.block);
        }
        const auto& copies = copies_.at({each.line, each.operation});
        if (counted.empty() || counted.size() != copies.size()) return no_machine_block;
        return counted[static_cast<std::size_t>(std::ranges::find(copies, block) - copies.begin())];
    }

    MachineEvidence rare_call(std::uint32_t block) const {
        const std::uint32_t counted =
            counted_of(block, code_[block].instructions.back(), ptx_.rare_calls);
        MachineEvidence evidence;
        evidence.is_never_executed = counted == no_machine_block;
        if (counted != no_machine_block) evidence.equal = {counted};
        return evidence;
    }

    // The branch around a call for rare operands diverges in warps that have some and others.
    std::uint32_t rare_call_behind(std::uint32_t block) const {
        for (const std::uint32_t other : {code_[block].next, code_[block].target}) {
            if (other == no_machine_block || code_[other].called == 0) continue;
            return counted_of(other, code_[other].instructions.back(), ptx_.rare_calls);
        }
        return no_machine_block;
    }

    std::uint32_t branch_of(std::uint32_t block) const {
        if (!code_[block].is_conditional) return no_machine_block;
        if (const std::uint32_t call = rare_call_behind(block); call != no_machine_block)
            return call;
        const MachineInstruction& last = code_[block].instructions.back();
        const auto found = times_.find(last.line);
        if (found == times_.end() || is_of_unrolled_loop(last)) return no_machine_block;
        const Weights pairs = paired(block, found->second, copies_.at({last.line, last.operation}));
        if (pairs.size() == 1) return pairs.begin()->first;
        return found->second.size() == 1 ? found->second.begin()->first : no_machine_block;
    }

    // How often each line stands in a block: as often as the rarest of the operations that were made of it.
    std::map<std::uint32_t, unsigned> times_in(std::uint32_t block) const {
        std::map<Copied, unsigned> times;
        for (const MachineInstruction& each : code_[block].instructions)
            ++times[{each.line, each.operation}];
        std::map<std::uint32_t, unsigned> least;
        for (const auto& [copied, count] : times) {
            const auto [found, is_new] = least.try_emplace(copied.first, count);
            if (!is_new) found->second = std::min(found->second, count);
        }
        return least;
    }

    void weigh(std::uint32_t block, std::size_t i, unsigned copies, Weights& sure,
               Weights& clear) const {
        const MachineInstruction& each = code_[block].instructions[i];
        const auto found = times_.find(each.line);
        if (found == times_.end()) return;
        const bool is_last = i + 1 == code_[block].instructions.size();
        if (is_last && ends_way(each.operation) && is_of_unrolled_loop(each)) return;
        const auto& in_ptx = found->second;
        const std::vector<std::uint32_t>& in_code = copies_.at({each.line, each.operation});
        const auto here = static_cast<unsigned>(std::ranges::count(in_code, block));
        const Weight weight = weight_of(code_[block], i);
        if (const Weights pairs = paired(block, in_ptx, in_code); !pairs.empty()) {
            for (const auto& [other, share] : pairs) {
                sure[other] += weight.value * share / here;
                clear[other] += weight.value * share / here;
            }
            return;
        }
        const bool has_copies = in_code.front() != in_code.back();
        for (const auto& [other, times] : in_ptx) {
            const double likeness = static_cast<double>(std::min(times, copies)) /
                                    static_cast<double>(std::max(times, copies));
            const double value = weight.value * likeness / here;
            if (in_ptx.size() == 1) clear[other] += value;
            if (weight.is_in_place || (times > 1 && times == copies && has_copies))
                sure[other] += value;
        }
    }

    // Where machine code and PTX have equally many copies of an instruction, these belong together in order.
    static Weights paired(std::uint32_t block, const std::map<std::uint32_t, unsigned>& in_ptx,
                          const std::vector<std::uint32_t>& in_code) {
        std::vector<std::uint32_t> copies;
        for (const auto& [other, times] : in_ptx) copies.insert(copies.end(), times, other);
        if (copies.size() != in_code.size() || copies.size() == 1) return {};
        Weights pairs;
        const auto here = static_cast<double>(std::ranges::count(in_code, block));
        for (std::size_t i = 0; i < in_code.size(); ++i) {
            if (in_code[i] == block) pairs[copies[i]] += 1 / here;
        }
        return pairs;
    }

    const std::vector<MachineBlock>& code_;
    const PtxLines& ptx_;
    std::map<std::uint32_t, std::map<std::uint32_t, unsigned>> times_;  // by line and block
    std::vector<MachineEvidence> bodies_;                               // by block
    std::map<std::uint32_t, unsigned> bodies_of_;                       // how many, by loop
    std::map<Copied, std::vector<std::uint32_t>> copies_;               // blocks, in order
};

}  // namespace

std::vector<MachineEvidence> evidence_of(const std::vector<MachineBlock>& code,
                                         const PtxLines& ptx) {
    const Finder finder(code, ptx);
    std::vector<MachineEvidence> evidence;
    evidence.reserve(code.size());
    for (std::uint32_t block = 0; block < code.size(); ++block)
        evidence.push_back(finder.of(block));
    return evidence;
}

}  // namespace emulator::ptx
