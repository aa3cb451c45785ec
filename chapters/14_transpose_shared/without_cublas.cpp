#include "geam.hpp"

Geam cublas_sgeam() {
    return nullptr;
}
