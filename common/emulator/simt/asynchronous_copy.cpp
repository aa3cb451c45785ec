// cp.async, cp.async.bulk and mbarrier. `instruction` has not put the instruction into its block yet: each
// form either does `blocks_.back().instructions.push_back(at_)` and `emit`s operations, or, where a warp
// should give way after it (mbarrier.try_wait that says no), calls `branch_around()`, `emit`s, and
// ends with `end_block(Control::poll)`; its handler then sets WarpContext::gives_way.
#include "emulator/simt/decode.hpp"

namespace emulator::simt {

bool FunctionDecoder::asynchronous_copy(const ptx::Instruction&) { return false; }

}  // namespace emulator::simt
