#include "net/http/accept_failures.hpp"

#include <utility>

namespace troupe::net {

namespace {

namespace failures = boost::system::errc;

bool is_lack(const error_code& why) noexcept {
  return why == failures::too_many_files_open || why == failures::too_many_files_open_in_system
         || why == failures::no_buffer_space || why == failures::not_enough_memory;
}

} // namespace

std::string accept_failures::on_failed(const error_code& why) {
  if (!is_lack(why) || std::exchange(is_known_, true))
    return {};
  return "new connections wait, none can be accepted: " + why.message()
         + " (file descriptors: ulimit -n; limits.connections should be below it)";
}

std::string accept_failures::on_accepted() {
  if (!std::exchange(is_known_, false))
    return {};
  return "connections are accepted again";
}

} // namespace troupe::net
