// An order that stands within a step, where it is not read: "buy, after 2", "pay the bill after you
// checked it", "wash it first".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "planner/step_names.hpp"

namespace troupe::planner {

/// Whether what is in a bracket may be an order: "parallel with 2", "2 and 3", "with cook".
[[nodiscard]] bool may_be_order(std::string_view inside, const step_names& names);

/// Whether a step, or a line below it, ends in an order without a bracket ("buy, after 2"), or has
/// the whole name of another step behind a word of order ("deploy, after Test"). `step`: its
/// position.
[[nodiscard]] bool has_order_of_step(std::string_view text, std::uint32_t step,
                                     const step_names& names);

/// Words with which a step says where it stands: "first" at its end, "in the meantime". Empty:
/// none.
[[nodiscard]] std::string place_said_in(std::string_view text);

/// The words of all steps, to find a step of which another one speaks without its exact name: "once
/// the inspection is done". Two words are the same if they differ in their endings only.
class step_words {
public:
  /// `steps`: the texts of all steps, by position.
  explicit step_words(const std::vector<std::string>& steps);

  /// A word of order in `text` behind which stands a word of another step than `step`; empty: none.
  /// With `is_chain` only if the steps, which are done one after the other, are then done
  /// otherwise: "let it cool before serving" is right before the step "serve".
  [[nodiscard]] std::string order_in(std::string_view text, std::uint32_t step,
                                     bool is_chain) const;

private:
  struct places {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::map<std::string, places, std::less<>> by_stem_;
};

} // namespace troupe::planner
