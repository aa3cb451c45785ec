// Pages of something for each piece of device memory, made when they are asked for first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "emulator/models/warp_request.hpp"

namespace emulator {

// Pages are numbered; those of a group lie in one array, and the groups that were used lately are found without
// a search, as random accesses need it.
template <class Page>
class PageTable {
  public:
    Page& operator[](Address number) {
        Group* group = recent_[number / pages_in_group % recent_.size()];
        if (group == nullptr || group->number != number / pages_in_group) [[unlikely]]
            group = &find_or_make_group(number / pages_in_group);
        auto& page = group->pages[number % pages_in_group];
        if (!page) [[unlikely]]
            page = std::make_unique<Page>();
        return *page;
    }
    const Page* find(Address number) const {
        const auto group = groups_.find(number / pages_in_group);
        return group == groups_.end() ? nullptr
                                      : group->second->pages[number % pages_in_group].get();
    }
    // visit(number, page) of each page that is there, in any order.
    template <class Visit>
    void each(const Visit& visit) const {
        for (const auto& [number, group] : groups_) {
            for (std::size_t i = 0; i < pages_in_group; ++i) {
                const Page* const page = group->pages[i].get();
                if (page != nullptr) visit(number * pages_in_group + i, *page);
            }
        }
    }
    // change(page), likewise.
    template <class Change>
    void change_each(const Change& change) {
        for (const auto& [number, group] : groups_) {
            for (const auto& page : group->pages) {
                if (page) change(*page);
            }
        }
    }
    void clear() {
        groups_.clear();
        recent_.fill(nullptr);
    }

  private:
    static constexpr std::size_t pages_in_group = 1024;
    struct Group {
        Address number = 0;
        std::array<std::unique_ptr<Page>, pages_in_group> pages;
    };

    Group& find_or_make_group(Address number) {
        auto& group = groups_[number];
        if (!group) group = std::make_unique<Group>();
        group->number = number;
        recent_[number % recent_.size()] = group.get();
        return *group;
    }

    std::unordered_map<Address, std::unique_ptr<Group>> groups_;
    std::array<Group*, 16> recent_{};
};

}  // namespace emulator
