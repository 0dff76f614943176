#include "protocol/json/object_reader.hpp"

#include "protocol/json/json_depth.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/limits.hpp"
#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace troupe::wire {

namespace json = boost::json;

namespace {

constexpr std::size_t member_name_bytes_max = 64; ///< Of our own member names.
constexpr std::size_t quoted_bytes_max = 60;      ///< Of a foreign text: a message is a line.

std::string_view as_view(json::string_view text) {
  return {text.data(), text.size()};
}

std::string_view to_snake_case(std::string_view camel, char (&buffer)[member_name_bytes_max]) {
  std::size_t length = 0;
  for (const char c : camel) {
    if (length + 2 > member_name_bytes_max)
      return camel;
    if (c >= 'A' && c <= 'Z') {
      buffer[length++] = '_';
      buffer[length++] = static_cast<char>(c - 'A' + 'a');
    } else {
      buffer[length++] = c;
    }
  }
  return {buffer, length};
}

std::string number_text(double value) {
  std::array<char, 32> buffer;
  const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), ec == std::errc{} ? end : buffer.data()};
}

std::string too_long(std::size_t bytes_max) {
  return "longer than " + std::to_string(bytes_max) + " bytes";
}

std::string too_deep() {
  return "nested deeper than " + std::to_string(metadata_depth_max) + " levels";
}

} // namespace

std::string place::path() const {
  auto text = up ? up->path() : std::string{};
  if (index)
    return text + "[" + std::to_string(*index) + "]";
  if (!text.empty() && !name.empty())
    text.push_back('.');
  return text.append(name);
}

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

void first_failure::set(errc code, const place& where, std::string_view text) {
  if (failure_)
    return;
  if (style_ == where_style::pointer) {
    failure_ = make_error(code, std::string(text), where.pointer());
    return;
  }
  auto path = where.path();
  auto message = (path.empty() ? std::string{root_} : path).append(": ").append(text);
  failure_ = make_error(code, std::move(message), std::move(path));
}

void first_failure::set_type(const place& where, std::string_view name, std::string_view expected,
                             const json::value& found) {
  if (failure_)
    return;
  if (style_ == where_style::pointer)
    set(where, quoted(name)
                   .append(" must be ")
                   .append(expected)
                   .append(", found ")
                   .append(describe(found)));
  else
    set(where,
        std::string{"expected "}.append(expected).append(", found ").append(describe_kind(found)));
}

std::string describe(const json::value& found) {
  switch (found.kind()) {
    case json::kind::bool_: return found.get_bool() ? "true" : "false";
    case json::kind::int64: return "the number " + std::to_string(found.get_int64());
    case json::kind::uint64: return "the number " + std::to_string(found.get_uint64());
    case json::kind::double_: return "the number " + number_text(found.get_double());
    case json::kind::string: return "the string " + quoted(found.get_string(), quoted_bytes_max);
    case json::kind::array: return found.get_array().empty() ? "an empty array" : "an array";
    default: return std::string(describe_kind(found));
  }
}

std::string_view describe_kind(const json::value& found) noexcept {
  switch (found.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_: return "a number";
    case json::kind::string: return "a string";
    case json::kind::array: return "an array";
    case json::kind::object: return "an object";
  }
  return "something else";
}

std::optional<std::int64_t> whole_number_from(const json::value& from, bool texts_too) noexcept {
  switch (from.kind()) {
    case json::kind::int64: return from.get_int64();
    case json::kind::double_: {
      const auto number = from.get_double();
      if (std::trunc(number) != number || std::abs(number) > 9e15)
        return std::nullopt;
      return static_cast<std::int64_t>(number);
    }
    case json::kind::string: {
      if (!texts_too)
        return std::nullopt;
      const auto& text = from.get_string();
      std::int64_t number = 0;
      const auto* end = text.data() + text.size();
      const auto [stop, problem] = std::from_chars(text.data(), end, number);
      return problem == std::errc{} && stop == end && !text.empty() ? std::optional{number}
                                                                    : std::nullopt;
    }
    default: return std::nullopt;
  }
}

object_reader::object_reader(const json::value& from, const place& where, first_failure& failure,
                             reading_options options, std::string_view called)
    : object_(from.if_object()), where_(where), failure_(failure), options_(options) {
  if (!object_) {
    failure_.set(
        where_,
        called.empty()
            ? std::string{"expected an object, found "}.append(describe_kind(from))
            : std::string{called}.append(" must be an object, found ").append(describe(from)));
    return;
  }
  has_snake_case_ =
      options_.is_lenient && std::any_of(object_->begin(), object_->end(), [](const auto& member) {
        return as_view(member.key()).find('_') != std::string_view::npos;
      });
}

const json::value* object_reader::find_even_null(std::string_view name) const {
  if (!object_)
    return nullptr;
  const auto* found = object_->if_contains({name.data(), name.size()});
  if (found || !has_snake_case_)
    return found;
  char buffer[member_name_bytes_max];
  const auto snake = to_snake_case(name, buffer);
  return object_->if_contains({snake.data(), snake.size()});
}

const json::value* object_reader::find(std::string_view name) const {
  const auto* found = find_even_null(name);
  return found && found->is_null() && options_.null_is_absent ? nullptr : found;
}

void object_reader::refuse_unknown(std::initializer_list<std::string_view> known,
                                   std::string_view text) const {
  if (!object_)
    return;
  for (const auto& member : *object_)
    if (std::find(known.begin(), known.end(), as_view(member.key())) == known.end())
      return fail(as_view(member.key()), text);
}

std::string object_reader::text(std::string_view name) const {
  const auto* found = find(name);
  if (!found)
    return {};
  if (const auto* text = found->if_string())
    return {text->data(), text->size()};
  fail_type(name, "a string", *found);
  return {};
}

std::string object_reader::id(std::string_view name) const {
  auto text = this->text(name);
  if (text.size() > id_bytes_max) {
    fail(name, too_long(id_bytes_max));
    text.clear();
  }
  return text;
}

std::string object_reader::required_id(std::string_view name) const {
  auto text = id(name);
  if (text.empty())
    fail(name, "missing or empty; a non-empty string is required");
  return text;
}

bool object_reader::boolean(std::string_view name, bool fallback) const {
  const auto* found = find(name);
  if (!found)
    return fallback;
  if (const auto* flag = found->if_bool())
    return *flag;
  if (const auto* text = found->if_string();
      options_.is_lenient && text && (*text == "true" || *text == "false"))
    return *text == "true";
  fail_type(name, "true or false", *found);
  return fallback;
}

std::optional<std::uint64_t>
object_reader::whole_number_64(std::string_view name, std::uint64_t min, std::uint64_t max) const {
  const auto* found = find(name);
  if (!found)
    return std::nullopt;
  const auto number = whole_number_from(*found, options_.is_lenient);
  if (number && *number >= 0 && static_cast<std::uint64_t>(*number) >= min
      && static_cast<std::uint64_t>(*number) <= max)
    return static_cast<std::uint64_t>(*number);
  const auto expected = "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
  if (failure_.style() == where_style::path)
    fail(name, "expected " + expected);
  else
    fail_type(name, expected, *found);
  return std::nullopt;
}

std::optional<double> object_reader::number(std::string_view name) const {
  const auto* found = find(name);
  if (!found)
    return std::nullopt;
  if (found->is_number())
    return found->to_number<double>();
  fail_type(name, "a number", *found);
  return std::nullopt;
}

std::optional<timestamp> object_reader::time(std::string_view name) const {
  const auto* found = find(name);
  if (!found)
    return std::nullopt;
  if (const auto* text = found->if_string())
    if (const auto at = parse_rfc3339({text->data(), text->size()}))
      return at;
  constexpr std::string_view expected = "an RFC 3339 timestamp such as 2026-01-02T03:04:05.678Z";
  if (failure_.style() == where_style::path)
    fail(name, "expected " + std::string(expected));
  else
    fail_type(name, expected, *found);
  return std::nullopt;
}

json::object object_reader::object(std::string_view name) const {
  const auto* found = find(name);
  if (!found)
    return {};
  if (!found->is_object())
    fail_type(name, "an object", *found);
  else if (is_deeper_than(*found, metadata_depth_max))
    fail(name, too_deep());
  else
    return json::object(found->get_object(), json::storage_ptr{});
  return {};
}

json::value object_reader::tree(std::string_view name) const {
  const auto* found = find(name);
  if (!found)
    return {};
  if (!is_deeper_than(*found, metadata_depth_max))
    return json::value(*found, json::storage_ptr{});
  fail(name, too_deep());
  return {};
}

std::vector<std::string> object_reader::texts(std::string_view name, std::size_t bytes_max) const {
  std::vector<std::string> out;
  const auto* items = array(name);
  if (!items)
    return out;
  if (items->size() > message_names_max) {
    fail(name, "more than " + std::to_string(message_names_max) + " entries");
    return out;
  }
  out.reserve(items->size());
  const auto list = where_ / name;
  for (const auto& item : *items) {
    const auto* text = item.if_string();
    if (!text)
      failure_.set_type(list / out.size(), name, "a string", item);
    else if (text->size() > bytes_max)
      failure_.set(list / out.size(), too_long(bytes_max));
    out.emplace_back(text ? as_view(*text) : std::string_view{});
  }
  return out;
}

const json::array* object_reader::array(std::string_view name, std::string_view expected) const {
  const auto* found = find(name);
  if (!found)
    return nullptr;
  if (const auto* items = found->if_array())
    return items;
  fail_type(name, expected, *found);
  return nullptr;
}

} // namespace troupe::wire
