#include "protocol/fold/withdrawals.hpp"

#include <algorithm>
#include <variant>

namespace troupe {

void note_withdrawals(std::vector<withdrawal>& known, const change& news) {
  for (const auto& one : news.events) {
    if (const auto* withdrawn = std::get_if<tasks_withdrawn>(&one)) {
      known.push_back({withdrawn->plan, withdrawn->tasks, withdrawn->to, withdrawn->reason,
                       withdrawn->metadata, news.at, withdrawn->artifacts});
    } else if (const auto* renewed = std::get_if<tasks_renewed>(&one)) {
      auto again = renewed->tasks; // Both lists may have a million.
      std::ranges::sort(again);
      for (auto& each : known)
        if (each.plan == renewed->plan)
          std::erase_if(each.tasks, [&](std::uint32_t index) {
            return std::ranges::binary_search(again, index);
          });
      std::erase_if(known, [](const withdrawal& each) { return each.tasks.empty(); });
    }
  }
}

} // namespace troupe
