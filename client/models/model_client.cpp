#include "client/models/model_client.hpp"

#include "client/address_class.hpp"
#include "client/circuit_breaker.hpp"
#include "client/http_client.hpp"
#include "client/masking.hpp"
#include "client/models/day_file.hpp"
#include "client/models/day_keeper.hpp"
#include "client/models/request_writing.hpp"
#include "client/models/retry_decision.hpp"
#include "client/sse_reader.hpp"
#include "client/timers.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/ids.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace troupe::models {

namespace json = boost::json;
using net::awaitable;

namespace {

/// Whether what is spent survives the process.
bool is_kept(const budget_ledger& ledger) {
  return ledger.limits_day() || ledger.limits_objective();
}

/// Random, from 0 to 1.
double chance_now() {
  constexpr double all = 18446744073709551616.0; // 2^64
  return static_cast<double>(thread_id_source().next_random()) / all;
}

model_failure failure_with(failure_kind kind, std::string message) {
  model_failure out;
  out.kind = kind;
  out.message = std::move(message);
  return out;
}

/// A message for people has no syntax that a short key could break.
std::string without_key(std::string text, const std::string& key) {
  net::mask(text, key, 1);
  return text;
}

bool is_event_stream(std::string_view type) {
  return ascii_lower(type).starts_with("text/event-stream");
}

std::string milliseconds_text(std::chrono::milliseconds span) {
  return std::to_string(span.count()) + " ms";
}

/// `60 s`, `1.5 s`.
std::string seconds_text(std::chrono::milliseconds span) {
  auto out = std::to_string(span.count() / 1000);
  if (const auto rest = span.count() % 1000; rest != 0) {
    const auto digits = std::to_string(1000 + rest);
    out += "." + digits.substr(1, digits.find_last_not_of('0'));
  }
  return out + " s";
}

result<net::addresses> addresses_of(const result<std::vector<std::string>>& texts) {
  if (!texts)
    return texts.error();
  net::addresses out;
  for (const auto& each : *texts) {
    net::error_code failed;
    out.push_back(net::asio::ip::make_address(each, failed));
    if (failed)
      return make_error(errc::unavailable, "no address: " + each);
  }
  return out;
}

/// An operator's URL may have any address. But a name that leads to this network, where it was not
/// meant to, is refused.
std::function<result<void>(const http_url&, const net::asio::ip::address&)>
admission(const model_settings& settings, const http_url& url) {
  if (settings.allow_private || is_address(url.host) || net::is_this_computer(url.host))
    return {};
  return [](const http_url& to, const net::asio::ip::address& address) -> result<void> {
    if (auto fine = net::admit_public_only(to, address); !fine)
      return make_error(errc::forbidden,
                        fine.error().message + "; `allow-private = true` of the model allows it");
    return {};
  };
}

/// A call that is under way.
struct open_call {
  open_call(net::timers_ptr clock, chat_request asked, call_account of, call_listener to)
      : request(std::move(asked)), account(std::move(of)), heard_by(std::move(to)), pause(clock),
        whole(clock), meter(heard_by.meter) {}

  void abandon() {
    heard_by = {};
    is_over = true;
    if (const auto leave = std::exchange(leave_line, {}))
      leave();
    whole.cancel();
    if (stream)
      stream->close();
    pause.wake();
  }

  chat_request request;
  call_account account;
  call_listener heard_by;
  std::shared_ptr<net::http_stream> stream;
  net::timer pause;                      ///< Between two tries.
  net::timer whole;                      ///< The end of the time of one try.
  std::shared_ptr<call_meter> meter;     ///< Null: nobody asks.
  std::function<void()> leave_line;      ///< While it waits for others to end.
  std::chrono::milliseconds time_max{0}; ///< Of one try.
  bool is_late = false;
  bool is_over = false; ///< Nobody hears of it any more.
  call_cost cost;
};

/// What the owner of a call holds.
struct call_guard {
  explicit call_guard(std::shared_ptr<open_call> held) : call(std::move(held)) {}
  ~call_guard() { call->abandon(); }
  call_guard(const call_guard&) = delete;
  call_guard& operator=(const call_guard&) = delete;

  std::shared_ptr<open_call> call;
};

/// How one try ended.
struct try_end {
  reading<chat_answer> answer;
  bool may_cost = false; ///< The server has the request, and has not refused it.
  std::size_t bytes = 0; ///< Of what came of the answer.
};

} // namespace

/// One model: its connection, and what was learned of it.
struct model_line {
  model_line(model_settings given, const time_source& time)
      : settings(std::move(given)), clock(time), ledger(settings.budgets) {
    terms.model = settings.model;
    terms.kind = settings.kind;
    terms.answer_tokens_max = settings.answer_tokens_max;
    terms.temperature = settings.temperature;
    terms.seed = settings.seed;
    terms.extra = settings.extra;
    if (!terms.answer_tokens_max && limits_tokens_or_money(settings.budgets))
      terms.answer_tokens_max = answer_tokens_default;
  }

  const model_settings settings;
  const time_source& clock;
  std::optional<http_url> url;
  std::unique_ptr<net::http_client> http;
  error problem; ///< Why it cannot be asked.
  writing_terms terms;
  std::size_t under_way = 0;                      ///< Calls.
  std::deque<std::shared_ptr<open_call>> waiting; ///< Calls, until others have ended.

  std::mutex mutex; // guards breaker and ledger
  net::circuit_breaker breaker;
  budget_ledger ledger;
};

struct model_client::parts {
  explicit parts(const time_source& source)
      : time(source), clock(std::make_shared<net::timers>(context, source)) {}

  awaitable<void> run(std::shared_ptr<open_call> call, model_line* line);
  awaitable<try_end> try_once(std::shared_ptr<open_call> call, model_line* line, std::string body);
  awaitable<try_end> read_body(std::shared_ptr<open_call> call, model_line* line,
                               net::outbound_answer head);
  awaitable<try_end> read_events(std::shared_ptr<open_call> call, model_line* line);
  void begin(std::shared_ptr<open_call> call, model_line* line);
  void begin_waiting(model_line* line);
  void open(model_line& line, const name_lookup& resolve);
  [[nodiscard]] spending most_of(const chat_request& request, const model_line& line) const;
  void settle(open_call& call, model_line& line, const budget_ledger::ticket& ticket,
              const try_end& end, std::chrono::milliseconds took);
  void finish(open_call& call, model_line& line, reading<chat_answer> answer);
  [[nodiscard]] day_entries days_now() const;
  void keep_days(std::function<void()> done);
  awaitable<bool> promise(std::shared_ptr<open_call> call, model_line* line,
                          std::chrono::milliseconds time_max);
  void write_log(const open_call& call, const model_line& line, const reading<chat_answer>& end,
                 const std::vector<std::string>& left_out) const;

  const time_source& time;
  net::asio::io_context context{1};
  net::timers_ptr clock;
  std::vector<std::unique_ptr<model_line>> lines;
  std::vector<std::weak_ptr<open_call>> calls;
  std::optional<net::asio::executor_work_guard<net::io_executor>> work;
  std::mutex starting; // guards work and thread
  std::thread thread;
  std::function<void(const std::string&)>* log = nullptr;
  std::unique_ptr<day_keeper> days; ///< Null: no day is kept.
};

// -- one try --------------------------------------------------------------------------------------

namespace {

/// What a try that the end of its time has cut off is told as.
model_failure told_as(const open_call& call, const model_line& line, const error& why) {
  if (call.is_late)
    return failure_with(failure_kind::silent, "the answer did not end in "
                                                  + seconds_text(call.time_max)
                                                  + " (`whole-seconds` or a budget in seconds)");
  auto out = connection_failure(why);
  out.message = without_key(std::move(out.message), line.settings.key);
  return out;
}

try_end ended(model_failure why) {
  return {{std::nullopt, std::move(why)}, false, 0};
}

std::size_t bytes_said(const chat_answer& said) {
  std::size_t out = said.content.size() + said.reasoning.size() + said.refusal.size();
  for (const auto& each : said.calls)
    out += each.name.size() + each.arguments.size();
  return out;
}

} // namespace

awaitable<try_end> model_client::parts::read_body(std::shared_ptr<open_call> call, model_line* line,
                                                  net::outbound_answer head) {
  const bool is_answer = head.status >= 200 && head.status < 300;
  const auto bytes_max = is_answer ? answer_bytes_max : refusal_bytes_max;
  std::string body;
  for (;;) {
    auto more = co_await call->stream->more(line->settings.timeouts.idle);
    if (!more && is_answer)
      co_return try_end{{std::nullopt, told_as(*call, *line, more.error())}, true, body.size()};
    if (!more || more->empty())
      break;
    body += *more;
    if (call->meter && is_answer)
      call->meter->note_answer(body.size());
    if (body.size() > bytes_max && is_answer)
      co_return try_end{{std::nullopt, failure_with(failure_kind::too_large,
                                                    "the answer is longer than "
                                                        + std::to_string(bytes_max) + " bytes")},
                        true,
                        body.size()};
    if (body.size() > bytes_max)
      break;
  }
  net::mask(body, line->settings.key);
  if (!is_answer) {
    auto why = read_failure(head.status, head.headers, body, time.now());
    why.message = without_key(std::move(why.message), line->settings.key);
    co_return ended(std::move(why));
  }
  auto answer = read_answer(body);
  if (answer && !answer.value->content.empty() && call->heard_by.on_text)
    call->heard_by.on_text(answer.value->content);
  answer.failure.message = without_key(std::move(answer.failure.message), line->settings.key);
  const auto bytes = answer ? bytes_said(*answer.value) : body.size();
  co_return try_end{std::move(answer), true, bytes};
}

awaitable<try_end> model_client::parts::read_events(std::shared_ptr<open_call> call,
                                                    model_line* line) {
  const auto& timeouts = line->settings.timeouts;
  const auto first_until = clock->now() + timeouts.first_byte;
  net::sse_reader events(event_bytes_max);
  streamed_answer answer;
  std::size_t bytes = 0;
  bool has_event = false;
  bool has_ended = false;
  const auto failed = [&](model_failure why) {
    why.message = without_key(std::move(why.message), line->settings.key);
    return try_end{{std::nullopt, std::move(why)}, true, bytes_said(answer.so_far())};
  };
  while (!has_ended && !answer.is_done()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first_until - clock->now());
    const auto silence = has_event ? timeouts.idle : std::max(left, std::chrono::milliseconds{1});
    auto more = co_await call->stream->more(silence);
    if (!more) {
      // A break behind the last event is an end like any other.
      if (answer.so_far().finish != finish_reason::none && !call->is_late
          && more.error().code == errc::unavailable)
        break;
      auto why = told_as(*call, *line, more.error());
      if (why.kind == failure_kind::silent && !call->is_late)
        why.message =
            has_event ? "nothing more came for " + seconds_text(timeouts.idle) + " (`idle-seconds`)"
                      : "no answer began in " + seconds_text(timeouts.first_byte)
                            + " (`first-byte-seconds`)";
      co_return failed(std::move(why));
    }
    has_ended = more->empty();
    bytes += more->size();
    // The last event may lack its end.
    if (auto fed = events.feed(has_ended ? std::string_view{"\n\n"} : std::string_view{*more});
        !fed)
      co_return failed(failure_with(failure_kind::too_large, fed.error().message));
    if (bytes > stream_bytes_max)
      co_return failed(
          failure_with(failure_kind::too_large,
                       "the stream is longer than " + std::to_string(stream_bytes_max) + " bytes"));
    while (auto event = events.take()) {
      has_event = true;
      net::mask(event->data, line->settings.key);
      auto added = answer.take(event->data);
      if (!added && has_ended)
        break; // a piece of an event: what it was part of was cut
      if (!added)
        co_return failed(std::move(added.failure));
      if (call->meter)
        call->meter->note_answer(bytes_said(answer.so_far()));
      if (!added.value->empty() && call->heard_by.on_text)
        call->heard_by.on_text(*added.value);
      if (call->is_over)
        co_return failed(failure_with(failure_kind::canceled, "canceled"));
    }
  }
  const auto said = bytes_said(answer.so_far());
  co_return try_end{answer.finish(), true, said};
}

awaitable<try_end> model_client::parts::try_once(std::shared_ptr<open_call> call, model_line* line,
                                                 std::string body) {
  net::outbound_request request;
  request.may_repeat = false;
  request.headers.emplace_back("Content-Type", "application/json");
  request.headers.emplace_back("Accept", call->request.streams && line->settings.streams
                                             ? "text/event-stream, application/json"
                                             : "application/json");
  if (!line->settings.key.empty()) {
    const auto name = row_of(line->settings.kind).key_header;
    request.headers.emplace_back(name, name == "Authorization" ? "Bearer " + line->settings.key
                                                               : line->settings.key);
  }
  request.body = std::move(body);
  call->stream = line->http->lend(*line->url);
  auto head = co_await call->stream->begin(std::move(request));
  if (!head)
    co_return try_end{
        {std::nullopt, told_as(*call, *line, head.error())}, call->stream->has_sent(), 0};
  const bool is_answer = head->status >= 200 && head->status < 300;
  if (is_answer && is_event_stream(head->header("content-type"))) {
    auto end = co_await read_events(call, line);
    co_return end;
  }
  auto end = co_await read_body(call, line, std::move(*head));
  co_return end;
}

// -- a call ---------------------------------------------------------------------------------------

spending model_client::parts::most_of(const chat_request& request, const model_line& line) const {
  const auto asked = estimated_tokens(request);
  const std::uint64_t answered = answer_tokens_of(request, line.terms).value_or(0);
  spending out;
  out.tokens = asked + answered;
  out.cost = price_of(line.settings.prices, asked, answered);
  out.time = line.settings.timeouts.whole;
  return out;
}

void model_client::parts::settle(open_call& call, model_line& line,
                                 const budget_ledger::ticket& ticket, const try_end& end,
                                 std::chrono::milliseconds took) {
  chat_usage usage;
  if (end.answer && end.answer.value->usage) {
    usage = *end.answer.value->usage;
    if (usage.is_estimated) { // one of the two was said
      if (usage.prompt_tokens == 0)
        usage.prompt_tokens = estimated_tokens(call.request);
      if (usage.answer_tokens == 0)
        usage.answer_tokens = estimated_tokens(end.bytes);
    }
  } else if (end.may_cost) {
    usage = {estimated_tokens(call.request), estimated_tokens(end.bytes), true};
  }
  call_cost spent;
  spent.add(usage, line.settings.prices, took);
  call.cost.add(usage, line.settings.prices, took);
  if (call.meter)
    call.meter->end_try(call.cost);
  const std::lock_guard guard(line.mutex);
  line.ledger.settle(ticket, spent.spent, time.now());
  if (end.answer)
    line.breaker.succeed();
  else if (counts_for_breaker(end.answer.failure.kind))
    line.breaker.fail(clock->now());
  else if (end.answer.failure.status != 0 && !may_pass(end.answer.failure.kind))
    line.breaker.succeed(); // it answers
  else
    line.breaker.forget();
}

void model_client::parts::write_log(const open_call& call, const model_line& line,
                                    const reading<chat_answer>& end,
                                    const std::vector<std::string>& left_out) const {
  if (log == nullptr || !*log)
    return;
  const auto& cost = call.cost;
  std::string text =
      "model " + line.settings.name + ": " + std::to_string(cost.usage.prompt_tokens) + " + "
      + std::to_string(cost.usage.answer_tokens) + " tokens"
      + (cost.usage.is_estimated ? " (estimated)" : "") + ", "
      + std::to_string(cost.spent.time.count()) + " ms, " + std::to_string(cost.tries)
      + (cost.tries == 1 ? " try" : " tries") + ", "
      + (end ? std::string(to_string(end.value->finish))
             : std::string(to_string(end.failure.kind)) + ": " + end.failure.message);
  if (!left_out.empty())
    text += "; without " + listed_names(left_out);
  if (!call.account.task.empty())
    text += "; task " + call.account.task;
  if (line.settings.logs_prompts)
    for (const auto& each : call.request.messages)
      text += "\n  " + shortened(each.content, 4096);
  (*log)(text);
}

void model_client::parts::finish(open_call& call, model_line& line, reading<chat_answer> answer) {
  if (call.is_over)
    return;
  call.is_over = true;
  call.whole.cancel();
  write_log(call, line, answer, line.terms.dropped);
  call_outcome out{std::move(answer), call.cost, line.terms.dropped};
  const auto heard_by = std::exchange(call.heard_by, {});
  if (heard_by.on_end)
    heard_by.on_end(std::move(out));
}

/// From any thread.
day_entries model_client::parts::days_now() const {
  day_entries out;
  for (const auto& each : lines) {
    const std::lock_guard guard(each->mutex);
    const auto& ledger = each->ledger;
    if (!is_kept(ledger))
      continue;
    const auto [day, spent] = ledger.day_now();
    out[each->settings.name] = {
        day, spent, ledger.limits_objective() ? ledger.objectives_now() : objective_spendings{}};
  }
  return out;
}

/// `done`: called on the loop, also if it could not be written, which is logged.
void model_client::parts::keep_days(std::function<void()> done) {
  if (!days)
    return;
  days->keep([this, done = std::move(done)](const result<void>& how) {
    net::asio::post(context, [this, done, how] {
      if (!how && log != nullptr && *log)
        (*log)("what was spent would not survive this process: " + how.error().message);
      if (done)
        done();
    });
  });
}

/// What the call may cost is kept before it is made: the process may end before it is known. False
/// if the disk takes longer than the call may.
awaitable<bool> model_client::parts::promise(std::shared_ptr<open_call> call, model_line* line,
                                             std::chrono::milliseconds time_max) {
  if (!days || !is_kept(line->ledger))
    co_return true;
  const auto is_written = std::make_shared<bool>(false);
  keep_days([is_written, weak = std::weak_ptr<open_call>(call)] {
    *is_written = true;
    if (const auto waits = weak.lock())
      waits->pause.wake();
  });
  const auto until = clock->now() + time_max;
  while (!*is_written && !call->is_over && clock->now() < until)
    co_await call->pause.wait_until(until);
  co_return *is_written;
}

awaitable<void> model_client::parts::run(std::shared_ptr<open_call> call, model_line* line) {
  reading<chat_answer> last;
  if (line->problem.code != errc::none) {
    last.failure =
        failure_with(line->problem.code == errc::forbidden ? failure_kind::forbidden
                                                           : failure_kind::invalid_request,
                     line->problem.message);
    finish(*call, *line, std::move(last));
    co_return;
  }
  if (!line->settings.streams)
    call->request.streams = false;
  unsigned tries = 0;
  while (!call->is_over) {
    const auto written = write_request(call->request, line->terms);
    auto body = json::serialize(written);
    if (body.size() > request_bytes_max) {
      last.failure =
          failure_with(failure_kind::context_too_long,
                       "the request has " + std::to_string(body.size()) + " bytes; at most "
                           + std::to_string(request_bytes_max) + " are sent");
      break;
    }
    std::optional<budget_ledger::ticket> ticket;
    {
      const std::lock_guard guard(line->mutex);
      auto admitted = line->ledger.admit(call->account, most_of(call->request, *line), time.now());
      if (!admitted) {
        last.failure = failure_with(failure_kind::over_budget, "model " + line->settings.name + ": "
                                                                   + admitted.error().message);
        last.failure.budget = admitted.error().field;
      } else if (!line->breaker.admit(clock->now())) {
        line->ledger.settle(*admitted, {}, time.now());
        const auto wait = line->breaker.open_for(clock->now());
        last.failure = failure_with(failure_kind::breaker_open,
                                    "the server of the model " + line->settings.name
                                        + " has failed again and again; it is asked again in "
                                        + milliseconds_text(wait));
      } else {
        ticket = std::move(*admitted);
      }
    }
    if (!ticket)
      break;
    const bool is_promised = co_await promise(call, line, ticket->time_max);
    if (!is_promised || call->is_over) {
      {
        const std::lock_guard guard(line->mutex);
        line->ledger.settle(*ticket, {}, time.now());
      }
      keep_days({});
      if (call->is_over)
        co_return;
      last.failure = failure_with(failure_kind::silent, "what it may cost could not be written in "
                                                            + seconds_text(ticket->time_max)
                                                            + "; the disk is too slow");
      break;
    }
    call->is_late = false;
    call->time_max = ticket->time_max;
    call->whole.start_after(ticket->time_max, [weak = std::weak_ptr<open_call>(call)] {
      if (const auto late = weak.lock()) {
        late->is_late = true;
        if (late->stream)
          late->stream->close();
      }
    });
    const auto begun = clock->now();
    if (call->meter)
      call->meter->begin_try(estimated_tokens(call->request), line->settings.prices, time);
    auto end = co_await try_once(call, line, std::move(body));
    call->whole.cancel();
    call->stream.reset();
    settle(*call, *line, *ticket, end,
           std::chrono::duration_cast<std::chrono::milliseconds>(clock->now() - begun));
    keep_days({}); // What was promised is more, and in the file until then.
    if (call->is_over)
      break;
    last = std::move(end.answer);
    if (last)
      break;
    if (last.failure.kind == failure_kind::refused_member
        && drop_member(line->terms, written, last.failure.member))
      continue; // remembered: no request has it from now on
    ++tries;
    const auto wait = wait_before_retry(last.failure, tries, chance_now());
    if (!wait)
      break;
    if (call->heard_by.on_retry)
      call->heard_by.on_retry(last.failure, *wait);
    if (call->is_over)
      break;
    co_await call->pause.wait_until(clock->now() + *wait);
  }
  if (call->is_over && call->cost.tries > 0) {
    last = {};
    last.failure = failure_with(failure_kind::canceled, "nobody waits for the answer");
    write_log(*call, *line, last, line->terms.dropped);
  }
  finish(*call, *line, std::move(last));
}

void model_client::parts::begin(std::shared_ptr<open_call> call, model_line* line) {
  if (call->is_over)
    return;
  if (line->under_way >= line->settings.calls_max) {
    call->leave_line = [line, left = call.get()] {
      std::erase_if(line->waiting, [left](const auto& each) { return each.get() == left; });
    };
    line->waiting.push_back(std::move(call));
    return;
  }
  ++line->under_way;
  net::asio::co_spawn(
      context, [this, call, line] { return run(call, line); },
      [this, call, line](std::exception_ptr failed) {
        if (failed) {
          reading<chat_answer> none;
          none.failure = failure_with(failure_kind::broken, "the call failed inside this program");
          finish(*call, *line, std::move(none));
        }
        --line->under_way;
        begin_waiting(line);
      });
}

void model_client::parts::begin_waiting(model_line* line) {
  while (!line->waiting.empty() && line->under_way < line->settings.calls_max) {
    auto next = std::move(line->waiting.front());
    line->waiting.pop_front();
    next->leave_line = {};
    begin(std::move(next), line);
  }
}

void model_client::parts::open(model_line& line, const name_lookup& resolve) {
  if (line.settings.no_key.code != errc::none) {
    line.problem = line.settings.no_key;
    return;
  }
  auto url = request_url(line.settings);
  if (!url) {
    line.problem = url.error();
    return;
  }
  net::http_client_options how;
  how.timeout = line.settings.timeouts.first_byte;
  how.connect_timeout = line.settings.timeouts.connect;
  how.answer_bytes_max = answer_bytes_max;
  how.trusted_pem = line.settings.trusted_pem;
  how.admit = admission(line.settings, *url);
  if (resolve)
    how.resolve = [resolve](const std::string& host) { return addresses_of(resolve(host)); };
  auto made = net::http_client::make(context, clock, std::move(how));
  if (!made) {
    line.problem = made.error();
    return;
  }
  line.url = std::move(*url);
  line.http = std::move(*made);
}

// -- the client -----------------------------------------------------------------------------------

model_client::model_client(std::vector<model_settings> all, const time_source& time,
                           const name_lookup& resolve)
    : parts_(std::make_unique<parts>(time)) {
  parts_->log = &log;
  for (auto& each : all) {
    auto line = std::make_unique<model_line>(std::move(each), time);
    parts_->open(*line, resolve);
    parts_->lines.push_back(std::move(line));
  }
}

model_client::~model_client() {
  parts_->context.stop();
  if (parts_->thread.joinable())
    parts_->thread.join();
  parts_->log = nullptr; // who reads it may be gone
  for (const auto& each : parts_->calls)
    if (const auto open = each.lock())
      open->abandon();
  parts_->work.reset();
  parts_->context.restart();
  parts_->clock->turn();
  parts_->context.poll(); // what was closed ends
  parts_->days = nullptr; // Calls ask for it until here.
  parts_->clock->close();
  for (const auto& each : parts_->lines)
    if (each->http)
      each->http->close();
}

void model_client::start() {
  const std::lock_guard guard(parts_->starting);
  if (parts_->work)
    return;
  for (const auto& each : parts_->lines)
    if (each->http)
      each->http->start();
  parts_->clock->use_alarm();
  if (parts_->days)
    parts_->days->start();
  parts_->work.emplace(parts_->context.get_executor());
  parts_->thread = std::thread([inside = parts_.get()] { inside->context.run(); });
}

bool model_client::turn() {
  bool did = parts_->context.poll() > 0;
  parts_->context.restart();
  if (parts_->days)
    did = parts_->days->turn() || did;
  parts_->clock->turn();
  for (const auto& each : parts_->lines)
    if (each->http)
      did = each->http->turn() || did;
  return did;
}

void model_client::post(std::function<void()> task) {
  net::asio::post(parts_->context, std::move(task));
}

std::vector<std::string> model_client::names() const {
  std::vector<std::string> out;
  for (const auto& each : parts_->lines)
    out.push_back(each->settings.name);
  return out;
}

const model_settings* model_client::find(std::string_view name) const {
  for (const auto& each : parts_->lines)
    if (each->settings.name == name)
      return &each->settings;
  return nullptr;
}

std::vector<model_state> model_client::states() const {
  std::vector<model_state> out;
  for (const auto& each : parts_->lines) {
    const std::lock_guard guard(each->mutex);
    const auto now = parts_->time.now();
    const auto point = parts_->clock->now();
    out.push_back({each->settings.name, each->breaker.state(point),
                   now - each->breaker.open_since(point), now + each->breaker.open_for(point),
                   each->ledger.of_day(now)});
  }
  return out;
}

namespace {

model_line* line_of(const std::vector<std::unique_ptr<model_line>>& lines,
                    const model_settings& settings) {
  const auto found = std::ranges::find_if(
      lines, [&](const auto& each) { return each->settings.name == settings.name; });
  return found == lines.end() ? nullptr : found->get();
}

} // namespace

call_handle model_client::ask(const model_settings& settings, chat_request request,
                              call_account account, call_listener to) {
  auto* line = line_of(parts_->lines, settings);
  if (line == nullptr)
    return nullptr;
  auto call = std::make_shared<open_call>(parts_->clock, std::move(request), std::move(account),
                                          std::move(to));
  std::erase_if(parts_->calls, [](const auto& each) { return each.expired(); });
  parts_->calls.push_back(call);
  // In a later turn: the caller needs its handle first.
  net::asio::post(parts_->context,
                  [inside = parts_.get(), call, line] { inside->begin(call, line); });
  return std::make_shared<call_guard>(std::move(call));
}

result<void> model_client::keep_days(const std::string& file) {
  auto known = read_day_file(file);
  if (!known)
    return known.error();
  bool has_limits = false;
  for (const auto& each : parts_->lines) {
    const std::lock_guard guard(each->mutex);
    if (!is_kept(each->ledger))
      continue;
    has_limits = true;
    const auto& before = (*known)[each->settings.name];
    each->ledger.keep_day(before.day, before.spent);
    each->ledger.keep_objectives(before.objectives);
  }
  if (has_limits)
    parts_->days =
        std::make_unique<day_keeper>(file, [of = parts_.get()] { return of->days_now(); });
  return {};
}

void model_client::add_spending(const model_settings& settings, const call_account& account,
                                const spending& spent) {
  if (auto* line = line_of(parts_->lines, settings)) {
    const std::lock_guard guard(line->mutex);
    line->ledger.add(account, spent, parts_->time.now());
  }
}

call_handle model_client::after(std::chrono::nanoseconds wait, std::function<void()> then) {
  const auto out = std::make_shared<net::timer>(parts_->clock);
  out->start_after(wait, std::move(then));
  return out;
}

time_source::steady_point model_client::now() const {
  return parts_->clock->now();
}

} // namespace troupe::models
