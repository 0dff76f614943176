#include "tests/support/flooding_agent.hpp"

#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace troupe::testing {

namespace asio = boost::asio;

namespace {

std::string event(const std::string& result) {
  return R"(data: {"jsonrpc":"2.0","id":1,"result":{)" + result + "}}\n\n";
}

} // namespace

flooding_agent::flooding_agent(bool of_another_task)
    : of_another_task_(of_another_task),
      acceptor_(context_, {asio::ip::address_v4::loopback(), 0}) {
  accepting_ = std::thread([this] { accept(); });
}

flooding_agent::~flooding_agent() {
  is_over_ = true;
  {
    asio::ip::tcp::socket last(context_);
    boost::system::error_code ignored;
    last.connect(acceptor_.local_endpoint(), ignored); // the one that is waited for
  }
  accepting_.join();
  for (auto& each : serving_)
    each.join();
}

std::string flooding_agent::url() const {
  return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

void flooding_agent::accept() {
  while (!is_over_) {
    asio::ip::tcp::socket peer(context_);
    acceptor_.accept(peer);
    serving_.emplace_back([this, peer = std::move(peer)]() mutable { serve(peer); });
  }
}

void flooding_agent::serve(asio::ip::tcp::socket& peer) {
  boost::system::error_code failed;
  std::string request;
  asio::read_until(peer, asio::dynamic_buffer(request), "\r\n\r\n", failed);
  if (failed || is_over_)
    return;
  if (request.starts_with("GET")) {
    const auto card = R"({"name":"Flood","description":"","version":"1","skills":[],)"
                      R"("capabilities":{"streaming":true},"defaultInputModes":["text/plain"],)"
                      R"("defaultOutputModes":["text/plain"],"supportedInterfaces":[{"url":")"
                      + url() + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})";
    asio::write(peer,
                asio::buffer("HTTP/1.1 200 OK\r\nConnection: close\r\n"
                             "Content-Type: application/json\r\nContent-Length: "
                             + std::to_string(card.size()) + "\r\n\r\n" + card),
                failed);
    return;
  }
  if (request.find("Stream") == std::string::npos)
    return; // CancelTask, GetTask: no answer
  asio::write(peer,
              asio::buffer("HTTP/1.1 200 OK\r\nConnection: close\r\n"
                           "Content-Type: text/event-stream\r\n\r\n"
                           + event(R"("task":{"id":"t","contextId":"c",)"
                                   R"("status":{"state":"TASK_STATE_WORKING"}})")),
              failed);
  const std::string text(64 << 10, 'x');
  while (!failed && !is_over_ && of_another_task_) {
    ++frames_;
    asio::write(peer,
                asio::buffer(event(R"("statusUpdate":{"taskId":"other","contextId":"d",)"
                                   R"("status":{"state":"TASK_STATE_WORKING"}})")),
                failed);
  }
  while (!failed && !is_over_) {
    asio::write(peer,
                asio::buffer(event(R"("artifactUpdate":{"taskId":"t","contextId":"c",)"
                                   R"("artifact":{"artifactId":"a)"
                                   + std::to_string(++frames_) + R"(","parts":[{"text":")" + text
                                   + R"("}]}})")),
                failed);
  }
}

} // namespace troupe::testing
