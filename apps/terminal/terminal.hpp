// The terminal: how large it is, drawing a block of lines in place, and reading keys without echo.
// Knows nothing of runs. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Writes to a descriptor, gathering small pieces. After the reader has gone (EPIPE) or another
/// error everything is swallowed.
class output {
public:
  explicit output(int descriptor) : descriptor_(descriptor) {}
  ~output() { flush(); }
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  void write(std::string_view text);
  void flush();
  [[nodiscard]] bool broken() const noexcept { return failure_ != 0; }
  /// The errno that broke it; 0 if it is not broken.
  [[nodiscard]] int failure() const noexcept { return failure_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
  int descriptor_;
  int failure_ = 0;
  std::string buffer_;
};

struct terminal_size {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// Of the terminal behind `descriptor`; 80 x 24 if it does not say.
[[nodiscard]] terminal_size size_of(int descriptor);

/// A block of lines at the bottom of what was printed, redrawn in place.
class live_block {
public:
  explicit live_block(output& out) : out_(out) {}
  ~live_block() { leave(); }
  live_block(const live_block&) = delete;
  live_block& operator=(const live_block&) = delete;

  /// Replaces the block by `lines`. `cursor_column`: where the cursor is shown in the last line;
  /// negative: hidden.
  void draw(const std::vector<std::string>& lines, std::size_t columns, int cursor_column = -1);
  /// Prints `text` (with its newline) above the block, for good.
  void print_above(std::string_view text);
  /// Leaves the block as it stands on the screen, the cursor below it.
  void leave();

private:
  void rewind(std::string& to) const;

  output& out_;
  std::vector<std::size_t> widths_; ///< Of the lines on the screen, in columns.
  std::vector<std::string> lines_;
  std::size_t columns_ = 80;
  bool hidden_ = false;
};

/// Keys one by one without echo, while this lives; the terminal is put back in the end, even when
/// the process is forced to end.
class key_input {
public:
  /// Does nothing (and `active` says so) if the process is in the background of the terminal.
  explicit key_input(int descriptor);
  ~key_input();
  key_input(const key_input&) = delete;
  key_input& operator=(const key_input&) = delete;

  [[nodiscard]] bool active() const noexcept { return active_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Applies the mode again, after the shell may have changed it (SIGCONT).
  void renew();

private:
  int descriptor_;
  bool active_ = false;
};

/// What was typed at the terminal behind `descriptor` and has not been read is lost. Nothing
/// happens in the background of the terminal.
void forget_typed(int descriptor);

/// Puts the terminal back as it was: cursor shown, echo on. Async-signal-safe; for the forced end.
void restore_terminal();

} // namespace troupe
