// What the time model takes ptxas to do: mechanisms that a machine's description can leave out.
#pragma once

namespace timing {

struct PtxasRules {
    bool predicates = true;        // short bodies of branches
    bool reorders = true;          // loads come first
    bool limits_registers = true;  // as far as the thread's registers reach
};

}  // namespace timing
