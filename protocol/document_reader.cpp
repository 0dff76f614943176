#include "protocol/document_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "protocol/ids.hpp"
#include "protocol/json_pointer.hpp"
#include "protocol/limits_opt.hpp"
#include "protocol/near_name.hpp"
#include "protocol/text.hpp"

namespace troupe::opt {

namespace json = boost::json;

namespace {

constexpr std::size_t shown_bytes_max = 60;
constexpr std::uint64_t position_max = 0xffffffff;
constexpr std::size_t compared_bytes_max = 48; ///< Longer names are nobody's typing mistake.

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

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (i >= shown_bytes_max && (byte & 0xc0) != 0x80)
      return out + "...\"";
    if (byte < 0x20 || byte == 0x7f)
      out += '?';
    else
      out += text[i];
  }
  return out + '"';
}

std::string_view owner_name(member_of what) {
  switch (what) {
    case member_of::objective: return "an objective";
    case member_of::plan: return "a plan";
    case member_of::task: return "a task";
    case member_of::retry: return "\"retry\"";
  }
  return "the document";
}

std::string folded(std::string_view word) {
  std::string out;
  for (const char c : word.substr(0, compared_bytes_max))
    if (c != '_' && c != '-')
      out += ascii_lower(c);
  return out;
}

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What to do about an unknown member, as the end of a sentence.
std::string hint(std::string_view written, member_of what) {
  const auto known = known_members(what);
  const auto word = folded(written);
  for (const auto& [foreign, ours] : synonyms)
    if (foreign == word && contains(known, ours))
      return "; did you mean \"" + std::string(ours) + "\"?";
  for (const auto other : {member_of::objective, member_of::plan, member_of::task, member_of::retry})
    if (other != what && contains(known_members(other), written))
      return "; it belongs to " + std::string(owner_name(other)) + ", not to " + std::string(owner_name(what));
  auto meant = did_you_mean(written, known);
  return meant.empty() ? "; put what is yours into \"metadata\"" : meant;
}

/// 3 and 3.0 are the same number in JSON.
std::optional<std::uint64_t> whole(const json::value& found) {
  if (found.is_uint64())
    return found.get_uint64();
  if (found.is_int64() && found.get_int64() >= 0)
    return static_cast<std::uint64_t>(found.get_int64());
  if (found.is_double() && found.get_double() >= 0 && found.get_double() < 9e15
      && std::floor(found.get_double()) == found.get_double())
    return static_cast<std::uint64_t>(found.get_double());
  return std::nullopt;
}

std::string number_text(double value) {
  std::array<char, 32> buffer;
  const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), ec == std::errc{} ? end : buffer.data()};
}

} // namespace

std::string place::pointer() const {
  if (up == nullptr)
    return std::string(name);
  auto out = up->pointer();
  if (index)
    append_pointer(out, *index);
  else
    append_pointer(out, name);
  return out;
}

std::string describe(const json::value& found) {
  switch (found.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return found.get_bool() ? "true" : "false";
    case json::kind::int64: return "the number " + std::to_string(found.get_int64());
    case json::kind::uint64: return "the number " + std::to_string(found.get_uint64());
    case json::kind::double_: return "the number " + number_text(found.get_double());
    case json::kind::string: return "the string " + quoted(found.get_string());
    case json::kind::array: return found.get_array().empty() ? "an empty array" : "an array";
    case json::kind::object: return "an object";
  }
  return "something else";
}

void document_reader::fail(errc code, const place& where, std::string message) {
  if (!failure_)
    failure_ = make_error(code, std::move(message), where.pointer());
}

void document_reader::fail(const place& where, std::string message) {
  fail(rule_ == unknown_members::refuse ? errc::invalid_document : errc::invalid_params, where, std::move(message));
}

void document_reader::fail_type(const place& where, std::string_view name, std::string_view expected,
                                const json::value& found) {
  fail(where, quoted(name) + " must be " + std::string(expected) + ", found " + describe(found));
}

void document_reader::missing(const place& where, std::string_view name) {
  if (rule_ == unknown_members::refuse)
    fail(where, quoted(name) + " is missing");
  else
    fail(where / name, "missing parameter " + quoted(name));
}

const json::object* document_reader::object(const json::value& from, const place& where, std::string_view what) {
  if (const auto* object = from.if_object())
    return object;
  fail(where, std::string(what) + " must be an object, found " + describe(from));
  return nullptr;
}

const json::value* document_reader::member(const json::object& from, std::string_view name) const {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_null() && rule_ == unknown_members::ignore ? nullptr : found;
}

void document_reader::refuse_unknown(const json::object& from, const place& where, member_of what) {
  if (rule_ == unknown_members::ignore)
    return;
  const auto known = known_members(what);
  for (const auto& [name, value] : from)
    if (!contains(known, name))
      return fail(where / name, "unknown member " + quoted(name) + hint(name, what));
}

std::string document_reader::checked_text(const json::value& found, const place& where, std::string_view name,
                                          text_rule rule) {
  const auto* text = found.if_string();
  if (text == nullptr) {
    fail_type(where, name, "a string", found);
    return {};
  }
  if (text->size() > rule.bytes_max) {
    fail(errc::limit_exceeded, where,
         quoted(name) + " has " + std::to_string(text->size()) + " bytes; the limit is "
             + std::to_string(rule.bytes_max));
    return {};
  }
  if (rule.single_line
      && std::any_of(text->begin(), text->end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    fail(where, quoted(name) + " must not contain control characters, found " + describe(found));
    return {};
  }
  return {text->data(), text->size()};
}

std::string document_reader::text(const json::object& from, const place& where, std::string_view name,
                                  text_rule rule) {
  const auto* found = member(from, name);
  if (found == nullptr) {
    if (rule.required)
      missing(where, name);
    return {};
  }
  auto text = checked_text(*found, where / name, name, rule);
  if (rule.required && text.empty())
    fail(where / name, quoted(name) + " must not be empty");
  return text;
}

std::string document_reader::named_id(const json::object& from, const place& where, std::string_view name,
                                      bool required) {
  const auto* found = member(from, name);
  if (found == nullptr) {
    if (required)
      missing(where, name);
    return {};
  }
  const auto* text = found->if_string();
  if (text == nullptr) {
    fail_type(where / name, name, "a string", *found);
    return {};
  }
  if (!is_acceptable_id(*text)) {
    fail(where / name, quoted(name) + " must have 1 to " + std::to_string(id_bytes_max)
                           + " bytes without control characters and \"/\", found " + describe(*found)
                           + (text->size() > id_bytes_max ? " of " + std::to_string(text->size()) + " bytes" : ""));
    return {};
  }
  return {text->data(), text->size()};
}

std::string document_reader::id(const json::object& from, const place& where, bool required) {
  return named_id(from, where, "id", required);
}

bool document_reader::boolean(const json::object& from, const place& where, std::string_view name, bool fallback) {
  const auto* found = member(from, name);
  if (found == nullptr)
    return fallback;
  if (found->is_bool())
    return found->get_bool();
  fail_type(where / name, name, "true or false", *found);
  return fallback;
}

std::optional<std::uint64_t> document_reader::whole_number(const json::object& from, const place& where,
                                                           std::string_view name, std::uint64_t min,
                                                           std::uint64_t max) {
  const auto* found = member(from, name);
  if (found == nullptr)
    return std::nullopt;
  const auto value = whole(*found);
  if (value && *value >= min && *value <= max)
    return value;
  fail_type(where / name, name, "a whole number from " + std::to_string(min) + " to " + std::to_string(max), *found);
  return std::nullopt;
}

std::optional<double> document_reader::number(const json::object& from, const place& where, std::string_view name,
                                              double max, std::string_view expected) {
  const auto* found = member(from, name);
  if (found == nullptr)
    return std::nullopt;
  const auto value = found->is_number() ? found->to_number<double>() : -1.0;
  if (std::isfinite(value) && value >= 0 && value <= max)
    return value;
  fail_type(where / name, name, expected, *found);
  return std::nullopt;
}

std::optional<milliseconds> document_reader::seconds(const json::object& from, const place& where,
                                                     std::string_view name) {
  const auto value = number(from, where, name, seconds_max, "a number of seconds from 0 to 315360000");
  if (!value)
    return std::nullopt;
  const milliseconds rounded{std::llround(*value * 1000)};
  return *value > 0 ? std::max(rounded, milliseconds{1}) : rounded; // 0 means something else: none
}

json::object document_reader::free_object(const json::object& from, const place& where, std::string_view name) {
  const auto* found = member(from, name);
  if (found == nullptr)
    return {};
  if (const auto* object = found->if_object())
    return json::object(*object, json::storage_ptr()); // never in the memory of the parsed document
  fail_type(where / name, name, "an object", *found);
  return {};
}

const json::array* document_reader::array(const json::object& from, const place& where, std::string_view name,
                                          std::string_view of, std::size_t max, std::string_view limit_name) {
  const auto* found = member(from, name);
  if (found == nullptr)
    return nullptr;
  const auto* array = found->if_array();
  if (array == nullptr)
    fail_type(where / name, name, "an array of " + std::string(of), *found);
  else if (array->size() > max)
    fail(errc::limit_exceeded, where / name,
         quoted(name) + " has " + std::to_string(array->size()) + " elements; the limit is " + std::to_string(max)
             + " (" + std::string(limit_name) + ")");
  else
    return array;
  return nullptr;
}

void document_reader::names(std::vector<std::string>& out, const json::object& from, const place& where,
                            std::string_view name, std::string_view prefix) {
  const auto* list = array(from, where, name, "strings", dependencies_per_task_max, "dependencies_per_task_max");
  if (list == nullptr)
    return;
  edges_ += list->size();
  if (edges_ > dependencies_total_max)
    return fail(errc::limit_exceeded, where / name,
                "the document has more than " + std::to_string(dependencies_total_max)
                    + " dependencies (dependencies_total_max)");
  const auto here = where / name;
  out.reserve(out.size() + list->size());
  for (std::size_t i = 0; i < list->size() && !failed(); ++i) {
    const auto& found = (*list)[i];
    if (const auto at = whole(found); at && *at <= position_max)
      out.push_back(std::string(prefix) + std::to_string(*at));
    else if (!found.is_string())
      fail(here / i, "each of " + quoted(name) + " must be an id, a name or a position (\"" + std::string(prefix)
                         + "0\" or 0), found " + describe(found));
    else if (auto text = checked_text(found, here / i, name, {.bytes_max = name_bytes_max}); !text.empty())
      out.push_back(std::move(text));
    else if (!failed())
      fail(here / i, "each of " + quoted(name) + " must not be empty");
  }
}

} // namespace troupe::opt
