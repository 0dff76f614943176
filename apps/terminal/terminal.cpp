#include "apps/terminal/terminal.hpp"

#include "apps/terminal/text.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace troupe {

namespace {

constexpr std::size_t buffered_bytes_max = 64 * 1024;
constexpr std::string_view show_cursor = "\x1b[?25h";
constexpr std::string_view hide_cursor = "\x1b[?25l";

// What restore_terminal needs; set once before the handler can run.
termios saved_mode;
std::atomic<int> saved_descriptor{-1};
std::atomic<int> cursor_descriptor{-1};
/// The process is about to end: keys are read by lines again, for good.
std::atomic<bool> is_restored{false};
/// The thread that changes the mode just now; 0: none does.
std::atomic<int> changing_thread{0};

/// Another thread may be about to read single keys: its change comes first, or never. In a signal
/// handler, which may have interrupted that thread: then it does not go on. At most 50 ms.
void wait_for_change() {
  for (int i = 0; i < 50; ++i) {
    const int who = changing_thread;
    if (who == 0 || who == ::gettid())
      return;
    ::poll(nullptr, 0, 1);
  }
}

bool is_foreground(int descriptor) {
  return ::tcgetpgrp(descriptor) == ::getpgrp();
}

/// Columns of a line that may hold SGR sequences.
std::size_t visible_width(std::string_view line) {
  std::string plain;
  plain.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b')
      plain += line[i];
    else
      i = std::min(line.find('m', i), line.size() - 1);
  }
  return display_width(plain);
}

} // namespace

// -- output ---------------------------------------------------------------------------------------

void output::write(std::string_view text) {
  if (broken())
    return;
  buffer_.append(text);
  if (buffer_.size() >= buffered_bytes_max)
    flush();
}

void output::flush() {
  std::string_view left = buffer_;
  while (!left.empty() && !broken()) {
    const auto written = ::write(descriptor_, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{descriptor_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      failure_ = errno;
    }
  }
  buffer_.clear();
}

terminal_size size_of(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

// -- block ----------------------------------------------------------------------------------------

void live_block::rewind(std::string& to) const {
  if (widths_.empty())
    return;
  // A terminal that became narrower has wrapped what stood there.
  std::size_t rows = 0;
  for (const auto width : widths_)
    rows += std::max<std::size_t>(1, (width + columns_ - 1) / std::max<std::size_t>(1, columns_));
  to += "\r";
  if (rows > 1)
    to += "\x1b[" + std::to_string(rows - 1) + "A";
}

void live_block::draw(const std::vector<std::string>& lines, std::size_t columns,
                      int cursor_column) {
  columns_ = std::max<std::size_t>(1, columns);
  std::string text;
  if (!hidden_)
    text += hide_cursor;
  rewind(text);
  widths_.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i];
    text += "\x1b[K";
    if (i + 1 < lines.size())
      text += "\r\n";
    widths_.push_back(visible_width(lines[i]));
  }
  text += "\x1b[J";
  if (cursor_column >= 0) {
    text += "\r";
    if (cursor_column > 0)
      text += "\x1b[" + std::to_string(cursor_column) + "C";
    text += show_cursor;
  }
  hidden_ = cursor_column < 0;
  cursor_descriptor = out_.descriptor();
  lines_ = lines;
  out_.write(text);
  out_.flush();
}

void live_block::print_above(std::string_view text) {
  std::string out;
  rewind(out);
  out += "\x1b[J";
  out += text;
  out_.write(out);
  widths_.clear();
  draw(std::exchange(lines_, {}), columns_);
}

void live_block::leave() {
  if (widths_.empty())
    return;
  out_.write("\r\n");
  out_.write(show_cursor);
  out_.flush();
  widths_.clear();
  lines_.clear();
  hidden_ = false;
  cursor_descriptor = -1;
}

// -- keys -----------------------------------------------------------------------------------------

key_input::key_input(int descriptor) : descriptor_(descriptor) {
  if (descriptor < 0 || !is_foreground(descriptor) || ::tcgetattr(descriptor, &saved_mode) != 0)
    return;
  active_ = true;
  saved_descriptor = descriptor;
  renew();
}

void key_input::renew() {
  if (!active_ || !is_foreground(descriptor_))
    return;
  termios mode = saved_mode;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_cc[VMIN] = 0;
  mode.c_cc[VTIME] = 0;
  changing_thread = ::gettid();
  if (!is_restored)
    ::tcsetattr(descriptor_, TCSANOW, &mode);
  changing_thread = 0;
}

key_input::~key_input() {
  if (!active_)
    return;
  saved_descriptor = -1;
  if (is_foreground(descriptor_))
    ::tcsetattr(descriptor_, TCSADRAIN, &saved_mode);
}

void forget_typed(int descriptor) {
  if (is_foreground(descriptor)) // else it would be stopped (SIGTTOU)
    ::tcflush(descriptor, TCIFLUSH);
}

void restore_terminal() {
  is_restored = true;
  wait_for_change();
  if (const int descriptor = saved_descriptor; descriptor >= 0)
    ::tcsetattr(descriptor, TCSANOW, &saved_mode);
  if (const int descriptor = cursor_descriptor; descriptor >= 0) {
    constexpr std::string_view text = "\r\n\x1b[?25h";
    [[maybe_unused]] const auto written = ::write(descriptor, text.data(), text.size());
  }
}

} // namespace troupe
