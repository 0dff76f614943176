#include "protocol/opt/document_reader.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/text/control_characters.hpp"
#include "protocol/text/near_name.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace troupe::opt {

namespace json = boost::json;

namespace {

constexpr std::size_t quoted_bytes_max = 60; ///< Of an unknown member: a message is a line.
constexpr std::int64_t position_max = 0xffffffff;

/// Other systems' words for what we call differently; in lower case, without `_` and `-`.
constexpr auto synonyms = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"after", "dependencies"},
    {"args", "input"},
    {"arguments", "input"},
    {"attempts", "maxAttempts"},
    {"concurrency", "maxParallel"},
    {"dependson", "dependencies"},
    {"fallback", "alternatives"},
    {"inputs", "input"},
    {"needs", "dependencies"},
    {"params", "input"},
    {"parents", "dependencies"},
    {"prerequisites", "dependencies"},
    {"requires", "dependencies"},
    {"retries", "retry"},
    {"steps", "tasks"},
    {"title", "name"},
    {"type", "agent"},
    {"with", "input"},
});

std::string_view owner_name(member_of member) {
  switch (member) {
    case member_of::objective: return "an objective";
    case member_of::plan: return "a plan";
    case member_of::task: return "a task";
    case member_of::retry: return "\"retry\"";
  }
  return "the document";
}

std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word.substr(0, name_compared_bytes_max))
    if (c != '_' && c != '-')
      out += ascii_lower(c);
  return out;
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What to do about an unknown member, as the end of a sentence.
std::string hint(std::string_view written, member_of member) {
  const auto known = known_members(member);
  const auto word = folded(written);
  for (const auto& [foreign, ours] : synonyms)
    if (foreign == word && contains(known, ours))
      return "; did you mean " + quoted(ours) + "?";
  for (const auto other :
       {member_of::objective, member_of::plan, member_of::task, member_of::retry})
    if (other != member && contains(known_members(other), written))
      return "; it belongs to " + std::string(owner_name(other)) + ", not to "
             + std::string(owner_name(member));
  auto meant = did_you_mean(written, known);
  return meant.empty() ? "; put what is yours into \"metadata\"" : meant;
}

} // namespace

void document_reader::missing(std::string_view name) const {
  if (reading_.rule == unknown_members::refuse)
    failure_.set(where_, quoted(name) + " is missing");
  else
    fail(name, "missing parameter " + quoted(name));
}

void document_reader::refuse_unknown(member_of owner) const {
  if (object_ == nullptr || reading_.rule == unknown_members::ignore)
    return;
  const auto known = known_members(owner);
  for (const auto& [name, value] : *object_)
    if (!contains(known, name))
      return fail(name, "unknown member " + quoted(name, quoted_bytes_max) + hint(name, owner));
}

std::string document_reader::checked_text(const json::value& found, const place& at,
                                          std::string_view name, text_rule rule) const {
  const auto* text = found.if_string();
  if (text == nullptr) {
    failure_.set_type(at, name, "a string", found);
    return {};
  }
  if (text->size() > rule.bytes_max) {
    failure_.set(errc::limit_exceeded, at,
                 quoted(name) + " has " + std::to_string(text->size()) + " bytes; the limit is "
                     + std::to_string(rule.bytes_max));
    return {};
  }
  if (rule.single_line && has_control({text->data(), text->size()})) {
    failure_.set(at,
                 quoted(name) + " must not contain control characters, found " + describe(found));
    return {};
  }
  return {text->data(), text->size()};
}

std::string document_reader::text(std::string_view name, text_rule rule) const {
  const auto* found = find(name);
  if (found == nullptr) {
    if (rule.required)
      missing(name);
    return {};
  }
  auto text = checked_text(*found, where_ / name, name, rule);
  if (rule.required && text.empty())
    fail(name, quoted(name) + " must not be empty");
  return text;
}

std::string document_reader::edited_text(std::string_view name, text_rule rule) const {
  auto replacing = text(name, rule);
  if (const auto* found = find(name); found != nullptr && found->is_string() && replacing.empty())
    fail(name, quoted(name) + " must not be empty; leave it out to keep what there is");
  return replacing;
}

std::string document_reader::id(std::string_view name, bool required) const {
  if (required && find(name) == nullptr) {
    missing(name);
    return {};
  }
  const auto* found = find(name);
  auto text = object_reader::text(name);
  if (found == nullptr || !found->is_string() || is_acceptable_id(text))
    return text;
  fail(name,
       quoted(name) + " must have 1 to " + std::to_string(id_bytes_max)
           + " bytes without control characters and \"/\", found " + describe(*found)
           + (text.size() > id_bytes_max ? " of " + std::to_string(text.size()) + " bytes" : ""));
  return {};
}

std::optional<double> document_reader::number(std::string_view name, double max,
                                              std::string_view expected) const {
  const auto* found = find(name);
  if (found == nullptr)
    return std::nullopt;
  const auto value = found->is_number() ? found->to_number<double>() : -1.0;
  if (std::isfinite(value) && value >= 0 && value <= max)
    return value;
  fail_type(name, expected, *found);
  return std::nullopt;
}

std::optional<milliseconds> document_reader::seconds(std::string_view name) const {
  const auto value = number(name, seconds_max, "a number of seconds from 0 to 315360000");
  if (!value)
    return std::nullopt;
  const milliseconds rounded{std::llround(*value * 1000)};
  return *value > 0 ? std::max(rounded, milliseconds{1}) : rounded; // 0 means something else: none
}

json::object document_reader::free_object(std::string_view name) const {
  const auto* found = find(name);
  if (found == nullptr)
    return {};
  if (const auto* object = found->if_object())
    return json::object(*object, json::storage_ptr()); // never in the memory of the parsed document
  fail_type(name, "an object", *found);
  return {};
}

const json::array* document_reader::array(std::string_view name, std::string_view of,
                                          std::size_t max, std::string_view limit_name) const {
  if (find(name) == nullptr)
    return nullptr; // most have none: no text is made
  const auto* array = object_reader::array(name, "an array of " + std::string(of));
  if (array == nullptr || array->size() <= max)
    return array;
  failure_.set(errc::limit_exceeded, where_ / name,
               quoted(name) + " has " + std::to_string(array->size()) + " elements; the limit is "
                   + std::to_string(max) + " (" + std::string(limit_name) + ")");
  return nullptr;
}

std::optional<std::int32_t> priority_from(const boost::json::value& from) noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto value = wire::whole_number_from(from, false);
  return value && *value >= -most && *value <= most
             ? std::optional{static_cast<std::int32_t>(*value)}
             : std::nullopt;
}

std::optional<std::int32_t> document_reader::shared_priority() const {
  const auto* found = find("priority");
  if (found == nullptr)
    return std::nullopt;
  const auto value = priority_from(*found);
  if (value && *value >= -priority_max && *value <= priority_max)
    return value;
  fail_type("priority", shared_priority_range, *found);
  return std::nullopt;
}

void document_reader::names(std::vector<std::string>& out, std::string_view name,
                            std::string_view prefix) const {
  const auto* list = array(name, "strings", dependencies_per_task_max, "dependencies_per_task_max");
  if (list == nullptr)
    return;
  const auto here = where_ / name;
  reading_.edges += list->size();
  if (reading_.edges > dependencies_total_max)
    return failure_.set(errc::limit_exceeded, here,
                        "the document has more than " + std::to_string(dependencies_total_max)
                            + " dependencies (dependencies_total_max)");
  out.reserve(out.size() + list->size());
  for (std::size_t i = 0; i < list->size() && !failure_; ++i) {
    const auto& found = (*list)[i];
    if (const auto at = wire::whole_number_from(found, false);
        at && *at >= 0 && *at <= position_max)
      out.push_back(std::string(prefix) + std::to_string(*at));
    else if (!found.is_string())
      failure_.set(here / i, "each of " + quoted(name) + " must be an id, a name or a position (\""
                                 + std::string(prefix) + "0\" or 0), found " + describe(found));
    else if (auto text = checked_text(found, here / i, name, {.bytes_max = name_bytes_max});
             !text.empty())
      out.push_back(std::move(text));
    else if (!failure_)
      failure_.set(here / i, "each of " + quoted(name) + " must not be empty");
  }
}

} // namespace troupe::opt
