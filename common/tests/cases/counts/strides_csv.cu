// CSV has every launch, in order: 64 warps of 4 sectors a load with stride 1, of 32 sectors with stride 8.
// flags: --report csv
// expect: hopper,"read(float const*, float*, int)",1,8x1x1,256x1x1,,,,,,,,,load_sectors,256.0,
// expect: hopper,"read(float const*, float*, int)",2,8x1x1,256x1x1,,,,,,,,,load_sectors,2048.0,
// expect: hopper,"read(float const*, float*, int)",3,8x1x1,256x1x1,,,,,,,,,load_sectors,256.0,
#include "strides.cu"
