// The machine of an emulated GPU: parameters of its generation (data/timing/parameters.csv) and facts of the
// GPU (data/architectures.csv).
#pragma once

#include "emulator/models/architecture.hpp"
#include "timing/machine/machine.hpp"

namespace timing {

Machine machine_of(const emulator::Architecture& architecture);

}  // namespace timing
