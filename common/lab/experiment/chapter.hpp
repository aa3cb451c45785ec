// The harness, as an experiment.cu includes it.
#pragma once

#include "lab/experiment/buffer_rows.hpp"
#include "lab/device/device_buffer.hpp"
#include "lab/validate/device_validation.hpp"
#include "lab/experiment/experiment.hpp"
#include "lab/device/launch.hpp"
#include "lab/validate/random_values.hpp"
#include "lab/validate/repeated_values.hpp"
#include "lab/validate/validation.hpp"
#include "lab/experiment/variant_name.hpp"
