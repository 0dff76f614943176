#include "apps/terminal/console.hpp"

#include "apps/options.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/json_writer.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <unistd.h>

namespace troupe {

namespace {

/// Of a terminal; else no line is broken or cut.
std::size_t width_of(int descriptor) {
  return ::isatty(descriptor) == 1 ? size_of(descriptor).columns : static_cast<std::size_t>(-1);
}

} // namespace

std::vector<std::string> complaint(std::string_view text, std::size_t columns) {
  return wrapped("troupe: " + clean_line(text), columns, 2);
}

void complain(std::string_view text) {
  output err(STDERR_FILENO);
  for (const auto& line : complaint(text, width_of(STDERR_FILENO)))
    err.write(line + "\n");
}

int refuse_usage(const error& why) {
  complain(why.message);
  return exit_usage;
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
  return width_of(STDOUT_FILENO);
}

} // namespace troupe
