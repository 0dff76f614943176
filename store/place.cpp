#include "store/place.hpp"

#include "store/archive.hpp"

#include <algorithm>
#include <charconv>

namespace troupe {

placement placement_of(const task& record) {
  placement out{.kind = placement::id_kind::task, .owner = record.owner, .objective = {}};
  if (record.origin) {
    out.objective = objective_id{record.context};
    out.plan = record.origin.plan_index;
    out.task = record.origin.task_index;
  }
  return out;
}

timestamp last_changed(const objective_view& record) {
  auto out = record.updated;
  for (const auto& plan : record.plans)
    out = std::max(out, plan.updated);
  return out;
}

placement placement_of(const objective_view& record) {
  return {.kind = placement::id_kind::objective, .owner = record.owner, .objective = record.id};
}

std::optional<numbered> split_number(std::string_view text, std::string_view mark) noexcept {
  const auto at = text.rfind(mark);
  if (at == std::string_view::npos || at == 0)
    return std::nullopt;
  const auto digits = text.substr(at + mark.size());
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0'))
    return std::nullopt;
  numbered out{.base = text.substr(0, at), .number = 0};
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  if (failure != std::errc{} || end != digits.data() + digits.size())
    return std::nullopt;
  return out;
}

} // namespace troupe
