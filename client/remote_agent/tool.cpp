#include "client/remote_agent/tool.hpp"

#include "client/address_class.hpp"
#include "client/remote_agent/diagnostics.hpp"
#include "client/remote_agent/fault.hpp"
#include "client/remote_agent/heard.hpp"
#include "client/remote_agent/limits.hpp"
#include "client/remote_agent/outgoing.hpp"
#include "client/remote_agent/peer_fault.hpp"
#include "client/remote_agent/peer_view.hpp"
#include "client/remote_agent/request.hpp"
#include "client/remote_agent/route.hpp"
#include "client/remote_agent/words.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include <troupe/protocol/ids.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/json/array.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::remote_agent {

namespace json = boost::json;
using net::awaitable;

namespace {

/// A client's own bound; each call has its own, which is shorter.
constexpr std::chrono::hours client_timeout{24 * 30};
/// URLs that are no targets: so many clients are kept for them.
constexpr std::size_t clients_max = 256;

std::string fresh_uuid() {
  auto& ids = thread_id_source();
  const auto high = ids.next_random();
  return uuid_of(high, ids.next_random());
}

std::string fresh_handle() {
  return "rah_" + fresh_uuid();
}

json::object success(action which) {
  json::object out;
  out["ok"] = true;
  out["operation"] = "remote_agent";
  out["action"] = to_string(which);
  return out;
}

/// Whether something may have happened between a break and `first`, the first event behind it, that
/// nobody heard. A server with cursors goes on where the stream broke, or says that it cannot;
/// another one has to begin with the task as it is.
bool misses_updates(const wire::answer& first) {
  if (const auto* whole = std::get_if<task>(&first))
    return whole->metadata.contains(stream_gap_key);
  if (const auto* moved = std::get_if<wire::status_update>(&first))
    return !moved->metadata.contains(stream_cursor_key);
  if (const auto* made = std::get_if<wire::artifact_update>(&first))
    return !made->metadata.contains(stream_cursor_key);
  return false;
}

} // namespace

/// One call of the four actions that ask an agent.
struct tool_call {
  tool_call(tool& of, request what_is_asked, route leads, update_handler to)
      : owner(of), asked(std::move(what_is_asked)), way(std::move(leads)), on_update(std::move(to)),
        news(way.task_id, way.context_id, asked.follows || asked.which == action::watch),
        agent{way.to.as_handle_target(), {}, {}},
        timeout(asked.timeout.value_or(owner.known_.timeout)), until(owner.clock_->now() + timeout),
        limit(owner.clock_) {}

  awaitable<json::object> run();
  awaitable<outcome<void>> meet();
  awaitable<outcome<void>> carry_out();
  awaitable<outcome<void>> send();
  awaitable<outcome<void>> watch();
  /// An operation that does not stream; what it answers is heard.
  awaitable<outcome<void>> ask(a2a::operation which, a2a::params_writer params);
  /// `stream_error`: set if the stream did not begin, in place of a failure.
  awaitable<outcome<void>> follow(a2a::operation which, a2a::params_writer params,
                                  error& stream_error);

  void take(const wire::answer& read, const json::value& raw);
  [[nodiscard]] json::object shown(bool is_update);
  [[nodiscard]] std::string handle();
  [[nodiscard]] json::object failed(fault why);
  /// The request's own; empty: none.
  [[nodiscard]] std::string given_handle() const {
    return asked.continued ? asked.continued->task_handle : asked.task_handle;
  }
  [[nodiscard]] fault refused(const error& why);
  [[nodiscard]] fault not_begun(const error& why);
  [[nodiscard]] std::chrono::milliseconds left() const {
    const auto rest =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - owner.clock_->now());
    return std::max(rest, std::chrono::milliseconds{1});
  }
  [[nodiscard]] bool can_stream() const {
    return client->known_card()->capabilities.streaming.value_or(false);
  }

  tool& owner;
  const request asked;
  const route way;
  const update_handler on_update;
  heard news;
  heard_from agent;
  const std::chrono::milliseconds timeout;
  const net::time_point until;
  net::timer limit;
  bool is_over = false; ///< The time is up.
  std::shared_ptr<a2a::a2a_client> client;
  wire::wire_format format; ///< Of the last answer: the card may have named another version.
  std::shared_ptr<a2a::event_stream> open; ///< Closed when the time is up.
  bool is_taken_up = false;                ///< It broke, and no event has come since.
  json::object first_answer;               ///< That a second stream may repeat.
};

fault tool_call::refused(const error& why) {
  if (why.code == errc::task_not_found)
    news.forget_task(); // Nobody can go on with it.
  const bool is_late = is_over || owner.clock_->now() >= until || why.code == errc::timed_out;
  return is_late ? late_fault(timeout) : peer_fault(why);
}

std::string tool_call::handle() {
  // A context may be as long as the answer: with it an agent would fill the table's file.
  if (news.task_id().empty() || news.context_id().size() > id_bytes_max)
    return {};
  return owner.handles_
      .keep(agent.to, news.task_id(), news.context_id(), owner.clock_->source().now(),
            fresh_handle())
      .handle;
}

json::object tool_call::shown(bool is_update) {
  auto out = success(asked.which);
  if (is_update)
    out["phase"] = "update";
  out["summary"] = news.summary(agent, handle());
  out["raw"] = is_update ? news.last() : news.raw();
  return out;
}

/// With what the caller needs to go on, and to find out why.
json::object tool_call::failed(fault why) {
  if (news.events() > 0 || news.has_task()) {
    const auto id = handle();
    if (why.code == "A2A_SDK_ERROR" && news.events() > 0) {
      why.details["partial_event_count"] = news.events();
      why.details["latest_event_summary"] = news.summary(agent, id);
    }
    if (auto next = news.continuation(agent, id); !next.empty())
      why.details["continuation"] = std::move(next);
  } else if (auto next = news.continuation(agent, given_handle()); !next.empty()) {
    why.details["continuation"] = std::move(next);
  }
  if (asked.which == action::send && why.code == "A2A_SDK_ERROR" && client
      && client->known_card() != nullptr)
    why.details["capability_diagnostics"] =
        capability_diagnostics(asked.parts, modes_of(asked, owner.known_), *client->known_card());
  return failure(to_string(asked.which), std::move(why));
}

void tool_call::take(const wire::answer& read, const json::value& raw) {
  news.take(read, in_common_words(raw, format));
}

awaitable<json::object> tool_call::run() {
  limit.start_at(until, [this] {
    is_over = true;
    if (open)
      open->close();
  });
  auto done = co_await meet();
  if (done)
    done = co_await carry_out();
  limit.cancel();
  if (!done)
    co_return failed(done.error());
  co_return shown(false);
}

/// The agent and its card.
awaitable<outcome<void>> tool_call::meet() {
  const auto* known = way.to.known;
  if (known != nullptr && known->unusable.code != errc::none)
    co_return peer_fault(known->unusable);
  a2a::target to;
  if (known != nullptr) {
    to = known->how;
  } else {
    to.url = way.to.target_url;
    to.card_path = way.to.card_path == usual_card_path ? std::string{} : way.to.card_path;
    to.preferred = bindings_of(way.to.preferred_transports);
  }
  const auto key = known != nullptr ? "target " + known->alias
                                    : "url " + way.to.target_url + " " + way.to.card_path;
  auto found = owner.client_of(key, to, known != nullptr);
  if (!found)
    co_return peer_fault(found.error());
  client = std::move(*found);
  if (client->known_card() == nullptr || client->card_is_old()) {
    const auto card = co_await client->refresh_card(left());
    if (!card)
      co_return refused(card.error());
  }
  const auto where = co_await client->where();
  if (!where)
    co_return refused(where.error());
  format = where->format;
  agent.target_name = client->known_card()->name;
  agent.streaming = client->known_card()->capabilities.streaming;
  co_return outcome<void>{};
}

awaitable<outcome<void>> tool_call::carry_out() {
  switch (asked.which) {
    case action::send: co_return co_await send();
    case action::watch: co_return co_await watch();
    case action::status:
      co_return co_await ask(a2a::operation::get_task,
                             a2a::same_params(get_params(asked, way.task_id)));
    case action::cancel:
      co_return co_await ask(a2a::operation::cancel_task,
                             a2a::same_params(get_params(asked, way.task_id)));
    case action::list_targets: break;
  }
  co_return internal_fault("the action is not carried out here");
}

awaitable<outcome<void>> tool_call::ask(a2a::operation which, a2a::params_writer params) {
  auto headers = headers_of(asked, owner.known_);
  const auto answer =
      co_await client->ask_with(which, std::move(params), std::move(headers), left());
  if (!answer)
    co_return refused(answer.error());
  format = client->format();
  if (which == a2a::operation::send) {
    const auto read = wire::read_answer(*answer, format);
    if (!read)
      co_return refused(read.error());
    take(*read, *answer);
  } else {
    auto read = a2a::read_asked_task(*answer, way.task_id, format);
    if (!read)
      co_return refused(read.error());
    take(wire::answer{std::move(*read)}, *answer);
  }
  co_return outcome<void>{};
}

awaitable<outcome<void>> tool_call::send() {
  const a2a::params_writer params = [this, id = fresh_uuid()](wire::wire_format in) {
    return send_params(asked, way, owner.known_, id, in);
  };
  error stream_error;
  if (asked.follows && !asked.needs_task && can_stream()) {
    auto done = co_await follow(a2a::operation::send_streaming, params, stream_error);
    if (done && stream_error.code != errc::none)
      co_return not_begun(stream_error);
    co_return done;
  }
  // An agent that does not stream is asked without, and its answer is the only event.
  const auto sent = co_await ask(a2a::operation::send, params);
  if (!sent)
    co_return sent.error();
  if (!asked.needs_task) {
    if (asked.follows && on_update)
      on_update(shown(true));
    co_return outcome<void>{};
  }
  if (!news.has_task())
    co_return no_task_fault(news.context_id(), news.message_id());
  if (!asked.follows)
    co_return outcome<void>{};
  if (on_update)
    on_update(shown(true));
  if (news.has_ended() || (news.state() && is_interrupted(*news.state())))
    co_return outcome<void>{};
  co_return co_await watch();
}

awaitable<outcome<void>> tool_call::watch() {
  const auto id = news.task_id();
  error stream_error;
  if (can_stream() || !client->known_card()->capabilities.streaming) {
    if (const auto* first = news.last().if_object())
      first_answer = *first;
    json::object params;
    params["id"] = id;
    auto done = co_await follow(a2a::operation::subscribe_to_task,
                                a2a::same_params(std::move(params)), stream_error);
    if (!done || stream_error.code == errc::none)
      co_return done;
    const auto code = stream_error.code;
    const bool may_have_ended = code == errc::unsupported_operation
                                || code == errc::method_not_found || code == errc::task_not_found;
    if (is_over || !may_have_ended)
      co_return not_begun(stream_error);
  }
  // It has ended, or nobody may watch.
  auto headers = headers_of(asked, owner.known_);
  json::object params;
  params["id"] = id;
  const auto answer = co_await client->ask_with(a2a::operation::get_task, std::move(params),
                                                std::move(headers), left());
  if (!answer)
    co_return refused(answer.error());
  format = client->format();
  auto read = a2a::read_asked_task(*answer, id, format);
  if (!read)
    co_return refused(read.error());
  const auto state = read->status.state;
  if (!is_terminal(state) && !is_interrupted(state))
    co_return no_streaming_fault(id);
  take(wire::answer{std::move(*read)}, *answer);
  if (on_update)
    on_update(shown(true));
  co_return outcome<void>{};
}

awaitable<outcome<void>> tool_call::follow(a2a::operation which, a2a::params_writer params,
                                           error& stream_error) {
  auto headers = headers_of(asked, owner.known_);
  a2a::connection_news connection;
  connection.on_resumed = [this] { is_taken_up = true; };
  open = client->stream(which, std::move(params), std::move(connection), std::move(headers));
  a2a::task_stream stream(*client, open, true,
                          which == a2a::operation::subscribe_to_task ? news.task_id()
                                                                     : std::string{});
  std::size_t bytes = 0;
  for (bool is_first = true;; is_first = false) {
    auto next = co_await stream.next();
    news.note_dropped(stream.dropped());
    if (!next) {
      if (is_first && !is_over) {
        stream_error = next.error();
        co_return outcome<void>{};
      }
      co_return refused(next.error());
    }
    if (!*next)
      break;
    // An agent that never pauses leaves the timer no turn.
    if (owner.clock_->now() >= until) {
      is_over = true;
      stream.close();
      co_return refused(make_error(errc::timed_out, "the time is up"));
    }
    if (const auto* event = stream.last_event().if_object())
      bytes += bytes_of(*event);
    if (bytes > events_bytes_max) {
      stream.close();
      co_return peer_fault(make_error(errc::too_large, "the agent sent more than "
                                                           + std::to_string(events_bytes_max)
                                                           + " bytes in one stream"));
    }
    if (std::exchange(is_taken_up, false) && !open->has_event_ids() && misses_updates(**next))
      news.note_missed();
    format = open->format();
    auto raw = in_common_words(stream.last_event(), format);
    if (is_first && !first_answer.empty() && raw == first_answer)
      continue; // it was heard already
    news.take(**next, std::move(raw));
    if (on_update)
      on_update(shown(true));
    if (news.events() > events_max) {
      stream.close();
      co_return peer_fault(make_error(errc::too_large, "the agent sent more than "
                                                           + std::to_string(events_max)
                                                           + " events in one stream"));
    }
  }
  co_return outcome<void>{};
}

/// A stream that ended before its first event.
fault tool_call::not_begun(const error& why) {
  const bool ended_cleanly = why.code == errc::unavailable && why.details.empty();
  return ended_cleanly && !is_over ? empty_stream_fault() : refused(why);
}

// -- the tool -------------------------------------------------------------------------------------

tool::tool(net::asio::io_context& context, net::timers_ptr clock, settings known)
    : context_(context), clock_(std::move(clock)), known_(std::move(known)),
      handles_(known_.handle_ttl, known_.handles_max) {}

tool::~tool() = default;

bool tool::turn() {
  bool did = false;
  for (const auto& [key, client] : clients_)
    did = client->turn() || did;
  return did;
}

result<tool::client_ptr> tool::client_of(const std::string& key, const a2a::target& to,
                                         bool is_known) {
  if (const auto found = clients_.find(key); found != clients_.end())
    return found->second;
  if (clients_.size() >= clients_max)
    std::erase_if(clients_, [](const auto& each) { return each.second.use_count() == 1; });
  a2a::client_options how;
  how.to = to;
  how.timeout = client_timeout;
  how.bytes_max = tool_answer_bytes_max;
  if (!is_known)
    how.admit = net::admit_public_only;
  auto made = a2a::a2a_client::make(context_, clock_, std::move(how));
  if (!made)
    return made.error();
  client_ptr out = std::move(*made);
  if (has_threads_)
    out->start();
  clients_[key] = out;
  return out;
}

awaitable<void> tool::look_at(const peer& one, card_view& to) {
  if (one.unusable.code != errc::none) {
    to.failed = one.unusable;
    co_return;
  }
  auto client = client_of("target " + one.alias, one.how, true);
  if (!client) {
    to.failed = client.error();
    co_return;
  }
  const auto read = co_await (*client)->refresh_card(known_.timeout);
  if (!read)
    to.failed = read.error();
  if (const auto& card = (*client)->known_card()) {
    to.card = *card;
    to.read_at = (*client)->card_at();
  }
}

awaitable<json::object> tool::list() {
  std::vector<card_view> seen(known_.targets.size());
  std::size_t waiting = seen.size();
  net::timer all_seen(clock_);
  for (std::size_t i = 0; i < seen.size(); ++i)
    net::asio::co_spawn(
        context_, [this, i, &seen] { return look_at(known_.targets[i], seen[i]); },
        [&waiting, &all_seen](std::exception_ptr) {
          if (--waiting == 0)
            all_seen.wake();
        });
  while (waiting > 0)
    co_await all_seen.wait_until(net::time_point::max());
  json::array targets;
  json::array raw;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    targets.push_back(shown_peer(known_.targets[i], seen[i]));
    raw.push_back(raw_peer(known_.targets[i], seen[i]));
  }
  auto out = success(action::list_targets);
  json::object summary;
  summary["targets"] = std::move(targets);
  out["summary"] = std::move(summary);
  out["raw"] = std::move(raw);
  co_return out;
}

awaitable<json::object> tool::call(json::value asked, update_handler on_update) {
  const auto name = action_text(asked);
  auto read = read_request(asked, known_);
  if (!read)
    co_return failure(name, read.error());
  if (read->which == action::list_targets)
    co_return co_await list();
  auto way = find_route(*read, known_, handles_, clock_->source().now());
  if (!way)
    co_return failure(name, way.error());
  const auto one =
      std::make_unique<tool_call>(*this, std::move(*read), std::move(*way), std::move(on_update));
  co_return co_await one->run();
}

// -- for programs that block ----------------------------------------------------------------------

blocking_tool::blocking_tool(settings known, const time_source& time)
    : clock_(std::make_shared<net::timers>(context_, time)),
      tool_(std::make_unique<tool>(context_, clock_, std::move(known))) {
  clock_->use_alarm();
}

blocking_tool::~blocking_tool() {
  tool_ = nullptr;
  clock_->close();
}

handles& blocking_tool::known_handles() noexcept {
  return tool_->known_handles();
}

json::object blocking_tool::call(json::value asked, update_handler on_update) {
  const std::lock_guard turn(turn_);
  const auto name = action_text(asked);
  std::optional<json::object> out;
  tool_->start();
  net::asio::co_spawn(
      context_,
      [this, &asked, &on_update] { return tool_->call(std::move(asked), std::move(on_update)); },
      [&](std::exception_ptr thrown, json::object answer) {
        out = thrown ? failure(name, internal_fault("the call failed inside this program"))
                     : std::move(answer);
      });
  context_.restart();
  while (!out && context_.run_one() > 0) {
  }
  if (!out)
    return failure(name, internal_fault("the call ended without an answer"));
  return std::move(*out);
}

} // namespace troupe::remote_agent
