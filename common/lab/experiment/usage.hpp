// Texts about the flags of a chapter's executable.
#pragma once

namespace lab {

// For --help, before Google Benchmark's own usage.
void explain_own_flags();
// For flags of batches on a device that does not time.
void say_that_nothing_is_timed();

}  // namespace lab
