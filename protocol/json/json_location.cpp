#include "protocol/json/json_location.hpp"

#include "protocol/text/text.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <algorithm>
#include <charconv>
#include <vector>

namespace troupe {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Walks over JSON text that is known to be well-formed; stops at the end of text in any case.
/// Never recurses.
class scanner {
public:
  explicit scanner(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }

  void skip_space() {
    while (!at_end() && is_space(text_[at_]))
      ++at_;
  }

  /// Over white space and `c`; false if something else is there.
  bool take(char c) {
    skip_space();
    if (peek() != c)
      return false;
    ++at_;
    return true;
  }

  /// At the opening quote. Returns what stands between the quotes, escapes untouched.
  std::string_view take_string() {
    const auto begin = ++at_;
    while (!at_end() && text_[at_] != '"')
      at_ += text_[at_] == '\\' ? 2 : 1;
    const auto end = std::min(at_, text_.size());
    at_ = std::min(end + 1, text_.size());
    return text_.substr(begin, end - begin);
  }

  void skip_value() {
    skip_space();
    std::size_t depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        (void)take_string();
        continue;
      }
      if (c == '{' || c == '[')
        ++depth;
      else if (c == '}' || c == ']')
        --depth;
      else if (depth == 0)
        return skip_scalar();
      ++at_;
    } while (depth > 0 && !at_end());
  }

private:
  void skip_scalar() {
    while (!at_end() && !is_space(text_[at_])
           && std::string_view(",]}").find(text_[at_]) == std::string_view::npos)
      ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Four hexadecimal digits.
std::optional<unsigned> code_unit(std::string_view digits) {
  unsigned value = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return digits.size() == 4 && ec == std::errc{} && end == digits.data() + digits.size()
             ? std::optional{value}
             : std::nullopt;
}

void append_utf8(std::string& out, unsigned code) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80 | ((code >> shift) & 0x3f));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12), tail(6), tail(0);
  }
}

/// RFC 8259 section 7.
std::string unescape(std::string_view raw) {
  std::string out;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 >= raw.size()) {
      out += raw[i];
      continue;
    }
    const char c = raw[++i];
    if (c == 'u') {
      auto code = code_unit(raw.substr(i + 1, 4)).value_or('?');
      i += 4;
      if (code >= 0xd800 && code < 0xdc00 && raw.substr(std::min(i + 1, raw.size()), 2) == "\\u") {
        const auto low = code_unit(raw.substr(i + 3, 4)).value_or(0xdc00);
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i += 6;
      }
      append_utf8(out, code);
      continue;
    }
    constexpr std::string_view written = "bfnrt", meant = "\b\f\n\r\t";
    const auto found = written.find(c);
    out += found == std::string_view::npos ? c : meant[found];
  }
  return out;
}

/// One step of a JSON pointer.
std::string unescape_step(std::string_view step) {
  std::string out;
  for (std::size_t i = 0; i < step.size(); ++i)
    if (step[i] == '~' && i + 1 < step.size())
      out += step[++i] == '1' ? '/' : '~';
    else
      out += step[i];
  return out;
}

/// From the start of an object to the start of the member's value; the last of several counts, as
/// it does for the parser. `name_at` becomes the place of its name.
std::optional<scanner> enter_member(scanner at, std::string_view name, text_range& name_at) {
  std::optional<scanner> found;
  if (!at.take('{'))
    return found;
  do {
    at.skip_space();
    if (at.peek() != '"')
      break;
    const auto key_begin = at.offset() + 1;
    const auto key = at.take_string();
    if (!at.take(':'))
      break;
    at.skip_space();
    if (key == name || (key.find('\\') != std::string_view::npos && unescape(key) == name)) {
      found = at;
      name_at = {key_begin, key_begin + key.size()};
    }
    at.skip_value();
  } while (at.take(','));
  return found;
}

std::optional<scanner> enter_element(scanner at, std::size_t index) {
  if (!at.take('['))
    return std::nullopt;
  for (std::size_t i = 0;; ++i) {
    at.skip_space();
    if (at.peek() == ']')
      return std::nullopt;
    if (i == index)
      return at;
    at.skip_value();
    if (!at.take(','))
      return std::nullopt;
  }
}

std::optional<scanner> enter(scanner at, std::string_view step, text_range& name_at) {
  at.skip_space();
  if (at.peek() == '{')
    return enter_member(at, unescape_step(step), name_at);
  name_at = {};
  std::size_t index = 0;
  const auto [end, ec] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (ec != std::errc{} || end != step.data() + step.size())
    return std::nullopt;
  return enter_element(at, index);
}

} // namespace

text_position position_at(std::string_view text, std::size_t offset) {
  text_position position;
  for (const char c : text.substr(0, std::min(offset, text.size()))) {
    if (c == '\n')
      position = {position.line + 1, 1};
    else if (!continues_utf8(c))
      ++position.column;
  }
  return position;
}

std::optional<duplicate_member> find_duplicate_member(std::string_view json) {
  struct member {
    std::string_view name;
    std::size_t offset;
  };
  std::vector<member> members;      // of all open objects, outermost first
  std::vector<std::size_t> objects; // where each one's members begin; arrays need no entry
  std::optional<duplicate_member> found;
  scanner at(json);
  while (!at.at_end()) {
    at.skip_space();
    const auto offset = at.offset();
    const char c = at.peek();
    if (c == '"') {
      const auto text = at.take_string();
      at.skip_space();
      if (at.peek() == ':' && !objects.empty())
        members.push_back({text, offset});
      continue;
    }
    if (c == '{')
      objects.push_back(members.size());
    if (c == '}' && !objects.empty()) {
      const auto first = members.begin() + static_cast<std::ptrdiff_t>(objects.back());
      std::sort(first, members.end(), [](const member& a, const member& b) {
        return a.name != b.name ? a.name < b.name : a.offset < b.offset;
      });
      const auto same = [](const member& a, const member& b) { return a.name == b.name; };
      if (const auto twin = std::adjacent_find(first, members.end(), same); twin != members.end()) {
        const auto& second = *std::next(twin);
        if (!found || second.offset < found->offset)
          found = duplicate_member{second.offset, std::string(second.name)};
      }
      members.erase(first, members.end());
      objects.pop_back();
    }
    if (!at.at_end())
      (void)at.take(c);
  }
  return found;
}

std::optional<value_place> find_value(std::string_view json, std::string_view pointer) {
  const std::size_t mark_size = json.starts_with("\xef\xbb\xbf") ? 3 : 0;
  scanner at(json.substr(mark_size));
  value_place out;
  while (!pointer.empty()) {
    if (pointer.front() != '/')
      return std::nullopt;
    pointer.remove_prefix(1);
    const auto end = std::min(pointer.find('/'), pointer.size());
    const auto next = enter(at, pointer.substr(0, end), out.name);
    if (!next)
      return std::nullopt;
    at = *next;
    pointer.remove_prefix(end);
  }
  at.skip_space();
  if (at.at_end())
    return std::nullopt;
  out.value.begin = at.offset() + mark_size;
  at.skip_value();
  out.value.end = at.offset() + mark_size;
  if (out.name.end > 0) {
    out.name.begin += mark_size;
    out.name.end += mark_size;
  }
  return out;
}

std::size_t line_of(std::string_view json, std::string_view pointer) {
  const auto found = find_value(json, pointer);
  return found ? position_at(json, found->value.begin).line : 0;
}

} // namespace troupe
