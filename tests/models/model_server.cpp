#include "tests/models/model_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

namespace troupe::testing {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds patience{20};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Reads one request; `input` keeps nothing behind it.
template<class Socket>
model_request read_request(Socket& socket) {
  model_request out;
  std::string input;
  const auto head_end = asio::read_until(socket, asio::dynamic_buffer(input), "\r\n\r\n");
  const auto head = input.substr(0, head_end);
  auto body = input.substr(head_end);
  const auto line_end = head.find("\r\n");
  const auto first = head.find(' ');
  out.target = head.substr(first + 1, head.find(' ', first + 1) - first - 1);
  for (auto at = line_end + 2; head.compare(at, 2, "\r\n") != 0;) {
    const auto end = head.find("\r\n", at);
    const auto colon = head.find(':', at);
    out.headers[lower_case(head.substr(at, colon - at))] = head.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  const auto length = static_cast<std::size_t>(std::stoul("0" + out.headers["content-length"]));
  if (body.size() < length)
    asio::read(socket, asio::dynamic_buffer(body), asio::transfer_exactly(length - body.size()));
  const auto tree = boost::json::parse(body);
  out.body = tree.as_object();
  out.model = out.body.at("model").as_string();
  return out;
}

/// At its times, whatever the client does meanwhile.
void send_paced(asio::ip::tcp::socket& socket, const model_step& step) {
  const auto begun = std::chrono::steady_clock::now();
  const auto mark = step.bytes.find(now_mark);
  asio::io_context context;
  asio::steady_timer pause(context);
  for (std::size_t i = 0; i < step.times; ++i) {
    pause.expires_at(begun + step.every * i);
    pause.wait();
    auto bytes = step.bytes;
    auto now = std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
    now.insert(0, now_mark.size() - now.size(), '0');
    bytes.replace(mark, now_mark.size(), now);
    asio::write(socket, asio::buffer(bytes));
  }
}

} // namespace

model_server::model_server(std::uint64_t seed, std::uint16_t port)
    : seed_(seed), acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), port)),
      port_(acceptor_.local_endpoint().port()),
      acceptor_thread_(std::thread([this] { accept_all(); })) {}

model_server::~model_server() {
  {
    const std::lock_guard lock{guard_};
    closing_ = true;
    for (auto* each : open_) {
      boost::system::error_code ignored;
      each->shutdown(tcp::socket::shutdown_both, ignored);
    }
    changed_.notify_all();
  }
  tcp::socket knock(context_); // so that accept returns
  boost::system::error_code ignored;
  knock.connect(tcp::endpoint(asio::ip::address_v4::loopback(), port_), ignored);
  acceptor_thread_.join();
  for (auto& each : threads_)
    each.join();
}

std::string model_server::url() const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/v1";
}

void model_server::accept_all() {
  for (;;) {
    auto socket = std::make_shared<tcp::socket>(context_);
    boost::system::error_code ec;
    acceptor_.accept(*socket, ec);
    const std::lock_guard lock{guard_};
    if (closing_ || ec)
      return;
    open_.push_back(socket.get());
    threads_.emplace_back([this, socket] {
      bool is_whole = false;
      try {
        serve(*socket);
        is_whole = true;
      } catch (const std::exception&) { // the client has gone; that is its right
      }
      const std::lock_guard inner{guard_};
      if (!is_whole && !closing_)
        ++closed_by_client_;
      changed_.notify_all();
      std::erase(open_, socket.get());
      boost::system::error_code failed;
      socket->shutdown(tcp::socket::shutdown_both, failed);
      socket->close(failed);
    });
  }
}

void model_server::serve(tcp::socket& socket) {
  socket.set_option(tcp::no_delay(true));
  for (const auto& each : steps_for(read_request(socket))) {
    if (each.every.count() > 0) {
      send_paced(socket, each);
      continue;
    }
    for (std::size_t i = 0; i < each.times && !each.bytes.empty(); ++i)
      asio::write(socket, asio::buffer(each.bytes));
    char byte = 0;
    if (each.hangs)
      asio::read(socket, asio::buffer(&byte, 1)); // until the client closes
  }
}

model_steps model_server::steps_for(model_request request) {
  const std::lock_guard lock{guard_};
  std::string content;
  const auto count = counts_[request.model]++;
  if (const auto found = contents_.find(request.model); found != contents_.end()) {
    content = found->second.front();
    if (found->second.size() > 1)
      found->second.pop_front();
  }
  requests_.push_back(request);
  changed_.notify_all();
  return behave(request, count, seed_, content);
}

void model_server::say(const std::string& model, std::vector<std::string> contents) {
  const std::lock_guard lock{guard_};
  contents_[model] = {contents.begin(), contents.end()};
}

std::vector<model_request> model_server::wait_for(std::size_t count) {
  std::unique_lock lock{guard_};
  if (!changed_.wait_for(lock, patience, [&] { return requests_.size() >= count; }))
    throw std::runtime_error("only " + std::to_string(requests_.size()) + " of "
                             + std::to_string(count) + " requests came");
  return requests_;
}

std::vector<model_request> model_server::requests() const {
  const std::lock_guard lock{guard_};
  return requests_;
}

std::size_t model_server::requests_for(const std::string& model) const {
  const std::lock_guard lock{guard_};
  const auto found = counts_.find(model);
  return found == counts_.end() ? 0 : found->second;
}

std::size_t model_server::closed_by_client() const {
  const std::lock_guard lock{guard_};
  return closed_by_client_;
}

} // namespace troupe::testing
