// Fibers for the lanes of a block, so that a lane can stop at a barrier and another go on.
// Boost.Context switches; this adds stacks with a guard page, kept from block to block, and lets any
// fiber switch to any other.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace emulator {

class FiberPool;

class LaneFiber {
  public:
    std::uint64_t stack_begin() const { return stack_begin_; }
    std::size_t stack_bytes() const { return stack_bytes_; }

  private:
    friend class FiberPool;
    std::uint64_t stack_begin_ = 0;
    std::size_t stack_bytes_ = 0;
    boost::context::fiber context_;  // while the fiber does not run
};

// The fibers of one CPU thread. Outside of them runs the scheduler: the thread's own stack.
class FiberPool {
  public:
    // Each switch to an idle fiber runs `body` from its start; `body` gives the fiber back, and when
    // it returns calls nothing but `next` (which switches away).
    FiberPool(std::function<void(LaneFiber&)> body, std::function<void()> next)
        : body_(std::move(body)), next_(std::move(next)) {}

    LaneFiber& take();
    void give_back(LaneFiber& fiber) { idle_.push_back(&fiber); }
    void switch_to(LaneFiber& fiber) { switch_context(&fiber); }
    void switch_to_scheduler() { switch_context(nullptr); }
    // After a fault the fibers hold kernel frames that nothing can unwind (the instrumented calls
    // promise not to throw). They are left behind, with their stacks.
    void leave_behind();

  private:
    std::unique_ptr<LaneFiber> make(std::size_t index);
    void switch_context(LaneFiber* target) {
        left_ = running_;
        running_ = target;
        if (left_ == target) return;  // an idle fiber that was taken again at once
        arrive(std::move(context_of(target)).resume());
    }
    void arrive(boost::context::fiber&& from) { context_of(left_) = std::move(from); }
    boost::context::fiber& context_of(LaneFiber* fiber) {
        return fiber == nullptr ? scheduler_ : fiber->context_;
    }

    std::function<void(LaneFiber&)> body_;
    std::function<void()> next_;
    std::vector<std::unique_ptr<LaneFiber>> fibers_;
    std::vector<LaneFiber*> idle_;
    boost::context::fiber scheduler_;
    LaneFiber* running_ = nullptr;  // null: the scheduler
    LaneFiber* left_ = nullptr;     // whom the last switch left
};

}  // namespace emulator
