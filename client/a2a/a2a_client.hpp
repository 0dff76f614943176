// A client of one A2A agent, in either version and binding: looks the card up, chooses how to
// speak, asks, and reads streams, which it takes up again where they broke. Everything here belongs
// to the thread that runs the io_context; client/a2a/remote.hpp is the same for programs that
// block.
#pragma once

#include "client/a2a/identity.hpp"
#include "client/a2a/limits.hpp"
#include "client/a2a/operation.hpp"
#include "client/a2a/request.hpp"
#include "client/a2a/target.hpp"
#include "client/circuit_breaker.hpp"
#include "client/http_client.hpp"
#include "client/io.hpp"
#include "client/single_flight.hpp"
#include "client/timers.hpp"
#include "protocol/a2a/answer_reading.hpp"
#include "protocol/text/http_url.hpp"
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time_source.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::a2a {

/// Of a request that an exception has ended.
[[nodiscard]] inline error failed_inside() {
  return make_error(errc::internal, "the request failed inside this program");
}

struct client_options {
  target to;
  std::chrono::milliseconds timeout = exchange_timeout;
  std::chrono::milliseconds silence = stream_silence;
  /// Of an answer's body, and of one event of a stream.
  std::size_t bytes_max = answer_bytes_max;
  /// Extensions that are activated if the card offers them, beside those of streams and objectives.
  std::vector<std::string_view> extensions;
  /// Which addresses may be connected to (http_client_options::admit); empty: all.
  std::function<result<void>(const http_url&, const net::asio::ip::address&)> admit;
  /// In place of the system's resolver; for tests (http_client_options::resolve).
  std::function<result<net::addresses>(const std::string& host)> resolve;
  /// In place of connections to addresses; for simulations (http_client_options::connect).
  std::function<result<int>(const http_url&)> connect;
  /// http_client_options::total.
  net::connection_total total{};
  /// http_client_options::memory; events that are being read are counted, too.
  memory_budget_ptr memory{};
};

/// Further headers of a request.
using header_list = std::vector<std::pair<std::string, std::string>>;

/// Hears what becomes of the connection of a stream.
struct connection_news {
  /// It broke, and is tried again after `wait`.
  std::function<void(const error& why, std::chrono::milliseconds wait)> on_lost;
  /// It stands again.
  std::function<void()> on_resumed;
};

class event_stream;

class a2a_client {
public:
  /// Has no threads before `start`. `clock`: of the context. Errors: invalid_params (URL,
  /// certificates).
  [[nodiscard]] static result<std::unique_ptr<a2a_client>>
  make(net::asio::io_context& context, net::timers_ptr clock, client_options options);
  ~a2a_client();
  a2a_client(const a2a_client&) = delete;
  a2a_client& operator=(const a2a_client&) = delete;

  /// Names are looked up by threads from now on.
  void start();
  /// Looks a name up, for a client that was not started.
  bool turn();
  void close();

  /// The card; asked for once. Errors: unavailable (no server there), method_not_found (there is a
  /// server, and no card), invalid_agent_response (no card of A2A), unauthenticated, forbidden.
  [[nodiscard]] net::awaitable<result<agent_card>> card();
  /// The card, asked for again: not before its `max-age` is over, and not sent again if its `ETag`
  /// is the same (RFC 9111). `timeout`: in place of the client's. Errors: as `card`; the card that
  /// was known stays.
  [[nodiscard]] net::awaitable<result<agent_card>>
  refresh_card(std::optional<std::chrono::milliseconds> timeout);
  /// The card, asked for again as `refresh_card` does if its `max-age` is over, or, without one,
  /// after `card_kept`. Many at once ask once. Errors: as `card`; the card that was known stays.
  [[nodiscard]] net::awaitable<result<void>> renew_card();
  /// What is known; null before it was looked up.
  [[nodiscard]] const std::shared_ptr<const agent_card>& known_card() const noexcept {
    return card_;
  }
  /// Whether the server said how long the card holds, and that time is over.
  [[nodiscard]] bool card_is_old() const;
  /// When the server last said that it holds.
  [[nodiscard]] timestamp card_at() const noexcept { return card_at_; }
  /// As the server writes it.
  [[nodiscard]] const std::string& card_text() const noexcept { return card_text_; }
  /// How the agent is spoken to now; the first format before the card was read.
  [[nodiscard]] wire::wire_format format() const noexcept {
    return endpoint_ ? endpoint_->format : wire::wire_format{};
  }
  /// How the agent is spoken to; looks the card up. Errors: as `card`; version_not_supported.
  [[nodiscard]] net::awaitable<result<endpoint>> where();
  /// The result of an operation that does not stream. Errors: the server's, and those of `card`.
  [[nodiscard]] net::awaitable<result<boost::json::value>> ask(operation which,
                                                               boost::json::object params);
  [[nodiscard]] net::awaitable<result<boost::json::value>>
  ask_with(operation which, params_writer params, header_list headers,
           std::optional<std::chrono::milliseconds> timeout = {});
  [[nodiscard]] net::awaitable<result<boost::json::value>>
  ask_with(operation which, boost::json::object params, header_list headers,
           std::optional<std::chrono::milliseconds> timeout = {}) {
    return ask_with(which, same_params(std::move(params)), std::move(headers), timeout);
  }
  /// Begins nothing: the first `next` does. To be destroyed before the client. `headers`: of its
  /// first request, and of each further one.
  [[nodiscard]] std::shared_ptr<event_stream>
  stream(operation which, params_writer params, connection_news news, header_list headers = {});
  [[nodiscard]] std::shared_ptr<event_stream> stream(operation which, boost::json::object params,
                                                     connection_news news,
                                                     header_list headers = {});

private:
  friend class event_stream;

  a2a_client(client_options options, net::timers_ptr clock, std::shared_ptr<net::read_pace> pace,
             std::unique_ptr<net::http_client> http);

  /// Whether the agent may be asked now. Errors: unavailable, if it has failed again and again.
  [[nodiscard]] result<void> admit();
  /// What became of what was admitted.
  void note(const result<net::outbound_answer>& answer);
  /// The same of a stream that began at `began`: whether an event has come.
  void note_stream(bool has_event, net::time_point began);
  [[nodiscard]] net::awaitable<result<net::outbound_answer>> exchange(prepared_request request);
  /// An operation was asked in the version `asked`. Whether it is to be asked again, in
  /// the other one.
  [[nodiscard]] bool learn_version(wire::a2a_version asked, operation which,
                                   const result<boost::json::value>& answer);
  [[nodiscard]] result<endpoint> endpoint_in(std::optional<wire::a2a_version> version) const;
  [[nodiscard]] net::awaitable<result<net::outbound_answer>>
  fetch_card(std::string& url, std::optional<std::chrono::milliseconds> timeout);
  [[nodiscard]] net::awaitable<result<void>> look_up();
  [[nodiscard]] net::awaitable<result<void>>
  read_card(std::optional<std::chrono::milliseconds> timeout);
  void keep_card_age(const net::outbound_answer& said);
  [[nodiscard]] result<prepared_request> prepared(operation which, const params_writer& params,
                                                  const std::string& last_id,
                                                  const std::string& cursor) const;

  const client_options options_;
  const net::timers_ptr clock_;
  const std::shared_ptr<net::read_pace> pace_; ///< Shared with `http_`.
  std::unique_ptr<net::http_client> http_;
  identity who_;
  net::circuit_breaker breaker_;
  net::single_flight looking_up_;
  std::shared_ptr<const agent_card> card_;
  std::string card_text_;
  std::string card_etag_; ///< Empty: none.
  std::optional<time_source::steady_point> card_holds_until_;
  timestamp card_at_{};
  time_source::steady_point card_read_at_{};
  std::optional<endpoint> endpoint_;
  std::optional<wire::a2a_version> learned_; ///< In place of the card's.
  bool is_sure_of_version_ = false;          ///< The agent has shown that it speaks it.
};

/// The events of one operation that streams, as JSON.
class event_stream : public std::enable_shared_from_this<event_stream> {
public:
  event_stream(a2a_client& by, operation which, params_writer params, connection_news news,
               header_list headers);
  ~event_stream();
  event_stream(const event_stream&) = delete;
  event_stream& operator=(const event_stream&) = delete;

  /// The next event; nothing after `finish`. A connection that breaks before that is made again, if
  /// `resume_with` was called, and the stream goes on with what it says. Errors: the server's;
  /// those of the connection, when it was tried in vain; overloaded (no memory for an event).
  [[nodiscard]] net::awaitable<result<std::optional<boost::json::value>>> next();
  /// What is asked after a break from now on. `cursor`: how far the reader has got, for servers
  /// that say so in their events (docs/streams.md); the ids of events are sent by themselves.
  void resume_with(operation which, boost::json::object params, std::string cursor = {});
  /// How long the server wants clients to wait before they come back (`retry`), if it said so.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }
  /// That of the last event; the agent's may have changed since.
  [[nodiscard]] wire::wire_format format() const noexcept { return format_; }
  /// Of the last event, as it came; 0 if it was an answer without a stream.
  [[nodiscard]] std::size_t event_bytes() const noexcept { return read_bytes_; }
  /// The server gives its events ids, and goes on behind the last one after a break.
  [[nodiscard]] bool has_event_ids() const noexcept { return !last_id_.empty(); }
  /// The event that was read last was the last one.
  void finish() noexcept { is_over_ = true; }
  /// What `resume_with` says is asked anew, from its beginning.
  void restart();
  /// Ends what is under way, with errc::canceled.
  void close();

private:
  [[nodiscard]] net::awaitable<result<void>> open();
  [[nodiscard]] result<void> feed(std::string_view bytes, net::time_point asked_at);
  [[nodiscard]] net::awaitable<result<void>> gather(net::outbound_answer& to);
  [[nodiscard]] net::awaitable<result<void>> wait_after(error why);
  [[nodiscard]] net::awaitable<void> keep_pace(std::size_t bytes);
  void prove(const error& why = {});
  void drop();

  a2a_client& by_;
  operation which_;
  params_writer params_;
  std::string cursor_;
  std::optional<std::chrono::milliseconds> retry_;
  wire::wire_format format_{}; ///< In which the operation was asked.
  const connection_news news_;
  const header_list headers_;
  std::shared_ptr<net::http_stream> connection_;
  std::optional<net::sse_reader> reader_;
  net::answer_share held_;                   ///< Of `reader_`, or of an answer that is no stream.
  net::paced_answer pace_;                   ///< The same.
  net::paced_answer waste_pace_;             ///< Of `waste_bytes_`; none is given back.
  std::chrono::nanoseconds event_waited_{0}; ///< For the event that is being read.
  std::size_t event_bytes_ = 0;              ///< Of it, so far.
  std::size_t read_bytes_ = 0;               ///< Of the event that was read last.
  std::size_t idle_bytes_ = 0;               ///< Since the last event, and not of one.
  std::size_t waste_bytes_ = 0;              ///< Of the connection: of no event, or no body.
  /// When the connection's stream began, until it has shown whether it is of use.
  std::optional<net::time_point> unproven_since_;
  std::optional<net::sse_event>
      unended_; ///< Behind the last whole event of a stream that has ended.
  std::optional<boost::json::value> whole_; ///< An answer that is no stream.
  bool was_whole_ = false;                  ///< The last one was; the next try waits.
  std::string last_id_;
  net::timer pause_;
  unsigned failures_ = 0;
  bool has_begun_ = false; ///< The server has answered once.
  bool may_resume_ = false;
  bool is_over_ = false;
  bool is_closed_ = false;
};

/// The events of one task, from a send or a subscription: what happens to it until it ends.
class task_stream {
public:
  /// `from`: of operation::send_streaming or subscribe_to_task. `ends_at_question`: what was asked
  /// is not waited for. `task`: its id; empty: the first event says it.
  task_stream(a2a_client& by, std::shared_ptr<event_stream> from, bool ends_at_question,
              std::string task = {});

  /// The next event; nothing at the end. After a break a server without cursors begins with the
  /// task as it is. Events of other tasks are dropped. Errors: as event_stream::next;
  /// invalid_agent_response, if there are too many of those (foreign_events_max).
  [[nodiscard]] net::awaitable<result<std::optional<wire::answer>>> next();
  /// The last event as the server wrote it.
  [[nodiscard]] const boost::json::value& last_event() const noexcept { return last_event_; }
  /// Events of other tasks so far.
  [[nodiscard]] std::size_t dropped() const noexcept { return dropped_; }
  void close() { events_->close(); }

private:
  [[nodiscard]] bool is_foreign(const wire::answer& read) const;
  void learn(const wire::answer& read);
  [[nodiscard]] net::awaitable<result<std::optional<wire::answer>>> ended_meanwhile(error why);

  a2a_client& by_;
  std::shared_ptr<event_stream> events_;
  const bool ends_at_question_;
  std::string task_;
  unsigned foreign_events_ = 0; ///< In a row.
  std::size_t dropped_ = 0;
  boost::json::value last_event_;
};

} // namespace troupe::a2a
