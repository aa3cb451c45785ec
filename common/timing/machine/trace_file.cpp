#include "timing/machine/trace_file.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <stdexcept>
#include <type_traits>

namespace timing {
namespace {

constexpr std::size_t max_count = std::size_t{1} << 28;

class Writer {
  public:
    static constexpr bool reads = false;

    template <std::unsigned_integral T>
    void operator()(T& value) {
        std::uint64_t rest = value;
        for (; rest >= 0x80; rest >>= 7) bytes.push_back(static_cast<std::uint8_t>(rest | 0x80));
        bytes.push_back(static_cast<std::uint8_t>(rest));
    }
    void operator()(double& value) {
        auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        (*this)(bits);
    }
    std::vector<std::uint8_t> bytes;
};

class Reader {
  public:
    static constexpr bool reads = true;

    explicit Reader(std::span<const std::uint8_t>& bytes) : bytes_(bytes) {}
    template <std::unsigned_integral T>
    void operator()(T& value) {
        std::uint64_t result = 0;
        for (unsigned shift = 0;; shift += 7) {
            if (bytes_.empty() || shift > 63) throw std::runtime_error("a record ends too early");
            const std::uint8_t byte = bytes_.front();
            bytes_ = bytes_.subspan(1);
            result |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) break;
        }
        value = static_cast<T>(result);
    }
    void operator()(double& value) {
        std::uint32_t bits = 0;
        (*this)(bits);
        value = std::bit_cast<float>(bits);
    }

  private:
    std::span<const std::uint8_t>& bytes_;
};

template <class Archive, class T>
    requires std::is_enum_v<T>
void transfer(Archive& archive, T& value) {
    auto number = static_cast<std::uint8_t>(value);
    archive(number);
    value = static_cast<T>(number);
}
template <class Archive, class T>
    requires std::is_arithmetic_v<T>
void transfer(Archive& archive, T& value) {
    archive(value);
}
template <class Archive, class First, class... Rest>
    requires(sizeof...(Rest) > 0)
void transfer(Archive& archive, First& first, Rest&... rest) {
    transfer(archive, first);
    transfer(archive, rest...);
}

template <class Archive, class T, class Each>
void transfer_list(Archive& archive, std::vector<T>& list, const Each& each) {
    std::size_t count = list.size();
    archive(count);
    if (count > max_count) throw std::runtime_error("a record is damaged");
    if constexpr (Archive::reads) list.resize(count);
    for (T& element : list) each(element);
}

// The difference from the one before, so small numbers where they go on alike.
template <class Archive>
void transfer_difference(Archive& archive, std::uint64_t& value, std::uint64_t& before) {
    const auto difference = static_cast<std::int64_t>(value - before);
    auto zigzag = (static_cast<std::uint64_t>(difference) << 1) ^
                  static_cast<std::uint64_t>(difference >> 63);
    archive(zigzag);
    value = before + ((zigzag >> 1) ^ (0 - (zigzag & 1)));
    before = value;
}

template <class Archive>
void transfer_instruction(Archive& archive, Instruction& each) {
    transfer(archive, each.unit, each.slots, each.wait, each.writes_memory, each.reads_memory,
             each.orders_memory, each.reads_clock, each.reads_special, each.loads_parameter,
             each.branches, each.has_no_operand_reuse, each.copies, each.ends_group, each.groups,
             each.space, each.access);
    for (std::vector<Register>* const registers : {&each.sources, &each.destinations})
        transfer_list(archive, *registers, [&](Register& one) { archive(one); });
}

// The lines of a warp's accesses, each behind the one before.
template <class Archive>
void transfer_lines(Archive& archive, WarpTrace& warp, std::vector<emulator::LineSectors>& lines) {
    std::uint64_t before = 0;
    for (Access& access : warp.accesses) {
        const std::size_t first = access.first_line;
        if constexpr (Archive::reads) {
            if (lines.size() + access.line_count > max_count)
                throw std::runtime_error("a record is damaged");
            access.first_line = static_cast<std::uint32_t>(lines.size());
        }
        for (std::uint32_t i = 0; i < access.line_count; ++i) {
            std::uint64_t number = 0;
            unsigned sectors = 0;
            if constexpr (!Archive::reads) {
                number = lines[first + i].line() / emulator::line_bytes;
                sectors = lines[first + i].sectors();
            }
            transfer_difference(archive, number, before);
            archive(sectors);
            if constexpr (Archive::reads)
                lines.emplace_back(number * emulator::line_bytes, sectors & 0xf);
        }
    }
}

template <class Archive>
void transfer_warp(Archive& archive, WarpTrace& warp, std::vector<emulator::LineSectors>& lines) {
    std::uint64_t before = 0;
    transfer_list(archive, warp.steps, [&](Step& step) { archive(step.block); });
    for (Step& step : warp.steps) {
        std::uint64_t first = step.first_access;
        transfer_difference(archive, first, before);
        step.first_access = static_cast<std::uint32_t>(first);
    }
    std::vector<Access>& accesses = warp.accesses;
    transfer_list(archive, accesses, [&](Access& each) { transfer(archive, each.kind); });
    const auto column = [&](auto Access::* field) {
        for (Access& each : accesses) {
            if (each.kind != Access::Kind::none) transfer(archive, each.*field);
        }
    };
    column(&Access::space);
    column(&Access::path);
    column(&Access::update);
    column(&Access::wavefronts);
    column(&Access::sectors);
    column(&Access::bytes);
    column(&Access::line_count);
    column(&Access::barrier);
    column(&Access::copies);
    transfer_lines(archive, warp, lines);
    transfer(archive, warp.recorded, warp.executed);
}

template <class Archive>
void transfer_facts(Archive& archive, LaunchFacts& facts) {
    transfer(archive, facts.blocks, facts.sm_blocks, facts.resident_blocks, facts.l1_bytes,
             facts.dram_share_of_reads, facts.cold_share, facts.dram_bytes_per_read_sector,
             facts.dram_bytes_per_written_sector, facts.dram_bytes, facts.dram_dirty_share,
             facts.share_of_rows_read, facts.share_of_rows_written, facts.slice_unevenness);
    std::vector<std::pair<std::size_t, double>> updates(facts.updates_of_all.begin(),
                                                        facts.updates_of_all.end());
    std::ranges::sort(updates);
    transfer_list(archive, updates,
                  [&](auto& each) { transfer(archive, each.first, each.second); });
    facts.updates_of_all = {updates.begin(), updates.end()};
}

template <class Archive>
void transfer_launch(Archive& archive, LaunchInput& launch) {
    std::vector<char> name(launch.kernel.begin(), launch.kernel.end());
    transfer_list(archive, name, [&](char& letter) {
        auto byte = static_cast<std::uint8_t>(letter);
        archive(byte);
        letter = static_cast<char>(byte);
    });
    launch.kernel.assign(name.begin(), name.end());
    transfer_facts(archive, launch.facts);
    Program& program = launch.trace.program;
    archive(program.registers);
    transfer_list(archive, program.blocks, [&](BasicBlock& block) {
        transfer_list(archive, block.instructions,
                      [&](Instruction& each) { transfer_instruction(archive, each); });
    });
    transfer_list(archive, launch.trace.blocks, [&](BlockTrace& block) {
        transfer_list(archive, block,
                      [&](WarpTrace& warp) { transfer_warp(archive, warp, launch.trace.lines); });
    });
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const LaunchInput& launch) {
    Writer writer;
    transfer_launch(writer, const_cast<LaunchInput&>(launch));  // it changes nothing
    return std::move(writer.bytes);
}

LaunchInput take_launch(std::span<const std::uint8_t>& bytes) {
    Reader reader(bytes);
    LaunchInput launch;
    transfer_launch(reader, launch);
    return launch;
}

}  // namespace timing
