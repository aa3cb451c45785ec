// Which rows of the table a device executes, how much of each, and on how many buffer sets.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/device/variant.hpp"

namespace lab {

// Buffer sets of `working_set_bytes` each whose total is more than four times the L2, so that a set has left it before
// its turn comes again; at most max_launches, so that tiny ones stay in it. 1 for warm, and where nothing is timed.
std::size_t sets_of(Cache cache, std::size_t working_set_bytes);

class Admission {
  public:
    // Decides `evidence` and `sets` of a row. False where it is left out: where the device lacks a feature, cannot launch
    // the grid or hold the buffers, or where only a measurement would say something.
    bool admits(Variant& row);
    // The same of a shape that is validated alone.
    bool admits_validation(const Variant& shape);
    // A line for each reason to leave rows out, with the first row.
    const std::vector<std::string>& left_out() const { return left_out_; }

  private:
    bool is_executed(const Variant& row);
    bool is_launchable(const Variant& row);
    bool fits_memory(const Variant& row);
    bool leave_out(const Variant& row, const std::string& reason);

    std::set<std::string> reasons_;
    std::vector<std::string> left_out_;
    std::map<const void*, std::size_t> buffers_;  // bytes by Variant::buffers
    std::size_t own_bytes_ = 0;                   // of rows that name none
    std::size_t used_bytes_ = 0;                  // of all
    std::size_t free_bytes_ = 0;                  // when the first row came
};

}  // namespace lab
