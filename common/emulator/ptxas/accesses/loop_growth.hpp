// By how much the registers of a loop without branches grow from one round to the next, and how many rounds there are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/ptx/parse/module.hpp"

namespace emulator::ptx {

class LoopGrowth {
  public:
    // The instructions from `head` on; `latch` is the branch back.
    LoopGrowth(const Function& function, std::uint32_t head, std::uint32_t latch);

    // The growth of a register's value at each place inside the loop that reads it; nothing: not by a constant.
    std::optional<std::int64_t> of(std::uint32_t reg) const;

    // Whether a place inside the loop stands behind the register's one write.
    bool is_behind_write(std::uint32_t reg, std::uint32_t place) const {
        return writes_[reg] == 1 && place > write_place_[reg];
    }

    // Whether each round writes the register before anything reads it.
    bool is_of_one_round(std::uint32_t reg) const { return is_of_one_round_[reg]; }

    // The value of a register in front of the loop: of the one write on every path to it, if that is a constant.
    std::optional<std::int64_t> first_value(std::uint32_t reg) const;

    // Nothing where it is not constant or more than `most`.
    std::optional<unsigned> rounds(unsigned most) const;

  private:
    using Growth = std::optional<std::int64_t>;

    void find_carried();
    Growth step_of(std::uint32_t reg) const;
    Growth result_of(const Instruction& instruction) const;
    Growth of(const Operand& operand) const;
    std::optional<std::int64_t> first_value_at(std::uint32_t place, std::uint32_t reg) const;

    const Function& function_;
    const std::uint32_t head_, latch_;
    std::vector<std::uint32_t> writes_;       // by register: how many inside
    std::vector<std::uint32_t> write_place_;  // the last of them
    std::vector<Growth> growth_;              // by register
    std::vector<bool> is_of_one_round_;       // by register
};

}  // namespace emulator::ptx
