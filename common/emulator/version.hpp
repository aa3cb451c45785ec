// The emulator's version: raised whenever the same source may be counted differently than before, so
// that stored counts tell which rules they follow.
#pragma once

namespace emulator {

inline constexpr const char* version = "4";

}  // namespace emulator
