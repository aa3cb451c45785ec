// The driver's reports of managed memory: bytes that moved and page faults, from NVIDIA's CUPTI.
// The library comes with the toolkit and is opened at run time: a machine that runs may not have it.
#pragma once

#include <optional>

#include "lab/device/counts.hpp"

namespace lab {

class PageMigrations {
  public:
    // Attaches CUPTI to this process for the rest of its life, which can take seconds and slows down
    // what moves: nothing should be timed in it. The driver must be initialised.
    explicit PageMigrations(int device);
    bool known() const { return known_; }
    // Records what moves from begin() to end().
    void begin();
    // bytes_to_device, bytes_to_host, cpu_page_faults, gpu_page_fault_groups; nothing where CUPTI is
    // missing, refuses, or has lost records. The device must be idle.
    std::optional<Counters> end();

  private:
    bool known_ = false;
};

}  // namespace lab
