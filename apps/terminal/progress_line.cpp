#include "apps/terminal/progress_line.hpp"

#include "apps/terminal/text.hpp"

#include <cstdlib>
#include <string>

#include <unistd.h>

namespace troupe {

progress_line::progress_line(output& to, const time_source& time)
    : progress_line(to, ::isatty(to.descriptor()) == 1 && can_draw(std::getenv("TERM")), time) {}

progress_line::progress_line(output& to, bool is_terminal, const time_source& time)
    : to_(to), is_terminal_(is_terminal), time_(time), next_(time.steady() + progress_delay) {}

void progress_line::show(std::string_view text) {
  if (!is_terminal_ || time_.steady() < next_)
    return;
  next_ = time_.steady() + progress_interval;
  is_shown_ = true;
  to_.write("\r" + cut_to(clean_line(text), size_of(to_.descriptor()).columns - 1, "") + "\x1b[K");
  to_.flush();
}

void progress_line::clear() {
  if (!is_shown_)
    return;
  is_shown_ = false;
  to_.write("\r\x1b[K");
  to_.flush();
}

} // namespace troupe
