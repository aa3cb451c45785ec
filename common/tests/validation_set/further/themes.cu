#include "themes.hpp"

#include "../ordinary/launches.hpp"

namespace ordinary {

void add_all(Launches& launches) {
    add_more_reductions_scans(launches);
    add_more_sparse_dense(launches);
    add_more_structures_loops(launches);
    add_more_atomics_caches(launches);
    add_more_warps_blocks(launches);
    add_more_applications(launches);
}

}  // namespace ordinary
