// Included where kernels.cuh is: what loads that are spelled as PTX share.

// PTX loads 16 bytes as four words.
template <class T>
union LoadedWords {
    uint4 words;
    Vector<T> vector;
};

// Whether the GPU has the loads' cache hints: these kernels are compiled for no older one (meson.build).
bool has_cache_hints() { return lab::has_compute_capability(8, "cache hints of loads"); }
