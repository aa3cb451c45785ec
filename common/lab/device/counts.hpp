// Counters of launches, and what an emulated device is asked for besides them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lab {

// A counter's name (scripts/notebook/data/metrics.csv: load_sectors, ...) and its value.
using Counters = std::vector<std::pair<std::string, double>>;

namespace backend {

// The L2's content when the time of an emulated device's launches is predicted.
enum class PredictedL2 { none, cold, warm };  // none: no time is predicted

}  // namespace backend
}  // namespace lab
