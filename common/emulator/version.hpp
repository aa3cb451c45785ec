// The emulator's version: raised whenever the same source may be counted differently than before, so
// that stored counts tell which rules they follow.
#pragma once

namespace emulator {

inline constexpr const char* version = "5";

}  // namespace emulator
