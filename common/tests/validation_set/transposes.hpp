// The transposes of the validation set, compiled twice: with loads through the L1, and past it.
#pragma once

#include <functional>
#include <string>
#include <vector>

struct Transpose {
    std::string name;
    std::function<void(const float* in, float* out, int width)> launch;
};

std::vector<Transpose> transposes_l1_on();
std::vector<Transpose> transposes_l1_off();
