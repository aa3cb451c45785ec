// The time of copies and fills by the driver.
#pragma once

#include "timing/machine/machine.hpp"

namespace timing {

struct CopyFacts {
    double read_bytes = 0, written_bytes = 0;  // of the device's memory
    double found_in_l2 = 0;                    // the share of them that the L2 holds
    double link_bytes = 0;                     // between host and device
    bool is_pageable = false;                  // the host's side of them
};

// Seconds, behind other work of the device. Over the link: its latency and bytes over its rate; from pageable memory
// the rate of the host's own copy into page-locked memory, if that is lower. On the device: a launch, one access to
// memory, the bytes over the rate of the L2, or of DRAM for what the L2 lacks, and how launches of kernels end: the last
// store is acknowledged, room is made for what is read and written, the last SM has its data, the SMs are done.
double copy_seconds(const Machine& machine, const CopyFacts& facts);

}  // namespace timing
