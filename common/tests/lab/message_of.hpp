// What a comparison says of an output.
#pragma once

#include <string>

#include "lab/program/errors.hpp"

// What the ValidationError that `action` throws says; "passed" where it throws none.
std::string message_of(auto&& action) {
    try {
        action();
    } catch (const lab::ValidationError& error) {
        return error.what();
    }
    return "passed";
}
