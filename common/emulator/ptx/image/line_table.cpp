#include "emulator/ptx/image/line_table.hpp"

#include <algorithm>

#include "emulator/ptx/image/elf.hpp"

namespace emulator::ptx {
namespace {

enum StandardOpcode : std::uint8_t {
    extended,
    copy,
    advance_address,
    advance_line,
    set_file,
    set_column,
    negate_statement,
    set_basic_block,
    const_add_address,
    fixed_advance_address,
};
enum ExtendedOpcode : std::uint8_t { end_sequence = 1, set_address = 2 };

class Program {
  public:
    explicit Program(std::span<const std::byte> table) : bytes_(table, "line table of a cubin") {}

    std::vector<LineSequence> run() {
        while (at_ < bytes_.size()) unit();
        return std::move(sequences_);
    }

  private:
    void unit() {
        const std::uint64_t end = at_ + 4 + bytes_.at<std::uint32_t>(at_);
        const std::uint64_t first = at_ + 10 + bytes_.at<std::uint32_t>(at_ + 6);
        if (end > bytes_.size() || first > end) {
            throw FatbinError("line table of a cubin: truncated or damaged");
        }
        step_ = bytes_.at<std::uint8_t>(at_ + 10);
        line_base_ = bytes_.at<std::int8_t>(at_ + 12);
        line_range_ = bytes_.at<std::uint8_t>(at_ + 13);
        opcode_base_ = bytes_.at<std::uint8_t>(at_ + 14);
        if (line_range_ == 0) throw FatbinError("line table of a cubin: truncated or damaged");
        operands_.assign(opcode_base_, 0);
        for (std::uint32_t i = 1; i < opcode_base_; ++i) {
            operands_[i] = bytes_.at<std::uint8_t>(at_ + 14 + i);
        }
        begin_sequence();
        at_ = first;
        while (at_ < end) instruction();
        at_ = end;
    }

    void begin_sequence() {
        row_ = {0, 1};
        sequence_ = {};
    }

    std::uint64_t unsigned_number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = bytes_.at<std::uint8_t>(at_++);
            if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return value;
        }
    }

    std::int64_t signed_number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;;) {
            const auto byte = bytes_.at<std::uint8_t>(at_++);
            if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
            shift += 7;
            if (byte >= 0x80) continue;
            if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
            return static_cast<std::int64_t>(value);
        }
    }

    void instruction() {
        const auto opcode = bytes_.at<std::uint8_t>(at_++);
        if (opcode >= opcode_base_) {
            const unsigned adjusted = opcode - opcode_base_;
            row_.address += step_ * (adjusted / line_range_);
            add_lines(line_base_ + static_cast<int>(adjusted % line_range_));
            sequence_.rows.push_back(row_);
        } else if (opcode == extended) {
            extended_instruction();
        } else if (opcode == copy) {
            sequence_.rows.push_back(row_);
        } else if (opcode == advance_address) {
            row_.address += step_ * unsigned_number();
        } else if (opcode == advance_line) {
            add_lines(signed_number());
        } else if (opcode == const_add_address) {
            row_.address += step_ * ((255u - opcode_base_) / line_range_);
        } else if (opcode == fixed_advance_address) {
            row_.address += bytes_.at<std::uint16_t>(at_);
            at_ += 2;
        } else {
            for (std::uint8_t i = 0; i < operands_[opcode]; ++i) unsigned_number();
        }
    }

    void add_lines(std::int64_t lines) {
        row_.line = static_cast<std::uint32_t>(std::int64_t{row_.line} + lines);
    }

    void extended_instruction() {
        const std::uint64_t size = unsigned_number();
        const std::uint64_t next = at_ + size;
        const auto opcode = bytes_.at<std::uint8_t>(at_);
        if (opcode == set_address) {
            sequence_.address_field = at_ + 1;
            row_.address = bytes_.at<std::uint64_t>(at_ + 1);
        }
        if (opcode == end_sequence) {
            sequences_.push_back(std::move(sequence_));
            begin_sequence();
        }
        if (size == 0 || next > bytes_.size()) {
            throw FatbinError("line table of a cubin: truncated or damaged");
        }
        at_ = next;
    }

    CubinReader bytes_;
    std::uint64_t at_ = 0;
    std::uint32_t step_ = 1, line_range_ = 1, opcode_base_ = 0;
    std::int8_t line_base_ = 0;
    std::vector<std::uint8_t> operands_;  // of each standard opcode
    LineRow row_;
    LineSequence sequence_;
    std::vector<LineSequence> sequences_;
};

}  // namespace

std::uint32_t LineSequence::line_at(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(rows, address, {}, &LineRow::address);
    return after == rows.begin() ? 0 : (after - 1)->line;
}

std::uint32_t LineSequence::other_line_behind(std::uint64_t address) const {
    const std::uint32_t own = line_at(address);
    const auto after = std::ranges::upper_bound(rows, address, {}, &LineRow::address);
    const auto other =
        std::find_if(after, rows.end(), [&](const LineRow& row) { return row.line != own; });
    return other == rows.end() ? own : other->line;
}

std::vector<LineSequence> read_line_table(std::span<const std::byte> table) {
    return Program(table).run();
}

}  // namespace emulator::ptx
