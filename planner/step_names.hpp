// How sentences name the steps of a list: by number or letter ("step 2", "steps 1, 3 and 5-7"), or
// by the step's own words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/ordering.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

/// The steps of a list, to be found by label or name. Labels and names are those of `add`; a step
/// is its position.
class step_names {
public:
  /// `label`: "1" or "a"; empty for a bullet. False if another step has that label.
  bool add(std::string_view label, std::string_view name);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::optional<std::uint32_t> labelled(std::string_view label) const;
  /// "step 2", or its name in quotes.
  [[nodiscard]] std::string spoken(std::uint32_t step) const;

  struct found_name {
    std::uint32_t step = 0;
    std::size_t tokens = 0;    ///< How many belong to it, quotes included.
    bool is_ambiguous = false; ///< Several steps have this name.
  };
  /// The step whose name stands in quotes at the beginning of `words`.
  [[nodiscard]] std::optional<found_name> quoted_at(std::span<const token> words) const;
  /// The longest name with which `words` begins. Names that have only words of the table of order
  /// words are never found so: a step called "finish" would be found in the verb.
  [[nodiscard]] std::optional<found_name> unquoted_at(std::span<const token> words) const;

private:
  struct node {
    std::map<std::string, std::size_t, std::less<>> next;
    std::optional<std::uint32_t> step;
    bool is_ambiguous = false;
    bool needs_quotes = false;
  };

  [[nodiscard]] std::optional<found_name> longest(std::span<const token> words,
                                                  std::size_t words_max, bool in_quotes) const;

  std::size_t size_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> by_label_;
  std::vector<std::string> labels_;
  std::vector<std::string> names_;
  std::vector<node> tree_ = std::vector<node>(1); ///< All names, a level for each word.
};

} // namespace troupe::planner
