// What http_client.hpp hides: what the streams of a client share, and a stream. Included by its two
// sources only: http_client.cpp asks and reads, http_connect.cpp finds a connection for that.
#pragma once

#include "client/answer_memory.hpp"
#include "client/answer_parser.hpp"
#include "client/dialler.hpp"
#include "client/http_client.hpp"
#include "client/http_wire.hpp"
#include "client/idle_connections.hpp"
#include "client/name_resolver.hpp"

#include <boost/asio/ssl.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/optional/optional.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace troupe::net {

/// Targets that are remembered, before those that nobody uses are forgotten.
inline constexpr std::size_t targets_max = 1'024;

/// Those that use connections to one target, and those that wait for one.
struct target_lines {
  std::shared_ptr<admission_queue> exchanges;
  std::shared_ptr<admission_queue> streams;
};

struct http_client::parts : std::enable_shared_from_this<parts> {
  parts(asio::io_context& on, timers_ptr by, http_client_options how)
      : context(on), clock(std::move(by)), options(std::move(how)),
        total(options.total ? options.total : make_connection_total(clock)),
        memory(std::make_shared<answer_memory>(options.memory)),
        names(on, clock->source(), options.resolve),
        idle(clock, options.idle_connections_max, options.idle_timeout) {}

  /// What TLS connections are made with. The system's roots are read when the first one is: most
  /// never make any, and reading takes tens of milliseconds. If there are none every certificate is
  /// refused, and the exchange says so.
  [[nodiscard]] asio::ssl::context& tls() {
    error_code ignored;
    if (!std::exchange(has_system_roots, true))
      roots->set_default_verify_paths(ignored);
    return *roots;
  }

  [[nodiscard]] std::shared_ptr<target_lines> lines_to(const std::string& target) {
    if (lines.size() >= targets_max)
      std::erase_if(lines, [](const auto& each) { return each.second.expired(); });
    auto& kept = lines[target];
    auto out = kept.lock();
    if (out == nullptr) {
      const auto part =
          std::max<std::size_t>(1, total->places() * connections_target_percent / 100);
      const auto make = [&](std::size_t places) {
        return std::make_shared<admission_queue>(clock, std::min(places, part),
                                                 options.bounds.waiting_max);
      };
      out = std::make_shared<target_lines>(
          target_lines{make(options.bounds.exchanges_max), make(options.bounds.streams_max)});
      kept = out;
    }
    return out;
  }

  asio::io_context& context;
  const timers_ptr clock;
  const http_client_options options;
  const connection_total total;
  const answer_memory_ptr memory;
  std::shared_ptr<asio::ssl::context> roots; ///< Believes our own only, until `tls` was asked for.
  bool has_system_roots = false;
  name_resolver names;
  net::idle_connections idle;
  std::unordered_map<std::string, std::weak_ptr<target_lines>> lines;
  std::uint64_t connections_made = 0;
};

using string_request = boost::beast::http::request<boost::beast::http::string_body>;

struct http_stream::impl : std::enable_shared_from_this<impl> {
  impl(std::shared_ptr<http_client::parts> with, http_url to)
      : shared(std::move(with)), url(std::move(to)),
        host((url.tls ? "https:" : "http:") + url.host + ":" + std::to_string(url.port)),
        lines(shared->lines_to(host)), waiting(shared->clock), limit(shared->clock),
        quiet(shared->clock), held(shared->memory) {}

  awaitable<result<outbound_answer>> exchange(outbound_request request);
  [[nodiscard]] result<void> hold(answer_share& by, const outbound_request& request) const;
  awaitable<result<void>> enter(admission_queue& line, const outbound_request& request);
  void leave();
  awaitable<result<addresses>> find_addresses(std::string name);
  result<void> take_given();
  awaitable<result<void>> connect();
  awaitable<result<void>> set_up(tcp_socket socket, const proxy* via);
  awaitable<result<void>> open_tunnel(tcp_socket& socket, const proxy& via);
  awaitable<result<bool>> obtain(bool may_repeat, bool fresh);
  awaitable<result<outbound_answer>> ask(const string_request& request);
  awaitable<result<outbound_answer>> begin(outbound_request request);
  awaitable<result<std::string>> more(std::chrono::milliseconds silence);
  [[nodiscard]] result<std::string> taken(const error_code& ec, const result<void>& counted,
                                          std::chrono::milliseconds silence);

  /// An answer that is being read.
  struct begun_answer {
    /// Gives the parser `bytes`, which begin with the rest; up to the end of the head, if that was
    /// not read yet. Errors: those of the parser.
    void take(std::string_view bytes, error_code& failed);
    /// Nothing more comes. Errors: the same, if the answer is not whole.
    void end(error_code& failed);

    std::optional<answer_parser> parser; ///< Of the answer that counts.
    std::string rest;                    ///< Read, and not used by the parser yet.
    bool is_too_long = false;            ///< Its length is said, and above the limit.
    error_code broken;                   ///< Said once what came before has been read.
    bool has_body_begun = false;         ///< What came with the head was taken.
    std::size_t bytes_behind_head = 0;   ///< Used by the parser.
    std::size_t bytes_handed_on = 0;     ///< Of them, as body, to the reader of a stream.
  };
  awaitable<error_code> write(const string_request& request);
  /// Sends the request and reads up to the end of the headers. `bytes_max`: of the body, none for
  /// any.
  awaitable<result<void>> ask_head(const string_request& request, begun_answer& to,
                                   boost::optional<std::uint64_t> bytes_max);
  /// Reads what has come, and takes it; asio::error::would_block if that is nothing.
  void read_now(begun_answer& to, error_code& failed);
  [[nodiscard]] static outbound_answer head_of(const answer_parser& parser);
  [[nodiscard]] string_request make_request(outbound_request request) const;
  void drop();
  /// Leaves the connection to the next stream, if all of an answer has come, and closes it else.
  void give_back();
  /// What is under way is cut off at `until`.
  void limit_to(time_point until) {
    expired = false;
    limit.start_at(until, [this] {
      expired = true;
      if (wire)
        wire->close();
    });
  }
  /// What is waited for is cut off if it does not come for `silence`. The timer runs on between two
  /// waits, and looks when it rings: to set it for each event costs as much as to read one.
  void begin_wait(std::chrono::milliseconds silence) {
    expired = false;
    allowed = silence;
    quiet_until = shared->clock->now() + silence;
    if (quiet_until < quiet_at)
      set_quiet();
  }
  void end_wait() { quiet_until = time_point::max(); }
  void set_quiet() {
    quiet_at = quiet_until;
    quiet.start_at(quiet_at, [this] {
      quiet_at = time_point::max();
      if (quiet_until == time_point::max())
        return;
      if (shared->clock->now() < quiet_until)
        return set_quiet();
      expired = true;
      if (wire)
        wire->close();
    });
  }
  /// From now on a connection is made, in its own time if it has one.
  void begin_connect(const outbound_request& request) {
    is_sent = false;
    const auto& options = shared->options;
    whole = request.timeout.value_or(options.timeout);
    allowed = options.connect_timeout.count() > 0 ? options.connect_timeout : whole;
    deadline = shared->clock->now() + allowed;
  }
  /// It stands.
  void end_connect() {
    if (shared->options.connect_timeout.count() == 0)
      return;
    allowed = whole;
    deadline = shared->clock->now() + allowed;
  }
  [[nodiscard]] error failed(const char* text, const error_code& why) const;

  std::shared_ptr<http_client::parts> shared;
  const http_url url;
  const std::string host; ///< Whose connections it shares with other streams.
  const std::shared_ptr<target_lines> lines;
  admission_queue::ticket place;          ///< To the target.
  admission_queue::ticket place_in_total; ///< Of the connection.
  std::shared_ptr<dialler> dialling;
  std::unique_ptr<http_wire> wire;            ///< Null between two exchanges.
  timer waiting;                              ///< For a name's addresses.
  timer limit;                                ///< Of what is under way.
  timer quiet;                                ///< Of an answer that is read while it comes.
  time_point quiet_until = time_point::max(); ///< The latest possible: nothing is waited for.
  time_point quiet_at = time_point::max();    ///< When `quiet` rings; the latest possible: never.
  answer_share held;                          ///< Of the answer that is being read.
  std::shared_ptr<std::optional<result<addresses>>> asked; ///< What is being waited for.
  std::unique_ptr<begun_answer> begun;  ///< Of `begin`, until its body has ended.
  std::chrono::milliseconds whole{0};   ///< For the exchange that is under way.
  std::chrono::milliseconds allowed{0}; ///< Until `deadline`, for messages.
  time_point deadline{};
  bool expired = false;  ///< `limit` has cut off what was under way.
  bool is_sent = false;  ///< The whole request.
  bool is_heard = false; ///< A byte of the answer has come.
  bool closed = false;
};

} // namespace troupe::net
