// What the driver reports of managed memory: bytes that moved and page faults, from NVIDIA's CUPTI.
// The library comes with the toolkit and is opened at run time: a machine that runs may not have it.
#pragma once

#include <optional>

#include "lab/backend.hpp"

namespace lab {

class PageMigrations {
  public:
    explicit PageMigrations(int device);
    // Between the two, what moves is taken down; which costs time, so nothing should be timed there.
    void begin();
    // bytes_to_device, bytes_to_host, cpu_page_faults, gpu_page_fault_groups; nothing where CUPTI is
    // missing, refuses, or has lost records. The device must be idle.
    std::optional<Counters> end();

  private:
    bool known_ = false;
};

}  // namespace lab
