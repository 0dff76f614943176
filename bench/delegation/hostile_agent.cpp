// An A2A agent that floods who asks it: it answers each request but that for its card with a stream
// without an end. It takes only the processor's idle time, for an agent elsewhere takes none of
// ours.
//
//   troupe_hostile_agent --kind KIND      prints "listening on 127.0.0.1:PORT", runs until SIGTERM
//
// KIND: `idle` (one event that says nothing new, again and again), `foreign` (a task, then events
// of another one), `endless` (an event without an end), `comments`, `slow` (a byte a second).
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <sched.h>

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

std::string event_of(const std::string& result) {
  return R"(data: {"jsonrpc":"2.0","id":1,"result":)" + result + "}\n\n";
}

std::string update_of(const std::string& task) {
  return event_of(R"({"statusUpdate":{"taskId":")" + task
                  + R"(","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}})");
}

std::string card_at(unsigned port) {
  return R"({"name":"h","description":"h","version":"1","capabilities":{"streaming":true},)"
         R"("defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[],)"
         R"("supportedInterfaces":[{"url":"http://127.0.0.1:)"
         + std::to_string(port) + R"(/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})";
}

/// What comes first, and what comes behind it again and again.
struct flood {
  std::string first;
  std::string again;
  std::chrono::milliseconds pause{0}; ///< Before each time.
};

std::string repeated(const std::string& text) {
  std::string out;
  while (out.size() < 65'536)
    out += text;
  return out;
}

flood flood_of(std::string_view kind) {
  if (kind == "idle")
    return {"", repeated(update_of("t"))};
  if (kind == "foreign")
    return {
        event_of(R"({"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}})"),
        repeated(update_of("other"))};
  if (kind == "endless")
    return {"data: ", repeated("x")};
  if (kind == "comments")
    return {"", repeated(": hello\n\n")};
  if (kind == "slow")
    return {"", "d", 1s};
  std::cerr << "--kind " << kind << ": it is idle, foreign, endless, comments or slow\n";
  std::exit(2);
}

void serve(tcp::socket peer, const std::string& card, const flood& how) {
  boost::system::error_code failed;
  asio::streambuf buffer;
  const auto head_bytes = asio::read_until(peer, buffer, "\r\n\r\n", failed);
  if (failed)
    return;
  const auto* bytes = static_cast<const char*>(buffer.data().data());
  const std::string_view head(bytes, head_bytes);
  if (head.starts_with("GET")) {
    asio::write(peer,
                asio::buffer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: "
                             "close\r\nContent-Length: "
                             + std::to_string(card.size()) + "\r\n\r\n" + card),
                failed);
    return;
  }
  asio::write(peer,
              asio::buffer("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                           "Connection: close\r\n\r\n"
                           + how.first),
              failed);
  while (!failed) {
    if (how.pause > 0ms)
      std::this_thread::sleep_for(how.pause);
    asio::write(peer, asio::buffer(how.again), failed);
  }
}

} // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc == 3 && std::string_view(argv[1]) == "--kind" ? argv[2] : "";
  const auto how = flood_of(kind);
  const sched_param lowest{};
  ::sched_setscheduler(0, SCHED_IDLE, &lowest);
  asio::io_context context(1);
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  const auto card = card_at(acceptor.local_endpoint().port());
  std::printf("listening on 127.0.0.1:%u\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  for (;;) {
    auto peer = acceptor.accept();
    std::thread([peer = std::move(peer), &card, &how]() mutable {
      serve(std::move(peer), card, how);
    }).detach();
  }
}
