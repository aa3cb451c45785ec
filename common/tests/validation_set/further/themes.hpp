// Further launches, by theme.
#pragma once

namespace ordinary {

class Launches;

void add_more_reductions_scans(Launches& launches);
void add_more_sparse_dense(Launches& launches);
void add_more_structures_loops(Launches& launches);
void add_more_atomics_caches(Launches& launches);
void add_more_warps_blocks(Launches& launches);
void add_more_applications(Launches& launches);

}  // namespace ordinary
