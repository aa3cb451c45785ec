// Kernels of kernels.cuh whose accesses carry an L2 eviction priority, which CUDA C++ has no words for.
#pragma once

#include "lab/device/variant.hpp"
#include "problems/array_sum.hpp"

struct float4;

// Nothing else here may be launched without.
constexpr lab::Feature eviction_priorities = {8, "eviction priorities"};

// read_offset_wide, and read_offset_overlapping for offset mod 4 = 1, 2, 3.
lab::AddKernel wide_evict_last();
lab::AddKernel overlapping_evict_last(int shift);
void (*copy_evict_last())(const float4* from, float4* to);
void (*scale_evict_last())(float factor, const float4* from, float4* to);
// copy_wide; of what it reads or writes alone the L2 is asked to evict it last.
void (*copy_keep_reads())(const float4* from, float4* to);
void (*copy_keep_writes())(const float4* from, float4* to);
