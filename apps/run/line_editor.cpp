#include "apps/run/line_editor.hpp"

#include "protocol/text/text.hpp"

#include <utility>

namespace troupe {

namespace {

constexpr char ctrl_d = 0x04;
constexpr char backspace = 0x08;
constexpr char ctrl_u = 0x15;
constexpr char ctrl_w = 0x17;
constexpr char escape_key = 0x1b;
constexpr char delete_key = 0x7f;

} // namespace

std::vector<typed_line> line_editor::feed(std::string_view bytes) {
  std::vector<typed_line> out;
  for (const char byte : bytes) {
    switch (mode_) {
      case mode::escape:
        // "[" and "O" introduce sequences with a final byte (ECMA-48 5.4); anything else was Alt
        // and a key.
        mode_ = byte == '[' || byte == 'O' ? mode::sequence : mode::plain;
        continue;
      case mode::sequence:
        if (byte >= 0x40 && byte <= 0x7e)
          mode_ = mode::plain;
        continue;
      case mode::plain: break;
    }
    if (byte == '\r' || byte == '\n')
      out.push_back({std::exchange(text_, {}), false});
    else if (byte == ctrl_d) {
      if (text_.empty())
        out.push_back({{}, true});
    } else
      put(byte);
  }
  return out;
}

void line_editor::put(char byte) {
  switch (byte) {
    case backspace:
    case delete_key: erase_character(); return;
    case ctrl_u: text_.clear(); return;
    case ctrl_w: erase_word(); return;
    case escape_key: mode_ = mode::escape; return;
    case '\t': byte = ' '; break;
    default: break;
  }
  if (static_cast<unsigned char>(byte) >= 0x20 && text_.size() < typed_bytes_max)
    text_ += byte;
}

void line_editor::erase_character() {
  while (!text_.empty() && continues_utf8(text_.back()))
    text_.pop_back();
  if (!text_.empty())
    text_.pop_back();
}

void line_editor::erase_word() {
  while (!text_.empty() && text_.back() == ' ')
    text_.pop_back();
  while (!text_.empty() && text_.back() != ' ')
    text_.pop_back();
}

} // namespace troupe
