#include "emulator/ptx/code/machine_flow.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "emulator/ptx/code/machine_text.hpp"

namespace emulator::ptx {
namespace {

constexpr std::uint64_t nowhere = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned first_with_split_offset = 90;  // of branches; compute capability, times ten

bool is_out_of_line(const MachineText::Inner& inner) {
    return inner.name.starts_with("$__internal_");
}

// An instruction of 128 bits.
struct Coded {
    std::uint64_t low = 0, high = 0;

    std::uint16_t operation() const { return low & 0x1ff; }
    bool is_guarded() const { return (low >> 12 & 0xf) != always; }
    // Whether a branch or an end depends on a predicate.
    bool is_conditional() const {
        const bool is_branch = operation() == machine_bra;
        if (!is_branch && operation() != machine_exit && operation() != machine_ret) return false;
        const bool tests_uniform = (low & 0xfff) == 0x547;  // BRA.U UP0
        return is_guarded() || (is_branch && (tests_uniform || (high >> 23 & 0xf) != always));
    }
    // BRA.DIV leads to the code of a warp whose lanes have diverged, BRA.CONV around it.
    bool is_branch_of_parted_lanes() const { return (low >> 32 & 3) == 2; }
    bool is_branch_of_whole_warp() const { return (low >> 32 & 3) == 3; }

    // From the instruction behind it, of BRA and CALL.
    std::int64_t offset(bool is_split) const {
        const std::uint64_t upper = low >> 34 | (high & 0x3ffff) << 30;
        const std::uint64_t words = is_split ? upper << 8 | (low >> 16 & 0xff) : upper;
        const unsigned unused = is_split ? 64 - 56 : 64 - 48;
        return static_cast<std::int64_t>(words << unused) >> unused << 2;
    }
    std::int64_t offset_of_region() const { return static_cast<std::int64_t>(low >> 34) << 2; }

  private:
    static constexpr std::uint64_t always = 7;  // PT
};

bool ends_block(std::uint16_t operation) {
    switch (operation) {
        case machine_bsync:
        case machine_call_absolute:
        case machine_call:
        case machine_bra:
        case machine_brx:
        case machine_exit:
        case machine_ret:
            return true;
        default:
            return false;
    }
}

class Reader {
  public:
    Reader(const MachineText& text, unsigned compute_number)
        : text_(text), is_split_(compute_number >= first_with_split_offset) {
        size_ = text.code.size() / machine_instruction_bytes * machine_instruction_bytes;
        end_ = size_;
        for (const MachineText::Inner& inner : text.inner) {
            if (is_out_of_line(inner)) end_ = std::min(end_, inner.address);
        }
    }

    std::vector<MachineBlock> read() {
        find_starts();
        for (std::size_t i = 0; i < starts_.size(); ++i)
            add(starts_[i], i + 1 < starts_.size() ? starts_[i + 1] : end_);
        return reached();
    }

  private:
    Coded at(std::uint64_t address) const {
        return {text_.code.at<std::uint64_t>(address), text_.code.at<std::uint64_t>(address + 8)};
    }

    // The target of a branch, a call or the opening of a region; nowhere: none, or an unknown place.
    std::uint64_t target_of(std::uint64_t address) const {
        const Coded coded = at(address);
        const std::uint16_t operation = coded.operation();
        std::int64_t offset = 0;
        if (operation == machine_bssy) {
            offset = coded.offset_of_region();
        } else if (operation == machine_bra || operation == machine_call) {
            offset = coded.offset(is_split_);
        } else {
            return nowhere;
        }
        return address + machine_instruction_bytes + static_cast<std::uint64_t>(offset);
    }

    void find_starts() {
        std::set<std::uint64_t> starts;
        if (end_ != 0) starts.insert(0);
        for (const MachineText::Inner& inner : text_.inner) {
            if (inner.address < end_) starts.insert(inner.address);
        }
        for (std::uint64_t address = 0; address < end_; address += machine_instruction_bytes) {
            const std::uint64_t behind = address + machine_instruction_bytes;
            if (ends_block(at(address).operation()) && behind < end_) starts.insert(behind);
            const std::uint64_t target = target_of(address);
            if (target < end_ && target % machine_instruction_bytes == 0) starts.insert(target);
        }
        starts_.assign(starts.begin(), starts.end());
    }

    std::uint32_t block_at(std::uint64_t address) const {
        const auto found = std::ranges::lower_bound(starts_, address);
        if (found == starts_.end() || *found != address) return no_machine_block;
        return static_cast<std::uint32_t>(found - starts_.begin());
    }

    void add(std::uint64_t first, std::uint64_t end) {
        MachineBlock& block = blocks_.emplace_back();
        bool is_padding = true;
        for (std::uint64_t address = first; address < end; address += machine_instruction_bytes) {
            const Coded coded = at(address);
            block.instructions.push_back(
                {text_.lines.line_at(address), coded.operation(), coded.is_guarded()});
            const bool is_endless = coded.operation() == machine_bra && target_of(address) == first;
            is_padding &= coded.operation() == machine_nop || is_endless;
            if (coded.operation() == machine_bssy)
                openings_.emplace_back(target_of(address), blocks_.size() - 1);
        }
        const std::uint64_t last = end - machine_instruction_bytes;
        end_block(block, at(last), target_of(last), end);
        const bool is_rare = at(last).operation() == machine_call && target_of(last) >= end_ &&
                             first != 0 && is_branch_around(first - machine_instruction_bytes);
        if (is_rare) block.called = executed_of(target_of(last));
        is_left_out_.push_back(is_padding);
    }

    // The instructions of a subroutine: all of them, or a third in one that tells cases apart, as for a quotient of zero (34 of 102).
    std::uint32_t executed_of(std::uint64_t first) const {
        std::uint64_t end = size_;
        for (const MachineText::Inner& inner : text_.inner) {
            if (inner.address > first) end = std::min(end, inner.address);
        }
        std::uint32_t instructions = 0;
        bool has_branches = false;
        for (std::uint64_t address = first; address < end; address += machine_instruction_bytes) {
            const Coded coded = at(address);
            if (coded.operation() == machine_nop || target_of(address) == address) continue;
            ++instructions;
            has_branches |= coded.operation() == machine_bra;
        }
        return has_branches ? instructions / 3 : instructions;
    }

    bool is_branch_around(std::uint64_t address) const {
        return at(address).operation() == machine_bra && at(address).is_conditional();
    }

    void end_block(MachineBlock& block, const Coded& last, std::uint64_t target,
                   std::uint64_t behind) {
        const std::uint16_t operation = last.operation();
        block.is_conditional = last.is_conditional();
        block.may_leave = operation == machine_exit || operation == machine_ret;
        bool goes_on = block.is_conditional || !block.may_leave;
        if (operation == machine_bra) {
            goes_on = block.is_conditional || last.is_branch_of_parted_lanes();
            if (last.is_branch_of_parted_lanes())
                block.is_conditional = false;
            else
                block.target = block_at(target);
            if (last.is_branch_of_whole_warp()) goes_on = block.is_conditional = false;
        }
        has_unknown_targets_ |= operation == machine_brx;
        goes_on &= operation != machine_brx;
        if (goes_on) block.next = block_at(behind);
    }

    void mark(std::uint32_t root, std::vector<bool>& is_reached) const {
        std::vector<std::uint32_t> open{root};
        while (!open.empty()) {
            const std::uint32_t block = open.back();
            open.pop_back();
            if (block == no_machine_block || is_left_out_[block] || is_reached[block]) continue;
            is_reached[block] = true;
            open.push_back(blocks_[block].next);
            open.push_back(blocks_[block].target);
        }
    }

    // Without unreachable blocks.
    std::vector<MachineBlock> reached() {
        std::vector<bool> is_reached(blocks_.size());
        std::set<std::uint32_t> entries{0};
        for (const MachineText::Inner& inner : text_.inner) {
            const std::uint32_t entry = block_at(inner.address);
            if (entry != no_machine_block) entries.insert(entry);
        }
        for (const std::uint32_t entry : entries) {
            if (entry < blocks_.size()) blocks_[entry].is_entry = true;
            if (entry < blocks_.size()) mark(entry, is_reached);
        }
        for (std::uint32_t i = 0; has_unknown_targets_ && i < blocks_.size(); ++i)
            is_reached[i] = !is_left_out_[i];
        std::vector<std::uint32_t> numbers(blocks_.size(), no_machine_block);
        std::uint32_t count = 0;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (is_reached[i]) numbers[i] = count++;
        }
        return renumbered(numbers);
    }

    std::vector<MachineBlock> renumbered(const std::vector<std::uint32_t>& numbers) {
        const auto number = [&](std::uint32_t block) {
            return block == no_machine_block ? block : numbers[block];
        };
        for (const auto& [target, opening] : openings_) {
            const std::uint32_t block = block_at(target);
            if (block != no_machine_block) blocks_[block].opening = opening;
        }
        std::vector<MachineBlock> result;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (numbers[i] == no_machine_block) continue;
            MachineBlock& block = result.emplace_back(std::move(blocks_[i]));
            block.next = number(block.next);
            block.target = number(block.target);
            block.opening = number(block.opening);
        }
        return result;
    }

    const MachineText& text_;
    const bool is_split_;
    std::uint64_t size_ = 0, end_ = 0;   // behind `end_` are subroutines for rare cases
    std::vector<std::uint64_t> starts_;  // of blocks, ascending
    std::vector<MachineBlock> blocks_;
    std::vector<bool> is_left_out_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> openings_;  // of regions, by their end
    bool has_unknown_targets_ = false;
};

}  // namespace

MachineFlow read_machine_flow(std::span<const std::byte> cubin, unsigned compute_number) {
    MachineFlow flow;
    for (const MachineText& text : read_machine_texts(cubin))
        flow[text.name] = Reader(text, compute_number).read();
    return flow;
}

}  // namespace emulator::ptx
