// The launches of each file.
#pragma once

namespace ordinary {

class Launches;

void add_sums_scans(Launches& launches);
void add_sorts_histograms(Launches& launches);
void add_matrices(Launches& launches);
void add_fields(Launches& launches);
void add_pictures(Launches& launches);
void add_networks(Launches& launches);
void add_graphs_tables(Launches& launches);
void add_codes_text(Launches& launches);
void add_samples_geometry(Launches& launches);
void add_features(Launches& launches);

}  // namespace ordinary
