// All launches of this set, in their order.
#include "themes.hpp"

#include "../ordinary/launches.hpp"

namespace ordinary {

void add_all(Launches& launches) {
    add_sums_scans(launches);
    add_sorts_histograms(launches);
    add_matrices(launches);
    add_fields(launches);
    add_pictures(launches);
    add_networks(launches);
    add_graphs_tables(launches);
    add_codes_text(launches);
    add_samples_geometry(launches);
    add_features(launches);
}

}  // namespace ordinary
