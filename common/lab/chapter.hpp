// The harness, as an experiment.cu includes it.
#pragma once

#include "lab/buffer_rows.hpp"
#include "lab/device_buffer.hpp"
#include "lab/device_validation.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/random_values.hpp"
#include "lab/repeated_values.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"
