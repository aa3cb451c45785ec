// The harness, as an experiment.cu includes it.
#pragma once

#include "lab/device/device_buffer.hpp"
#include "lab/device/launch.hpp"
#include "lab/experiment/buffer_rows.hpp"
#include "lab/experiment/experiment.hpp"
#include "lab/experiment/variant_name.hpp"
#include "lab/validate/device_validation.hpp"
#include "lab/validate/random_values.hpp"
#include "lab/validate/repeated_values.hpp"
#include "lab/validate/validation.hpp"
