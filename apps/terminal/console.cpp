#include "apps/terminal/console.hpp"

#include "apps/options.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/json_writer.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <unistd.h>

namespace troupe {

void complain(std::string_view text) {
  output err(STDERR_FILENO);
  err.write("troupe: " + clean_line(text) + "\n");
}

bool all_written(output& out) {
  out.flush();
  if (!out.broken() || out.failure() == EPIPE)
    return true;
  complain("standard output cannot be written: " + std::generic_category().message(out.failure()));
  return false;
}

bool say(std::string_view text) {
  output out(STDOUT_FILENO);
  out.write(text);
  return all_written(out);
}

int exit_code_of(int code, bool written) {
  return code == exit_ok && !written ? exit_failed : code;
}

void say_json_error(const error& why) {
  std::string line;
  json_writer writer(line);
  writer.begin_object().key("error").begin_object().member("code", to_string(why.code));
  writer.member("message", valid_utf8(why.message)).optional_member("field", valid_utf8(why.field));
  writer.end_object().end_object();
  say(line + "\n");
}

bool stdout_colour(colour_choice choice) {
  return use_colour(choice, ::isatty(STDOUT_FILENO) == 1, own_colour_variables());
}

std::size_t stdout_width() {
  return ::isatty(STDOUT_FILENO) == 1 ? size_of(STDOUT_FILENO).columns
                                      : static_cast<std::size_t>(-1);
}

} // namespace troupe
