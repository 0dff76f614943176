#include <troupe/protocol/model_usage.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

/// Far above what a call uses: sums of these never overflow.
constexpr double used_max = 1e12;

double used(const boost::json::object& from, std::string_view name) noexcept {
  const auto* found = from.if_contains(name);
  if (found == nullptr || !found->is_number())
    return 0;
  boost::system::error_code failed;
  const auto value = found->to_number<double>(failed);
  return !failed && value > 0 ? std::min(value, used_max) : 0;
}

} // namespace

model_usage& model_usage::operator+=(const model_usage& more) noexcept {
  calls += more.calls;
  prompt_tokens += more.prompt_tokens;
  answer_tokens += more.answer_tokens;
  milliseconds += more.milliseconds;
  cost_millionths += more.cost_millionths;
  is_estimated = is_estimated || more.is_estimated;
  return *this;
}

model_usage usage_in(const message& said) noexcept {
  const auto* found =
      said.from == role::agent ? said.metadata.if_contains(model_usage_key) : nullptr;
  const auto* about = found != nullptr ? found->if_object() : nullptr;
  if (about == nullptr)
    return {};
  model_usage out;
  out.calls = 1;
  out.prompt_tokens = static_cast<std::uint64_t>(used(*about, "promptTokens"));
  out.answer_tokens = static_cast<std::uint64_t>(used(*about, "answerTokens"));
  out.milliseconds = static_cast<std::uint64_t>(used(*about, "milliseconds"));
  out.cost_millionths = static_cast<std::uint64_t>(std::round(used(*about, "cost") * 1e6));
  const auto* estimated = about->if_contains("estimated");
  out.is_estimated = estimated != nullptr && estimated->is_bool() && estimated->get_bool();
  return out;
}

} // namespace troupe
