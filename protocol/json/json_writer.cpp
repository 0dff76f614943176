#include "protocol/json/json_writer.hpp"

#include "protocol/json/base64.hpp"
#include "protocol/json/json_pieces.hpp"
#include "protocol/text/hex.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace troupe {

namespace {

constexpr std::uint64_t ones = 0x0101010101010101ULL;
constexpr std::uint64_t highs = 0x8080808080808080ULL;

constexpr std::uint64_t bytes_equal(std::uint64_t word, unsigned char byte) {
  const auto x = word ^ (ones * byte);
  return (x - ones) & ~x & highs;
}

// Whether all eight bytes are ASCII that a JSON string may hold as they are.
constexpr bool all_plain(std::uint64_t word) {
  const auto control = (word - ones * 0x20) & ~word & highs;
  return ((word & highs) | control | bytes_equal(word, '"') | bytes_equal(word, '\\')) == 0;
}

// What to look at more closely: control characters, quote, backslash, and the lead bytes of U+0085,
// U+2028 and U+2029.
constexpr std::array<bool, 256> make_suspects() {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c)
    table[c] = true;
  table['"'] = table['\\'] = table[0xc2] = table[0xe2] = true;
  return table;
}

constexpr auto suspects = make_suspects();

constexpr unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// The number of bytes of the line separator that begins at `at`, 0 if none does.
std::size_t line_break_length(std::string_view text, std::size_t at) {
  if (byte_at(text, at) == 0xc2)
    return at + 1 < text.size() && byte_at(text, at + 1) == 0x85 ? 2 : 0;
  if (at + 2 < text.size() && byte_at(text, at + 1) == 0x80)
    return byte_at(text, at + 2) == 0xa8 || byte_at(text, at + 2) == 0xa9 ? 3 : 0;
  return 0;
}

void append_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"': out.append("\\\""); return;
    case '\\': out.append("\\\\"); return;
    case '\n': out.append("\\n"); return;
    case '\r': out.append("\\r"); return;
    case '\t': out.append("\\t"); return;
    case '\b': out.append("\\b"); return;
    case '\f': out.append("\\f"); return;
    default: out.append(c < 0x10 ? "\\u000" : "\\u001").push_back(hex_digits[c & 0xf]); return;
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  append_escaped(out, text);
  out.push_back('"');
}

template<class Number>
void append_number(std::string& out, Number value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

constexpr double exact_integers_max = 9007199254740992.0; // 2^53

} // namespace

void append_escaped(std::string& out, std::string_view text) {
  std::size_t run = 0; // What begins here has not been copied yet.
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() >= 8) { // The last word may overlap the one before.
      const auto word_at = std::min(at, text.size() - 8);
      std::uint64_t word;
      std::memcpy(&word, text.data() + word_at, 8);
      if (all_plain(word)) {
        at = word_at + 8;
        continue;
      }
    }
    const auto c = byte_at(text, at);
    if (!suspects[c]) {
      ++at;
      continue;
    }
    const auto break_length = c >= 0x80 ? line_break_length(text, at) : 0;
    if (c >= 0x80 && break_length == 0) {
      ++at;
      continue;
    }
    out.append(text, run, at - run);
    if (break_length == 0)
      append_escape(out, c);
    else if (break_length == 2)
      out.append("\\u0085");
    else
      out.append(byte_at(text, at + 2) == 0xa8 ? "\\u2028" : "\\u2029");
    at += break_length == 0 ? 1 : break_length;
    run = at;
  }
  out.append(text, run);
}

json_writer::json_writer(text_pieces& out) : out_(out.end()), pieces_(&out) {}

void json_writer::separate() {
  if (after_key_)
    after_key_ = false;
  else if (!first_)
    out_.push_back(',');
  first_ = false;
}

json_writer& json_writer::begin_object() {
  separate();
  out_.push_back('{');
  first_ = true;
  return *this;
}

json_writer& json_writer::end_object() {
  out_.push_back('}');
  first_ = false;
  return *this;
}

json_writer& json_writer::begin_array() {
  separate();
  out_.push_back('[');
  first_ = true;
  return *this;
}

json_writer& json_writer::end_array() {
  out_.push_back(']');
  first_ = false;
  return *this;
}

json_writer& json_writer::key(std::string_view name) {
  if (first_)
    out_.push_back('"');
  else
    out_.append(",\"", 2);
  out_.append(name).append("\":", 2);
  first_ = false;
  after_key_ = true;
  return *this;
}

json_writer& json_writer::escaped_key(std::string_view name) {
  separate();
  append_quoted(out_, name);
  out_.push_back(':');
  after_key_ = true;
  return *this;
}

json_writer& json_writer::string(std::string_view text) {
  separate();
  append_quoted(out_, text);
  return *this;
}

json_writer& json_writer::number(std::int64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

json_writer& json_writer::number(std::uint64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

json_writer& json_writer::number(double value) {
  if (!std::isfinite(value))
    return null();
  separate();
  if (std::abs(value) <= exact_integers_max && std::trunc(value) == value)
    append_number(out_, static_cast<std::int64_t>(value));
  else
    append_number(out_, value);
  return *this;
}

json_writer& json_writer::boolean(bool value) {
  return raw(value ? "true" : "false");
}

json_writer& json_writer::null() {
  return raw("null");
}

json_writer& json_writer::value(const boost::json::value& tree) {
  switch (tree.kind()) {
    case boost::json::kind::null: return null();
    case boost::json::kind::bool_: return boolean(tree.get_bool());
    case boost::json::kind::int64: return number(tree.get_int64());
    case boost::json::kind::uint64: return number(tree.get_uint64());
    case boost::json::kind::double_: return number(tree.get_double());
    case boost::json::kind::string: {
      const auto& text = tree.get_string();
      return string({text.data(), text.size()});
    }
    case boost::json::kind::array:
      begin_array();
      for (const auto& item : tree.get_array())
        value(item);
      return end_array();
    case boost::json::kind::object: return value(tree.get_object());
  }
  return *this;
}

json_writer& json_writer::value(const boost::json::object& tree) {
  begin_object();
  for (const auto& member : tree) {
    escaped_key({member.key().data(), member.key().size()});
    value(member.value());
  }
  return end_object();
}

json_writer& json_writer::long_string(std::string_view text) {
  if (pieces_ == nullptr)
    return string(text);
  separate();
  out_.push_back('"');
  add_escaped(*pieces_, text);
  out_.push_back('"');
  return *this;
}

json_writer& json_writer::long_value(const boost::json::value& tree) {
  if (pieces_ == nullptr || !is_long(tree))
    return value(tree);
  separate();
  add_json(*pieces_, tree);
  return *this;
}

json_writer& json_writer::long_value(const boost::json::object& tree) {
  if (pieces_ == nullptr || !is_long(tree))
    return value(tree);
  separate();
  add_json(*pieces_, tree);
  return *this;
}

json_writer& json_writer::long_bytes(std::string_view bytes) {
  separate();
  out_.push_back('"');
  if (pieces_ != nullptr)
    add_base64(*pieces_, bytes);
  else
    append_base64(out_, bytes);
  out_.push_back('"');
  return *this;
}

json_writer& json_writer::pieces(text_pieces json) {
  separate();
  if (pieces_ != nullptr)
    pieces_->add(std::move(json));
  else
    out_.append(json.rest());
  return *this;
}

json_writer& json_writer::add_elements(std::size_t count,
                                       std::function<void(json_writer&, std::size_t)> write) {
  first_ = false;
  pieces_->add_source(
      [count, write = std::move(write), next = std::size_t{0}](text_pieces& to) mutable {
        if (next > 0)
          to.end() += ',';
        json_writer out(to);
        write(out, next++);
        return next < count;
      });
  return *this;
}

json_writer& json_writer::keep(std::shared_ptr<const void> owner) {
  if (pieces_ != nullptr)
    pieces_->keep(std::move(owner));
  return *this;
}

json_writer& json_writer::time(timestamp at) {
  separate();
  out_.push_back('"');
  append_rfc3339(out_, at);
  out_.push_back('"');
  return *this;
}

json_writer& json_writer::raw(std::string_view json) {
  separate();
  out_.append(json);
  return *this;
}

} // namespace troupe
