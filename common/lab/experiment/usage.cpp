#include "lab/experiment/usage.hpp"

#include <cstdio>

namespace lab {

void explain_own_flags() {
    std::puts(R"(The lab's own flags, before those of Google Benchmark:
          [--quick]                fewer repetitions; the result is marked as quick
          [--small]                validate the small shapes alone, print their names: for racecheck
          [--launch-once]          launch each variant once, print its name: for profilers
          [--count-migrations]     (GPU) count what moves of managed memory (CUPTI), time nothing
          [--architecture=<name>]  on an emulated GPU: fermi, kepler, ... blackwell; hopper where there is no GPU
          [--workers=<n>]          (emulated) CPU threads; default one for each core
          [--check-hazards]        (emulated) races, uninitialised reads, divergent barriers
          [--report=<file>]        (emulated) a JSON object a launch, with the cost of each source line
          [--counts-alone]         (emulated) leave out what is too large to be counted, whose time alone is predicted
          [--no-caches]            (emulated) requests alone, faster: no L1, L2, DRAM

Flags of Google Benchmark that time batches of launches here; an emulated GPU times nothing:
          [--benchmark_min_time={<seconds>s|<n>x}]  a batch takes at least so long (default 0.001s), or has n launches
          [--benchmark_min_warmup_time=<seconds>]   launches before a row's first batch (default 0)
          [--benchmark_dry_run]                     one batch of one launch a row; the result is marked as quick
)");
}

void say_that_nothing_is_timed() {
    std::fputs(
        "[lab] nothing is timed here: no effect of --benchmark_min_time and "
        "--benchmark_min_warmup_time\n",
        stderr);
}

}  // namespace lab
