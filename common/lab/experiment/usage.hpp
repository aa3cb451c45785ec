// The text of --help before Google Benchmark's own usage.
#pragma once

namespace lab {

void explain_own_flags();

}  // namespace lab
