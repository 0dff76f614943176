// What a person types at the prompt, byte by byte, as a line: backspace, Ctrl-U, Ctrl-W, Enter,
// Ctrl-D. A plain value; the terminal hands in what it read and shows `text()`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The longest line, in bytes; what is typed beyond is dropped.
inline constexpr std::size_t typed_bytes_max = 64 * 1024;

struct typed_line {
  std::string text;
  bool end_of_input = false; ///< Ctrl-D on an empty line.
};

class line_editor {
public:
  /// The lines completed by `bytes`, in order. Escape sequences (arrow keys) and other control
  /// characters are swallowed.
  [[nodiscard]] std::vector<typed_line> feed(std::string_view bytes);
  /// What stands on the line now.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
  enum class mode : unsigned char { plain, escape, sequence };

  void put(char byte);
  void erase_character();
  void erase_word();

  std::string text_;
  mode mode_ = mode::plain;
};

} // namespace troupe
