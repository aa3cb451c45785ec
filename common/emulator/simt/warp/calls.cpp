// Activations of functions.
#include <bit>

#include "emulator/simt/state/memory.hpp"
#include "emulator/simt/warp/block_runner.hpp"

namespace emulator::simt {
namespace {

// Whether the function is among those that have called each other.
bool is_active(const Function& function, const Frame* frame) {
    while (frame != nullptr && frame->function != &function) frame = frame->caller;
    return frame != nullptr;
}

}  // namespace

BlockRunner::Next BlockRunner::call(WarpState& warp, Fragment& fragment, const BasicBlock& block) {
    const auto& detail = *static_cast<const CallDetail*>(block.detail);
    WarpContext& context = warp.context;
    Reconvergence* point = nullptr;
    if (!warp.spare.empty()) {
        point = warp.spare.back();
        warp.spare.pop_back();
    } else {
        point = warp.reconvergences.emplace_back(std::make_unique<Reconvergence>()).get();
    }
    *point = {block.next, fragment.frame, fragment.lanes, 0, fragment.reconvergence};
    fragment.reconvergence = point;
    if (detail.callee != nullptr) {
        enter_function(warp, fragment, block, *detail.callee, fragment.lanes);
        enter(warp, fragment);
        return Next::go_on;
    }
    const std::uint64_t* const pointers = context.lanes<std::uint64_t>(detail.pointer);
    const Fragment caller = fragment;
    for (std::uint32_t rest = caller.lanes; rest != 0;) {
        const int lane = std::countr_zero(rest);
        const Function* const callee = execution_.launch.image.function_at(pointers[lane]);
        if (callee == nullptr) {
            throw fault_at(context, FaultKind::illegal_instruction, block.control_instruction, lane,
                           "a call through a pointer to no function");
        }
        std::uint32_t same = 0;
        for (std::uint32_t lanes = rest; lanes != 0; lanes &= lanes - 1) {
            const int other = std::countr_zero(lanes);
            if (pointers[other] == pointers[lane]) same |= 1u << other;
        }
        rest &= ~same;
        fragment = caller;
        enter_function(warp, fragment, block, *callee, same);
        if (rest != 0) warp.fragments.push_back(fragment);
    }
    enter(warp, fragment);
    return Next::go_on;
}

// `fragment` becomes `lanes` at the start of `callee`.
void BlockRunner::enter_function(WarpState& warp, Fragment& fragment, const BasicBlock& block,
                                 const Function& callee, std::uint32_t lanes) {
    const auto& detail = *static_cast<const CallDetail*>(block.detail);
    if (!callee.traits.unsupported.empty()) throw Unsupported(callee.traits.unsupported);
    Frame* const caller = fragment.frame;
    Frame* const frame = execution_.take_frame(callee);
    frame->caller = caller;
    frame->call = &detail;
    frame->return_block = block.next;
    frame->live_lanes = lanes;
    frame->local_base = caller->local_base + caller->function->local_bytes;
    const std::uint32_t local_bytes = frame->local_base + callee.local_bytes;
    const std::size_t stack_bytes = execution_.launch.options.stack_bytes;
    const bool is_too_deep =
        local_bytes > LocalMemory::max_bytes || ++warp.call_depth > max_call_depth;
    if (is_too_deep || (local_bytes > stack_bytes && is_active(callee, caller))) {
        throw fault_at(warp.context, FaultKind::stack_overflow, block.control_instruction,
                       std::countr_zero(lanes),
                       "the call stack overflows: functions that call themselves have " +
                           std::to_string(stack_bytes) +
                           " bytes a thread (cudaDeviceSetLimit(cudaLimitStackSize))");
    }
    warp.local.reserve(local_bytes);
    const std::size_t arguments =
        std::min(detail.arguments.size(), callee.parameter_offsets.size());
    for (std::size_t i = 0; i < arguments; ++i) {
        copy_interleaved(frame->parameters, callee.parameter_offsets[i], caller->parameters,
                         detail.arguments[i],
                         std::min(detail.argument_bytes[i], callee.parameter_sizes[i]), lanes);
    }
    fragment.lanes = lanes;
    fragment.frame = frame;
    fragment.block = 0;
}

// The lanes go back to where they were called from, with their results.
void BlockRunner::leave_function(WarpState& warp, Fragment& fragment) {
    Frame* const frame = fragment.frame;
    const Function& callee = *frame->function;
    const CallDetail& detail = *frame->call;
    const std::size_t results = std::min(detail.results.size(), callee.result_offsets.size());
    for (std::size_t i = 0; i < results; ++i) {
        copy_interleaved(frame->caller->parameters, detail.results[i], frame->parameters,
                         callee.result_offsets[i],
                         std::min(detail.result_bytes[i], callee.result_sizes[i]), fragment.lanes);
    }
    fragment.frame = frame->caller;
    fragment.block = frame->return_block;
    frame->live_lanes &= ~fragment.lanes;
    if (frame->live_lanes == 0) {
        execution_.give_back(frame);
        --warp.call_depth;
    }
}

}  // namespace emulator::simt
