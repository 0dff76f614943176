#include "tests/apps/served.hpp"

#include "tests/support/comes_true.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>
#include <fstream>
#include <stdexcept>

#include <unistd.h>

namespace troupe::testing {

namespace json = boost::json;

namespace {

std::vector<std::string> serve_words(const std::vector<std::string>& further,
                                     const std::string& address_space,
                                     std::vector<std::string> out) {
  if (!address_space.empty())
    out.insert(out.end(),
               {"/bin/sh", "-c", "ulimit -v " + address_space + R"( && exec "$0" "$@")"});
  out.insert(out.end(), {troupe_binary(), "serve", "--listen", "127.0.0.1:0"});
  out.insert(out.end(), further.begin(), further.end());
  return out;
}

} // namespace

std::string request_of(const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}";
}

json::value result_of(const http_answer& answer) {
  const auto body = json::parse(answer.body);
  const auto* result = body.as_object().if_contains("result");
  if (result == nullptr)
    throw std::runtime_error("no result: " + answer.body);
  return *result;
}

std::string at(const json::value& from, const std::string& pointer) {
  boost::system::error_code failed;
  const auto* found = from.find_pointer(pointer, failed);
  if (found == nullptr)
    return "(none)";
  return found->is_string() ? std::string(found->as_string()) : json::serialize(*found);
}

served::served(const std::vector<std::string>& words, const std::string& address_space,
               const std::vector<std::string>& launcher)
    : process_(serve_words(words, address_space, launcher)) {
  const std::string lead = "listening on http://127.0.0.1:";
  const bool is_up = process_.read_until(
      [](const process& p) { return p.err().find("replayed)") != std::string::npos; },
      std::chrono::seconds{30});
  const auto found = process_.err().find(lead);
  if (!is_up || found == std::string::npos)
    throw std::runtime_error("the server does not start: " + process_.err());
  port_ = static_cast<std::uint16_t>(std::stoi(process_.err().substr(found + lead.size())));
}

json::value served::ask(const std::string& method, const std::string& params) const {
  return result_of(client().post(request_of(method, params)));
}

std::string served::state_of(const std::string& task) const {
  return at(ask("GetTask", R"({"id":")" + task + R"(","historyLength":0})"), "/status/state");
}

bool served::reaches(const std::string& task, const std::string& state) const {
  return comes_true([&] { return state_of(task) == state; });
}

http_client served::subscribed(const std::string& task) const {
  auto reader = client();
  reader.send(http_client::post_text(request_of("SubscribeToTask", R"({"id":")" + task + R"("})")));
  static_cast<void>(reader.receive_head());
  return reader;
}

std::size_t served::resident_bytes() const {
  std::ifstream figures("/proc/" + std::to_string(process_.id()) + "/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  figures >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t served::reserved_bytes_max() const {
  std::ifstream figures("/proc/" + std::to_string(process_.id()) + "/status");
  for (std::string name; figures >> name;)
    if (name == "VmPeak:") {
      std::size_t kilobytes = 0;
      figures >> kilobytes;
      return kilobytes * 1024;
    }
  throw std::runtime_error("no VmPeak in the status of the process");
}

int served::stop() {
  process_.signal(SIGTERM);
  return process_.wait();
}

} // namespace troupe::testing
