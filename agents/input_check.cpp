#include "agents/input_check.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace troupe {

namespace {

constexpr std::size_t name_shown_bytes_max = 64; ///< Of an unknown member.

} // namespace

error input_error(std::string_view pointer, std::string message) {
  return make_error(errc::invalid_params, std::move(message), std::string(pointer));
}

std::string below(std::string_view pointer, std::string_view name) {
  std::string out(pointer);
  append_pointer(out, name);
  return out;
}

std::string below(std::string_view pointer, std::size_t index) {
  std::string out(pointer);
  append_pointer(out, index);
  return out;
}

result<void> refuse_unknown(const boost::json::object& from,
                            std::span<const std::string_view> known, std::string_view pointer) {
  for (const auto& member : from) {
    const std::string_view name = member.key();
    if (std::find(known.begin(), known.end(), name) == known.end())
      return input_error(below(pointer, name), "unknown member "
                                                   + troupe::quoted(name, name_shown_bytes_max)
                                                   + did_you_mean(name, known));
  }
  return {};
}

bool is_pending(const boost::json::value& value, input_stage stage) {
  return stage == input_stage::written && value.is_string()
         && std::string_view(value.get_string()).find("${") != std::string_view::npos;
}

bool has_pending(const boost::json::value& value, input_stage stage) {
  const auto within = [stage](const boost::json::value& one) { return has_pending(one, stage); };
  if (const auto* list = value.if_array())
    return std::any_of(list->begin(), list->end(), within);
  if (const auto* object = value.if_object())
    return std::any_of(object->begin(), object->end(),
                       [&](const auto& member) { return within(member.value()); });
  return is_pending(value, stage);
}

result<std::string> read_string(const boost::json::object& from, std::string_view name,
                                std::string_view pointer, std::string fallback) {
  const auto* value = from.if_contains(name);
  if (value == nullptr)
    return fallback;
  if (!value->is_string())
    return input_error(below(pointer, name), "must be a string");
  return std::string(value->get_string());
}

result<double> read_amount(const boost::json::value& value, std::string_view pointer, double max) {
  boost::system::error_code failed;
  const auto number = value.to_number<double>(failed);
  if (failed || !value.is_number() || !std::isfinite(number) || number < 0)
    return input_error(pointer, "must be a number >= 0");
  if (number > max)
    return input_error(pointer, "must not exceed " + json_text(max));
  return number;
}

order_input input_of(const order& order) {
  if (!order.input.empty() || order.messages.empty())
    return order.input;
  const auto& first = order.messages.front();
  for (const auto& one : first->parts)
    if (const auto* data = std::get_if<data_content>(&one.content);
        data != nullptr && data->data.is_object())
      return order_input{
          std::shared_ptr<const boost::json::object>{first, &data->data.get_object()}};
  boost::system::error_code failed;
  auto parsed = parse_json(text_of(first->parts), failed);
  return !failed && parsed.is_object() ? order_input{std::move(parsed.get_object())}
                                       : order_input{};
}

report_failed input_failure(const error& cause) {
  return {"input" + cause.field + ": " + cause.message, false};
}

} // namespace troupe
