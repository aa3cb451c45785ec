// Frames, allocations, the places that messages name.
#include "emulator/simt/state/launch.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulator/memory/device_memory.hpp"

namespace emulator::simt {
namespace {

std::byte* aligned_64(std::byte* pointer) {
    return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(pointer) + 63) &
                                        ~std::uintptr_t{63});
}

}  // namespace

std::uint64_t Launch::block_of(std::uint64_t cluster, std::uint32_t rank) const {
    const auto& [grid, size] = std::pair(shape.grid, shape.cluster);
    const std::uint64_t along_x = grid.x / size.x, along_y = grid.y / size.y;
    const std::uint64_t x = cluster % along_x * size.x + rank % size.x;
    const std::uint64_t y = cluster / along_x % along_y * size.y + rank / size.x % size.y;
    const std::uint64_t z = cluster / along_x / along_y * size.z + rank / size.x / size.y;
    return (z * grid.y + y) * grid.x + x;
}

Execution::Execution(const Launch& launch)
    : launch(launch),
      sites(launch.image.sites.size()),
      counts(launch.image.counters.size()),
      guarded_out(launch.image.guarded.size()),
      rare_operands(launch.image.rare_operands.size()) {}

const Allocation* Execution::find_allocation(Address address) {
    auto after = std::ranges::upper_bound(allocations_, address, {}, &Allocation::begin);
    if (after != allocations_.begin() && address < std::prev(after)->end())
        return &*std::prev(after);
    const auto found = allocation_at_or_below(address);
    if (!found || address >= found->end()) return nullptr;
    return &*allocations_.insert(after, *found);
}

bool Execution::is_constant(Address address) const {
    return simt::is_constant(launch.module, address);
}

Frame* Execution::take_frame(const Function& function) {
    auto& spare = spare_frames_[&function];
    if (!spare.empty()) {
        Frame* const frame = spare.back();
        spare.pop_back();
        return frame;
    }
    Frame& frame = *frames_.emplace_back(std::make_unique<Frame>());
    const std::size_t registers = (std::size_t{function.register_bytes} + 63) / 64 * 64;
    const std::size_t parameters = std::size_t{function.parameter_bytes} * warp_size;
    frame.storage = std::make_unique<std::byte[]>(registers + parameters + 128);
    frame.function = &function;
    frame.registers = aligned_64(frame.storage.get());
    frame.parameters = frame.registers + registers;
    for (const Constant& constant : function.constants) {
        std::byte* const place = frame.registers + constant.offset;
        const std::size_t lanes = constant.bytes == 0 ? 1 : warp_size;
        const std::size_t bytes = constant.bytes == 0 ? 4 : constant.bytes;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            std::memcpy(place + lane * bytes, &constant.bits, bytes);
        }
    }
    return &frame;
}

void Execution::give_back(Frame* frame) { spare_frames_[frame->function].push_back(frame); }

std::string index_text(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    std::string text("(");
    text.append(std::to_string(x)).append(",").append(std::to_string(y)).append(",");
    return text.append(std::to_string(z)).append(")");
}

std::string thread_text(const Launch& launch, std::uint32_t thread) {
    const Dimensions& size = launch.shape.block;
    return index_text(thread % size.x, thread / size.x % size.y, thread / size.x / size.y);
}

std::string plain_name(const std::string& symbol) {
    int status = 0;
    char* const plain = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string name = status == 0 && plain != nullptr ? plain : symbol;
    std::free(plain);
    const std::size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::string place_of(const WarpContext& context, std::uint32_t instruction, int lane) {
    const Launch& launch = context.execution->launch;
    const auto& block = context.block->index;
    const auto& instructions = context.frame->function->source->instructions;
    const std::string line =
        instruction < instructions.size()
            ? text(launch.module,
                   place_in_program(launch.module, instructions[instruction].location))
            : std::string();
    return "kernel " + launch.kernel_name + ", block " + index_text(block[0], block[1], block[2]) +
           ", thread " +
           thread_text(launch,
                       context.warp->number * warp_size + static_cast<std::uint32_t>(lane)) +
           ": " + line;
}

Fault fault_at(const WarpContext& context, FaultKind kind, std::uint32_t instruction, int lane,
               const std::string& what) {
    return Fault(kind, place_of(context, instruction, lane) + " " + what);
}

}  // namespace emulator::simt
