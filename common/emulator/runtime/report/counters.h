// Functions that the emulated runtime exports beyond CUDA's API. A program asks for these functions with
// dlsym(RTLD_DEFAULT, ...): where they are missing, the runtime is NVIDIA's and the GPU real.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*EmulatedGpuVisitor)(void* context, const char* name, double value);

// Counters of all launches since the last emulatedGpuResetCounters, under the names of the data format
// (DESIGN: load_requests, load_sectors, ...). Waits for all launches.
void emulatedGpuVisitCounters(EmulatedGpuVisitor visit, void* context);
void emulatedGpuResetCounters(void);

// The time of launches, as the model of common/timing predicts it: off by default, because it costs up to a
// few seconds of CPU time a launch. What they find in the L2: what was left there, nothing of their own, or all
// of their data, where these fit.
enum EmulatedGpuTime {
    EMULATED_GPU_NO_TIME,
    EMULATED_GPU_TIME,
    EMULATED_GPU_COLD_L2,
    EMULATED_GPU_WARM_L2,
};
void emulatedGpuPredictTime(int time);
// The sum over all launches since the last emulatedGpuResetCounters; 0 where no time was asked for.
double emulatedGpuPredictedSeconds(void);
// The bound of the longest of them ("dram"); null where no time was asked for.
const char* emulatedGpuPredictedBound(void);
// The time of launches, copies and fills together.
double emulatedGpuBusySeconds(void);

// Whether launches execute only enough of their blocks to tell counts and time, as with EMULATED_GPU_SAMPLE, and copies
// of kind cudaMemcpyDeviceToDevice move nothing. Without it, what the variable says holds.
void emulatedGpuSample(int wanted);

// Properties of the emulated GPU that cudaDeviceProp does not have: "architecture" ("hopper"),
// "generation" ("Hopper"), "gpu" ("H200"), "year", "fetch_unit_bytes", "dram_bytes_per_second",
// "version" (of the emulator), "checks_hazards" ("1"). Null for an unknown name. Static storage.
const char* emulatedGpuProperty(const char* name);

// Hazards found since the last reset, one line each; the count, and the i-th (null beyond).
unsigned emulatedGpuHazardCount(void);
const char* emulatedGpuHazard(unsigned i);

// Reads of these bytes of device memory count as uninitialised again, until they are written: for a
// program that fills fresh memory with a pattern to see what a kernel leaves out.
void emulatedGpuMarkUninitialised(const void* pointer, size_t bytes);

// For libraries of CUDA that stand in for NVIDIA's (cublas/).
// A call of a function that is not there: one line on stderr, and one of the report.
void emulatedGpuRefuse(const char* function);
// The program has seen that it was refused.
void emulatedGpuNotice(void);
// A remark on the program, once in the report.
void emulatedGpuNote(const char* text);
// Where the emulator has [pointer, pointer + bytes) of the GPU's memory; null where it is not in one allocation.
void* emulatedGpuStorage(const void* pointer, size_t bytes, int is_written);

#ifdef __cplusplus
}
#endif

// Environment variables, read when the library is loaded; a wrong value ends the program with exit
// status 2 and one line:
//   EMULATED_GPU=hopper            the architecture (default hopper)
//   EMULATED_GPU_CACHES=0          requests alone: caches are not modelled
//   EMULATED_GPU_HAZARDS=1         races, uninitialised reads, use of freed memory, barriers and masks that lanes miss
//   EMULATED_GPU_LEAKS=1           memory that the program has not freed at its end
//   EMULATED_GPU_KEEP_GOING=1      an access out of bounds is a hazard, and the launch goes on
//   EMULATED_GPU_WORKERS=2         CPU threads
//   EMULATED_GPU_TIME=1            predicts the time of launches: events and clocks show it
//   EMULATED_GPU_TIME_WITHOUT=NAMES  without these mechanisms of the time model, separated by commas
//   EMULATED_GPU_SAMPLE=1          executes enough blocks to tell the counts of the whole launch
//   EMULATED_GPU_TIME_LIMIT=60     seconds a launch may take
//   EMULATED_GPU_REPORT=FILE       one JSON object a launch, a line each (report.md beside this file)
//   EMULATED_GPU_RECORDS=FILE      what the time model gets of each launch (timing/machine/trace_file.hpp), appended
