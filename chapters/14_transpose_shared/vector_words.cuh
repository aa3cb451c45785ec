// Included where kernels.cuh is: what loads that are spelled as PTX share.

// PTX loads 16 bytes as four words.
template <class T>
union LoadedWords {
    uint4 words;
    Vector<T> vector;
};

// Whether the GPU has the loads' cache hints. Code for older GPUs has to compile, but is not launched.
bool has_cache_hints() { return lab::has_compute_capability(8); }
