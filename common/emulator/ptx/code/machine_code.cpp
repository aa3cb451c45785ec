#include "emulator/ptx/code/machine_code.hpp"

#include <algorithm>
#include <optional>

#include "emulator/ptx/code/machine_text.hpp"

namespace emulator::ptx {
namespace {

constexpr std::uint64_t instruction_bytes = machine_instruction_bytes;

// The low nine bits are the operation; those above select forms of its operands, and the guard.
std::optional<MachineAccessKind> kind_of(std::uint64_t low) {
    switch (low & 0x1ff) {
        case 0x180:  // LD
        case 0x181:  // LDG
        case 0x184:  // LDS
            return MachineAccessKind::load;
        case 0x185:  // ST
        case 0x186:  // STG
        case 0x188:  // STS
            return MachineAccessKind::store;
        case 0x183:  // LDL
            return MachineAccessKind::local_load;
        case 0x187:  // STL
            return MachineAccessKind::local_store;
        case 0x18a:  // ATOM
        case 0x18b:
        case 0x18c:  // ATOMS
        case 0x18d:
        case 0x18e:  // RED
        case 0x1a3:  // ATOM, ATOMG, RED of floating point
        case 0x1a6:
        case 0x1a7:
        case 0x1a8:
        case 0x1a9:
            return MachineAccessKind::atomic;
        case 0x150:  // RET
            return MachineAccessKind::return_;
        case 0x141:  // BSYNC
            return MachineAccessKind::reconvergence;
        default:
            return std::nullopt;
    }
}

bool is_generic(std::uint64_t low) {
    const std::uint64_t operation = low & 0x1ff;
    return operation == 0x180 || operation == 0x185;  // LD, ST
}

std::uint8_t bytes_of_access(std::uint64_t high) {
    static constexpr std::uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    return bytes[high >> 9 & 7];
}

bool is_guarded(std::uint64_t low) {
    constexpr std::uint64_t always = 7;  // PT
    return (low >> 12 & 0xf) != always;
}

bool is_jump(std::uint64_t low) {
    const std::uint64_t operation = low & 0x1ff;
    return operation == 0x147 || operation == 0x14d;  // BRA, EXIT
}

bool ends_block(std::uint64_t low) {
    switch (low & 0x1ff) {
        case 0x11d:  // BAR
        case 0x143:  // CALL
        case 0x144:
        case 0x147:  // BRA
        case 0x14d:  // EXIT
            return true;
        default:
            return false;
    }
}

// The line of the first instruction that belongs to its place in the program: copies of registers at the begin of a block
// may have the line of the block before.
std::uint32_t line_behind(const CubinReader& code, const LineSequence& lines, std::uint64_t at) {
    for (; at + instruction_bytes <= code.size(); at += instruction_bytes) {
        const auto low = code.at<std::uint64_t>(at);
        const auto kind = kind_of(low);
        if (ends_block(low) || (kind && kind != MachineAccessKind::reconvergence))
            return lines.line_at(at);
    }
    return 0;
}

// Registers that are restored where lanes reconverge, or behind a jump, have the line of what stands before: they belong to
// what stands behind.
class Lines {
  public:
    explicit Lines(const LineSequence& lines) : lines_(lines) {}
    std::uint32_t of(std::uint64_t at, std::uint64_t low, bool is_local) {
        const std::uint32_t line = lines_.line_at(at);
        if (line != ended_) ended_ = 0;
        if ((low & 0x1ff) == 0x141 || is_jump(low)) ended_ = line;
        return is_local && ended_ != 0 ? lines_.other_line_behind(at) : line;
    }

  private:
    const LineSequence& lines_;
    std::uint32_t ended_ =
        0;  // the line of a block that has ended, as long as the table stays with it
};

std::vector<MachineAccess> accesses_of(const CubinReader& code, const LineSequence& lines) {
    std::vector<MachineAccess> accesses;
    Lines places(lines);
    for (std::uint64_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
        const auto low = code.at<std::uint64_t>(at);
        auto kind = kind_of(low);
        if (!kind && is_jump(low) && is_guarded(low)) kind = MachineAccessKind::jump;
        const bool is_local =
            kind == MachineAccessKind::local_load || kind == MachineAccessKind::local_store;
        const std::uint32_t own = places.of(at, low, is_local);
        const std::uint32_t line = kind == MachineAccessKind::reconvergence
                                       ? line_behind(code, lines, at + instruction_bytes)
                                       : own;
        if (!kind || line == 0) continue;
        accesses.push_back({line, *kind, bytes_of_access(code.at<std::uint64_t>(at + 8)),
                            is_guarded(low), static_cast<std::uint32_t>(at / instruction_bytes),
                            is_generic(low)});
    }
    std::ranges::stable_sort(accesses, {}, &MachineAccess::line);
    return accesses;
}

}  // namespace

MachineCode read_machine_code(std::span<const std::byte> cubin) {
    MachineCode result;
    for (const MachineText& text : read_machine_texts(cubin))
        result[text.name] = accesses_of(text.code, text.lines);
    return result;
}

}  // namespace emulator::ptx
