#include "lab/experiment/admission.hpp"

#include <algorithm>

#include "lab/device/compute_capability.hpp"
#include "lab/measure/measurement.hpp"

namespace lab {
namespace {

// An emulated GPU executes rows of up to this size in seconds. A matrix of 2048 x 2048 doubles and its transpose are
// within it, a product of 1024 cubed beyond.
constexpr std::size_t max_counted_bytes = 64 << 20;
constexpr double max_counted_flops = 2e9;

bool is_small(const Variant& row) {
    return row.working_set_bytes <= max_counted_bytes && row.flops <= max_counted_flops;
}

// A kernel that was compiled for an older compute capability may do less.
bool has_feature(const Variant& row) {
    if (!row.needs.is_compiled_in) return has(row.needs);
    return backend::compiled_for(row.shape.kernel) >= row.needs.compute_capability;
}

}  // namespace

std::size_t sets_of(Cache cache, std::size_t working_set_bytes) {
    const DeviceDescription& device = backend::description();
    if (cache == Cache::warm || device.emulated) return 1;
    const std::size_t cold = 4 * device.l2_bytes / std::max<std::size_t>(working_set_bytes, 1) + 1;
    return std::min(cold, std::size_t{max_launches});
}

Variant with_l2_set_aside(Variant row, unsigned percent) {
    row.name.insert(std::min(row.name.find('/'), row.name.size()),
                    "/l2_set_aside:" + std::to_string(percent));
    row.l2_set_aside_percent = percent;
    return row;
}

bool Admission::admits(Variant& row) {
    if (!is_executed(row)) return false;
    row.sets = sets_of(row.cache, row.working_set_bytes);
    if (backend::description().emulated) {
        if (row.evidence == Evidence::by_size) {
            row.evidence = is_small(row) ? Evidence::counted : Evidence::predicted;
        }
    } else {
        row.evidence = Evidence::measured;
        row.sets = std::max(row.sets, row.min_sets);
        if (!fits_memory(row)) return false;
    }
    return true;
}

bool Admission::admits_validation(const Variant& shape) { return is_executed(shape); }

bool Admission::is_executed(const Variant& row) {
    const DeviceDescription& device = backend::description();
    // An emulated GPU never measures, so these rows need no warning.
    if (device.emulated && row.evidence == Evidence::measured) return false;
    if (!device.has_l1_off && row.name.find("/l1:off") != std::string::npos) {
        return leave_out(
            row,
            "l1:off: ptxas of this toolkit ignores -dlcm=cg for this GPU; CUDA 12.6 or "
            "later compiles them");
    }
    if (!has_feature(row)) return leave_out(row, text(row.needs));
    if (row.migrates && !backend::has_managed_memory()) {
        return leave_out(row, "managed memory needs a GPU whose pages migrate");
    }
    if (row.l2_set_aside_percent > 0 && device.max_l2_set_aside_bytes == 0) {
        return leave_out(row, "this GPU sets no part of its L2 aside");
    }
    return is_launchable(row);
}

bool Admission::is_launchable(const Variant& row) {
    const DeviceDescription& device = backend::description();
    for (std::size_t i = 0; i < row.shape.grid.size(); ++i) {
        const std::size_t most = device.max_grid[i];
        if (row.shape.grid[i] <= most) continue;
        return leave_out(row, "grids of this GPU have at most " + std::to_string(most) +
                                  " blocks in " + "xyz"[i]);
    }
    if (row.shape.threads > device.max_threads_per_block) {
        return leave_out(row, "blocks of this GPU have at most " +
                                  std::to_string(device.max_threads_per_block) + " threads");
    }
    if (row.shape.shared_bytes > device.max_shared_bytes_per_block) {
        return leave_out(row, "blocks of this GPU have at most " +
                                  std::to_string(device.max_shared_bytes_per_block) +
                                  " bytes of shared memory");
    }
    return true;
}

// The rows that are timed keep their buffers until the last one is: together they get 90 % of what is free.
bool Admission::fits_memory(const Variant& row) {
    if (free_bytes_ == 0) free_bytes_ = backend::free_bytes();
    const std::size_t bytes = row.working_set_bytes * row.sets;
    // A row that names no buffers has its own.
    std::size_t& held = row.buffers == nullptr ? own_bytes_ : buffers_[row.buffers];
    const std::size_t wanted = row.buffers == nullptr ? held + bytes : std::max(held, bytes);
    if (used_bytes_ - held + wanted > free_bytes_ / 10 * 9) {
        return leave_out(row, "their buffers do not fit the device's free memory, " +
                                  std::to_string(free_bytes_ >> 20) + " MiB");
    }
    used_bytes_ += wanted - held;
    held = wanted;
    return true;
}

bool Admission::leave_out(const Variant& row, const std::string& reason) {
    if (reasons_.insert(reason).second) {
        left_out_.push_back("rows left out: " + reason + " (the first: " + row.name + ")");
    }
    return false;
}

}  // namespace lab
