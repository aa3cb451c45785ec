// selp, slct.
#include <type_traits>

#include "emulator/simt/alu/lanes.hpp"
#include "emulator/simt/alu/values/float_values.hpp"

namespace emulator::simt {

namespace {

struct Select {
    template <class T>
    T operator()(T a, T b, std::uint32_t which) const {
        return which != 0 ? a : b;
    }
};

template <bool ftz>
struct SelectBySign {
    template <class T>
    T operator()(T a, T b, std::int32_t sign) const {
        return sign >= 0 ? a : b;
    }
    template <class T>
    T operator()(T a, T b, float sign) const {
        return flush<ftz>(sign) >= 0.0f ? a : b;
    }
};

// PTX allows f32 and f64 here, whose bits are moved.
std::string_view integer_of(std::string_view type) {
    return type == "f32" ? "b32" : type == "f64" ? "b64" : type;
}

}  // namespace

Arithmetic find_selection(const Form& form) {
    if (form.opcode == "selp" && form.only({}) && form.sources() == 3) {
        Arithmetic found;
        if (form.source(2).is_negated_predicate) found.variant = variant_negated_predicate;
        found.execute = with_integer(integer_of(form.type()), [&]<class T>() -> Handler {
            using U = std::make_unsigned_t<T>;
            return pick<Select, U, U, U, Flag>(form);
        });
        return found;
    }
    if (form.opcode == "slct" && form.only({"ftz"})) {
        return {with_integer(integer_of(form.type(1)), [&]<class T>() -> Handler {
            using U = std::make_unsigned_t<T>;
            if (form.type() == "s32")
                return pick_rare<SelectBySign<false>, U, U, U, std::int32_t>(form);
            if (form.type() != "f32") return nullptr;
            return form.has("ftz") ? pick_rare<SelectBySign<true>, U, U, U, float>(form)
                                   : pick_rare<SelectBySign<false>, U, U, U, float>(form);
        })};
    }
    return {};
}

}  // namespace emulator::simt
