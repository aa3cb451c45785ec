#include "emulator/fiber_pool.hpp"

#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

namespace emulator {
namespace {

constexpr std::size_t stack_size = 128 * 1024;
// Stacks are page-aligned: without a shift, the frames of all lanes would meet in the same few sets
// of the CPU's caches.
constexpr std::size_t colours = 32;
constexpr std::size_t colour_bytes = 192;

}  // namespace

LaneFiber::LaneFiber(std::size_t index, std::function<void(LaneFiber&)> body) {
    boost::context::protected_fixedsize_stack allocator(stack_size);
    const boost::context::stack_context stack = allocator.allocate();
    const std::size_t shift = index % colours * colour_bytes;
    stack_begin_ = reinterpret_cast<std::uint64_t>(stack.sp) - stack.size;
    stack_bytes_ = stack.size;
    context_ = boost::context::fiber(
        std::allocator_arg,
        boost::context::preallocated(static_cast<char*>(stack.sp) - shift, stack.size - shift, stack),
        allocator, [this, body = std::move(body)](boost::context::fiber&& scheduler) {
            scheduler_ = std::move(scheduler);
            for (;;) {
                body(*this);
                suspend();
            }
            return boost::context::fiber();
        });
}

LaneFiber& FiberPool::take() {
    if (idle_.empty()) {
        fibers_.push_back(std::make_unique<LaneFiber>(fibers_.size(), body_));
        return *fibers_.back();
    }
    LaneFiber& fiber = *idle_.back();
    idle_.pop_back();
    return fiber;
}

void FiberPool::leave_behind() {
    idle_.clear();
    for (auto& fiber : fibers_) (void)fiber.release();
    fibers_.clear();
}

}  // namespace emulator
