// Fibers for the lanes of a block, so that a lane can stop at a barrier and another go on.
// Boost.Context switches; this adds stacks with a guard page, kept from block to block.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace emulator {

class LaneFiber {
  public:
    // Every resume() of an idle fiber runs `body` from its start. `index` staggers the stacks.
    LaneFiber(std::size_t index, std::function<void(LaneFiber&)> body);

    // Called by the scheduler: runs the fiber until it suspends.
    void resume() { context_ = std::move(context_).resume(); }
    // Called on the fiber: back to the scheduler, until resumed.
    void suspend() { scheduler_ = std::move(scheduler_).resume(); }

    std::uint64_t stack_begin() const { return stack_begin_; }
    std::size_t stack_bytes() const { return stack_bytes_; }

  private:
    boost::context::fiber scheduler_;
    std::uint64_t stack_begin_ = 0;
    std::size_t stack_bytes_ = 0;
    boost::context::fiber context_;
};

class FiberPool {
  public:
    explicit FiberPool(std::function<void(LaneFiber&)> body) : body_(std::move(body)) {}

    LaneFiber& take();
    void give_back(LaneFiber& fiber) { idle_.push_back(&fiber); }
    // After a fault the fibers hold kernel frames that nothing can unwind (the instrumented calls
    // promise not to throw). They are left behind, with their stacks.
    void leave_behind();

  private:
    std::function<void(LaneFiber&)> body_;
    std::vector<std::unique_ptr<LaneFiber>> fibers_;
    std::vector<LaneFiber*> idle_;
};

}  // namespace emulator
