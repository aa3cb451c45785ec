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

// `index` staggers the stacks.
std::unique_ptr<LaneFiber> FiberPool::make(std::size_t index) {
    boost::context::protected_fixedsize_stack allocator(stack_size);
    const boost::context::stack_context stack = allocator.allocate();
    const std::size_t shift = index % colours * colour_bytes;
    auto fiber = std::make_unique<LaneFiber>();
    fiber->stack_begin_ = reinterpret_cast<std::uint64_t>(stack.sp) - stack.size;
    fiber->stack_bytes_ = stack.size;
    fiber->context_ = boost::context::fiber(
        std::allocator_arg,
        boost::context::preallocated(static_cast<char*>(stack.sp) - shift, stack.size - shift, stack),
        allocator, [this, self = fiber.get()](boost::context::fiber&& from) {
            arrive(std::move(from));
            for (;;) {
                body_(*self);
                next_();
            }
            return boost::context::fiber();
        });
    return fiber;
}

LaneFiber& FiberPool::take() {
    if (idle_.empty()) {
        fibers_.push_back(make(fibers_.size()));
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
