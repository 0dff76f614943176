#include "apps/plan/yaml.hpp"

#include "protocol/json/json_location.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <libfyaml.h>

namespace troupe {

namespace json = boost::json;

namespace {

// -- scalars of the core schema -------------------------------------------------------------------

bool is_null(std::string_view text) noexcept {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

std::optional<bool> bool_of(std::string_view text) noexcept {
  if (text == "true" || text == "True" || text == "TRUE")
    return true;
  if (text == "false" || text == "False" || text == "FALSE")
    return false;
  return std::nullopt;
}

bool is_sign(char c) noexcept {
  return c == '-' || c == '+';
}

/// As many of `allowed` as `text` begins with are taken off it.
std::size_t take_any(std::string_view& text, std::string_view allowed) noexcept {
  const auto count = std::min(text.find_first_not_of(allowed), text.size());
  text.remove_prefix(count);
  return count;
}

constexpr std::string_view digits = "0123456789";

bool is_integer(std::string_view text) noexcept {
  if (!text.empty() && is_sign(text.front()))
    text.remove_prefix(1);
  return take_any(text, digits) > 0 && text.empty();
}

/// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
bool is_float(std::string_view text) noexcept {
  if (!text.empty() && is_sign(text.front()))
    text.remove_prefix(1);
  const auto whole = take_any(text, digits);
  std::size_t part = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    part = take_any(text, digits);
  }
  if (whole + part == 0)
    return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (!text.empty() && is_sign(text.front()))
      text.remove_prefix(1);
    if (take_any(text, digits) == 0)
      return false;
  }
  return text.empty();
}

bool is_not_finite(std::string_view text) noexcept {
  if (!text.empty() && is_sign(text.front()))
    text.remove_prefix(1);
  return text == ".inf" || text == ".Inf" || text == ".INF" || text == ".nan" || text == ".NaN"
         || text == ".NAN";
}

template<class Number>
std::optional<Number> number_of(std::string_view text, int base) noexcept {
  Number out{};
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out, base);
  if (read.ec != std::errc{} || read.ptr != end)
    return std::nullopt;
  return out;
}

std::optional<json::value> whole_number_of(std::string_view text, int base) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  if (const auto number = number_of<std::int64_t>(text, base))
    return json::value(*number);
  if (const auto number = number_of<std::uint64_t>(text, base))
    return json::value(*number);
  return std::nullopt;
}

/// Of a scalar without quotes. Nothing: it is a number that JSON does not have.
std::optional<json::value> plain_value(std::string_view text) {
  if (is_null(text))
    return json::value(nullptr);
  if (const auto truth = bool_of(text))
    return json::value(*truth);
  if (is_integer(text))
    return whole_number_of(text, 10);
  const auto is_based = [&](std::string_view prefix, std::string_view allowed) {
    return text.starts_with(prefix) && text.size() > prefix.size()
           && text.find_first_not_of(allowed, prefix.size()) == std::string_view::npos;
  };
  if (is_based("0o", "01234567"))
    return whole_number_of(text.substr(2), 8);
  if (is_based("0x", "0123456789abcdefABCDEF"))
    return whole_number_of(text.substr(2), 16);
  if (is_not_finite(text))
    return std::nullopt;
  if (!is_float(text))
    return json::value(json::string(text));
  const double number = std::strtod(std::string(text).c_str(), nullptr);
  return std::isfinite(number) ? std::optional<json::value>(number) : std::nullopt;
}

// -- events of the parser -------------------------------------------------------------------------

class events {
public:
  struct free_event {
    fy_parser* parser;
    void operator()(fy_event* event) const noexcept { fy_parser_event_free(parser, event); }
  };
  using event = std::unique_ptr<fy_event, free_event>;

  explicit events(std::string_view text) {
    fy_diag_cfg said{};
    fy_diag_cfg_default(&said);
    diag_.reset(fy_diag_create(&said));
    if (!diag_)
      return;
    fy_diag_set_collect_errors(diag_.get(), true);
    fy_parse_cfg how{};
    how.flags = static_cast<fy_parse_cfg_flags>(static_cast<unsigned>(FYPCF_QUIET)
                                                | static_cast<unsigned>(FYPCF_DEFAULT_VERSION_1_2)
                                                | static_cast<unsigned>(FYPCF_JSON_NONE));
    how.diag = diag_.get();
    parser_.reset(fy_parser_create(&how));
    if (parser_ && fy_parser_set_string(parser_.get(), text.data(), text.size()) != 0)
      parser_.reset();
  }

  /// Null at the end, and when the text is wrong (`failure`).
  event next() {
    return {parser_ ? fy_parser_parse(parser_.get()) : nullptr, free_event{parser_.get()}};
  }

  /// Why `next` was null before the end.
  [[nodiscard]] error failure() const {
    void* first = nullptr;
    const auto* found = diag_ ? fy_diag_errors_iterate(diag_.get(), &first) : nullptr;
    if (found == nullptr || found->msg == nullptr)
      return make_error(errc::parse_error, "not valid YAML");
    return make_error(errc::parse_error, "line " + std::to_string(found->line) + ", column "
                                             + std::to_string(found->column)
                                             + ": not valid YAML: " + found->msg);
  }

private:
  struct free_parser {
    void operator()(fy_parser* parser) const noexcept { fy_parser_destroy(parser); }
  };
  struct free_diag {
    void operator()(fy_diag* diag) const noexcept { fy_diag_destroy(diag); }
  };

  std::unique_ptr<fy_diag, free_diag> diag_; ///< Outlives the parser.
  std::unique_ptr<fy_parser, free_parser> parser_;
};

std::string_view token_text(fy_token* token) noexcept {
  std::size_t length = 0;
  const char* text = token != nullptr ? fy_token_get_text(token, &length) : nullptr;
  return text != nullptr ? std::string_view{text, length} : std::string_view{};
}

error wrong_at(std::string_view text, std::size_t offset, const std::string& message,
               std::string pointer = {}) {
  const auto at = position_at(text, offset);
  return make_error(errc::parse_error,
                    "line " + std::to_string(at.line) + ", column " + std::to_string(at.column)
                        + ": " + message,
                    std::move(pointer));
}

/// What a text of YAML may not have (YAML 1.2.2 section 5.1). The parser takes a NUL for the end.
std::size_t find_control(std::string_view text) noexcept {
  const auto is_control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  const auto found = std::ranges::find_if(text, is_control);
  return found == text.end() ? std::string_view::npos
                             : static_cast<std::size_t>(found - text.begin());
}

bool is_quoted(const events::event& one) noexcept {
  auto* token = one->type == FYET_SCALAR ? fy_event_get_token(one.get()) : nullptr;
  const auto style = token != nullptr ? fy_token_scalar_style(token) : FYSS_PLAIN;
  return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

// -- the document ---------------------------------------------------------------------------------

class yaml_reader {
public:
  /// Notes the place of the value that `sought` names, if that is given.
  explicit yaml_reader(std::string_view text, std::optional<std::string_view> sought = std::nullopt)
      : text_(text), events_(text), sought_(sought) {}

  result<json::value> read();

  [[nodiscard]] const std::optional<value_place>& found() const noexcept { return found_; }

private:
  using event = events::event;

  result<json::value> read_node(const event& first);
  result<json::value> read_mapping();
  result<json::value> read_sequence();
  [[nodiscard]] result<json::value> read_scalar(const event& scalar) const;
  /// Of a mapping's key: its text.
  [[nodiscard]] result<std::string> read_key(const event& key) const;
  [[nodiscard]] result<void> check_plain(const event& one) const;
  [[nodiscard]] static std::size_t offset_of(const event& one);
  /// Behind its last byte.
  [[nodiscard]] std::size_t end_of(const event& one) const;
  /// Where the sign stands that begins `token`.
  [[nodiscard]] std::size_t sign_of(fy_token* token, char sign) const;
  [[nodiscard]] error wrong(const event& one, const std::string& message) const;

  std::string_view text_;
  events events_;
  std::optional<std::string_view> sought_;
  std::string pointer_; ///< Of the value that is being read.
  std::size_t depth_ = 0;
  std::size_t ended_ = 0; ///< Where the last mapping or sequence ended.
  text_range name_;       ///< Of the member whose value comes next; empty: it has none.
  std::optional<value_place> found_;
};

std::size_t yaml_reader::offset_of(const event& one) {
  const auto* mark = fy_event_start_mark(one.get());
  if (mark == nullptr)
    return 0;
  // A quoted text is marked behind its quote.
  return mark->input_pos > 0 && is_quoted(one) ? mark->input_pos - 1 : mark->input_pos;
}

std::size_t yaml_reader::end_of(const event& one) const {
  const auto* mark = fy_event_end_mark(one.get());
  const auto end = mark == nullptr ? 0 : std::min(mark->input_pos, text_.size());
  // A quoted text ends before its quote.
  return is_quoted(one) ? std::min(end + 1, text_.size()) : std::max(end, offset_of(one));
}

std::size_t yaml_reader::sign_of(fy_token* token, char sign) const {
  const auto* mark = token != nullptr ? fy_token_start_mark(token) : nullptr;
  if (mark == nullptr)
    return 0;
  const auto at = std::min(mark->input_pos, text_.size());
  const bool is_behind =
      at > 0 && text_[at - 1] == sign && (at == text_.size() || text_[at] != sign);
  return is_behind ? at - 1 : at;
}

error yaml_reader::wrong(const event& one, const std::string& message) const {
  return wrong_at(text_, offset_of(one), message, pointer_);
}

result<void> yaml_reader::check_plain(const event& one) const {
  const auto wrong_sign = [&](fy_token* token, char sign, const std::string& message) {
    return wrong_at(text_, sign_of(token, sign), message, pointer_);
  };
  if (one->type == FYET_ALIAS)
    return wrong_sign(fy_event_get_token(one.get()), '*',
                      "aliases (*name) are not taken; write the value out");
  if (auto* anchor = fy_event_get_anchor_token(one.get()))
    return wrong_sign(anchor, '&', "anchors (&name) are not taken; nothing could refer to it");
  if (auto* tag = fy_event_get_tag_token(one.get()))
    return wrong_sign(tag, '!',
                      "tags (!name) are not taken; put a text that begins with ! in quotes");
  return {};
}

result<json::value> yaml_reader::read() {
  for (auto one = events_.next(); one; one = events_.next()) {
    if (one->type == FYET_STREAM_START || one->type == FYET_DOCUMENT_START)
      continue;
    if (one->type == FYET_STREAM_END)
      return make_error(errc::parse_error, "the document is empty");
    auto out = read_node(one);
    if (!out)
      return out;
    for (one = events_.next(); one && one->type != FYET_STREAM_END; one = events_.next())
      if (one->type == FYET_DOCUMENT_START)
        return wrong(one, "a second document begins; a file has one");
    return one ? std::move(out) : events_.failure();
  }
  return events_.failure();
}

result<json::value> yaml_reader::read_node(const event& first) {
  if (auto ok = check_plain(first); !ok)
    return ok.error();
  const auto name = std::exchange(name_, {});
  const bool is_sought = sought_ && !found_ && *sought_ == pointer_;
  if (is_sought)
    found_ = value_place{{offset_of(first), end_of(first)}, name};
  if (first->type == FYET_SCALAR)
    return read_scalar(first);
  if (++depth_ > yaml_depth_max)
    return wrong(first, "nested deeper than " + std::to_string(yaml_depth_max) + " levels");
  auto out = first->type == FYET_MAPPING_START ? read_mapping() : read_sequence();
  --depth_;
  if (is_sought)
    found_->value.end = std::max(found_->value.begin, ended_);
  return out;
}

result<json::value> yaml_reader::read_scalar(const event& scalar) const {
  auto* token = fy_event_get_token(scalar.get());
  const auto text = token_text(token);
  if (token != nullptr && fy_token_scalar_style(token) != FYSS_PLAIN)
    return json::value(json::string(text));
  auto value = plain_value(text);
  if (!value)
    return wrong(scalar, troupe::quoted(text.substr(0, 60))
                             + " is no number that JSON has; quote it if it is a text");
  return std::move(*value);
}

result<std::string> yaml_reader::read_key(const event& key) const {
  if (auto ok = check_plain(key); !ok)
    return ok.error();
  if (key->type != FYET_SCALAR)
    return wrong(key, "a key must be a string");
  return std::string(token_text(fy_event_get_token(key.get())));
}

result<json::value> yaml_reader::read_mapping() {
  json::object out;
  const auto before = pointer_.size();
  for (auto one = events_.next(); one; one = events_.next()) {
    if (one->type == FYET_MAPPING_END) {
      ended_ = end_of(one);
      return json::value(std::move(out));
    }
    auto key = read_key(one);
    if (!key)
      return key.error();
    append_pointer(pointer_, *key);
    if (out.contains(*key))
      return wrong(one, troupe::quoted(key->substr(0, 60)) + " appears twice in one mapping");
    const std::size_t quotes = is_quoted(one) ? 1 : 0;
    name_ = {offset_of(one) + quotes, end_of(one) - quotes};
    const auto first = events_.next();
    if (!first)
      break;
    auto value = read_node(first);
    if (!value)
      return value;
    out.emplace(*key, std::move(*value));
    pointer_.resize(before);
  }
  return events_.failure();
}

result<json::value> yaml_reader::read_sequence() {
  json::array out;
  const auto before = pointer_.size();
  for (auto one = events_.next(); one; one = events_.next()) {
    if (one->type == FYET_SEQUENCE_END) {
      ended_ = end_of(one);
      return json::value(std::move(out));
    }
    append_pointer(pointer_, out.size());
    auto value = read_node(one);
    if (!value)
      return value;
    out.push_back(std::move(*value));
    pointer_.resize(before);
  }
  return events_.failure();
}

} // namespace

result<json::value> read_yaml(std::string_view text) {
  if (text.size() > yaml_bytes_max)
    return make_error(errc::limit_exceeded, "YAML of more than "
                                                + std::to_string(yaml_bytes_max >> 20)
                                                + " MiB is not read; write it as JSON");
  if (const auto invalid = find_invalid_utf8(text))
    return wrong_at(text, *invalid, "not valid UTF-8");
  if (const auto control = find_control(text); control != std::string_view::npos)
    return wrong_at(
        text, control,
        "a control character; write it as an escape in double quotes, such as \"\\x1b\"");
  return yaml_reader(text).read();
}

std::optional<value_place> find_yaml_value(std::string_view text, std::string_view pointer) {
  if (text.size() > yaml_bytes_max || find_invalid_utf8(text)
      || find_control(text) != std::string_view::npos)
    return std::nullopt;
  yaml_reader reader(text, pointer);
  static_cast<void>(reader.read());
  return reader.found();
}

std::size_t line_of_yaml(std::string_view text, std::string_view pointer) {
  const auto found = find_yaml_value(text, pointer);
  return found ? position_at(text, found->value.begin).line : 0;
}

} // namespace troupe
