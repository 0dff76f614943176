#include "apps/console.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <unistd.h>

#include "apps/terminal.hpp"
#include "apps/text.hpp"
#include "protocol/json_writer.hpp"

namespace troupe {

void complain(std::string_view text) {
  output err(STDERR_FILENO);
  err.write("troupe: " + clean_line(text) + "\n");
}

bool say(std::string_view text) {
  output out(STDOUT_FILENO);
  out.write(text);
  out.flush();
  if (!out.broken() || out.failure() == EPIPE)
    return true;
  complain("standard output cannot be written: " + std::generic_category().message(out.failure()));
  return false;
}

void say_json_error(const error& why) {
  std::string line;
  json_writer writer(line);
  writer.begin_object().key("error").begin_object().member("code", to_string(why.code));
  writer.member("message", valid_utf8(why.message)).optional_member("field", valid_utf8(why.field));
  writer.end_object().end_object();
  say(line + "\n");
}

} // namespace troupe
