#include "agents/a2a/a2a_agent.hpp"

#include "agents/a2a/delegation_input.hpp"
#include "protocol/a2a/answer_reading.hpp"
#include "protocol/a2a/cancel_report.hpp"
#include "protocol/a2a/idempotent_send.hpp"
#include "protocol/a2a/request_path.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/text/near_name.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/progress.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

/// How long the key of a request is trusted to be known: less than the 24 hours of our servers.
constexpr std::chrono::hours key_trusted{23};
/// The longest time from the agent's word, or the end of the wait for it, until it is reported.
constexpr std::chrono::seconds cancel_spare{5};
/// How long a cancel is tried in the background after that.
constexpr std::chrono::hours cancel_kept{24};

std::string without_slash(std::string text) {
  while (text.ends_with('/'))
    text.pop_back();
  return text;
}

template<class... Functions>
struct overloaded_steps : Functions... {
  using Functions::operator()...;
};
template<class... Functions>
overloaded_steps(Functions...) -> overloaded_steps<Functions...>;

} // namespace

/// Those that wait for their turn at one target, and how many are open there. For the loop's
/// thread.
class target_queue : public std::enable_shared_from_this<target_queue> {
public:
  /// One that waits: `go` is called, unless it was dropped.
  struct ticket {
    std::function<void()> go;
  };

  target_queue(a2a::call_loop& loop, target_limits limits) : loop_(loop), gate_(limits) {}

  [[nodiscard]] target_gate& gate() noexcept { return gate_; }
  [[nodiscard]] std::shared_ptr<ticket> enter(std::function<void()> go) {
    auto out = std::make_shared<ticket>(ticket{std::move(go)});
    waiting_.push_back(out);
    loop_.post([self = shared_from_this()] { self->let_in(); });
    return out;
  }
  /// One that was let in has ended.
  void leave() {
    gate_.end();
    if (!waiting_.empty())
      loop_.post([self = shared_from_this()] { self->let_in(); });
  }

private:
  void let_in() {
    while (!waiting_.empty()) {
      const auto next = waiting_.front().lock();
      if (next == nullptr) {
        waiting_.pop_front();
        continue;
      }
      const auto now = loop_.now();
      const auto at = gate_.next_begin(now);
      if (!at)
        return; // `leave` asks again
      if (*at > now) {
        timer_ = loop_.after(*at - now, [this] { let_in(); });
        return;
      }
      waiting_.pop_front();
      gate_.begin(now);
      const auto go = std::exchange(next->go, {});
      go();
    }
  }

  a2a::call_loop& loop_;
  target_gate gate_;
  std::deque<std::weak_ptr<ticket>> waiting_;
  a2a::call_handle timer_;
};

/// The agents that are spoken to, by name. For the loop's thread.
class delegation_lines {
public:
  std::shared_ptr<target_queue> queue(a2a::call_loop& on, const std::string& name,
                                      target_limits limits) {
    auto& kept = queues_[name];
    auto out = kept.lock();
    if (out == nullptr) {
      std::erase_if(queues_,
                    [&](const auto& each) { return each.first != name && each.second.expired(); });
      out = std::make_shared<target_queue>(on, limits);
      queues_[name] = out;
    }
    return out;
  }

  result<std::shared_ptr<a2a::agent_line>> open(a2a::call_loop& on, const std::string& name,
                                                const a2a::line_options& options) {
    const auto now = on.now();
    if (const auto found = lines_.find(name); found != lines_.end()) {
      found->second.used_at = now;
      return found->second.line;
    }
    auto made = on.open(options);
    if (!made)
      return made.error();
    if (lines_.size() >= lines_max) // URLs of plans
      std::erase_if(lines_,
                    [&](const auto& each) { return each.second.used_at + line_kept <= now; });
    lines_[name] = {*made, now};
    return std::move(*made);
  }

  /// What goes on without a task of ours, until `let_go`.
  void keep(const std::string& name, std::shared_ptr<void> one) {
    background_[name] = std::move(one);
  }
  void let_go(const std::string& name) { background_.erase(name); }
  /// All of it: it has these lines, too.
  void forget() { background_.clear(); }

private:
  /// With more, those that were not used for `line_kept` are closed.
  static constexpr std::size_t lines_max = 256;
  static constexpr std::chrono::minutes line_kept{5};
  struct kept_line {
    std::shared_ptr<a2a::agent_line> line; ///< With all that was learned of the agent.
    time_source::steady_point used_at{};
  };
  std::map<std::string, kept_line> lines_;
  /// As long as there are delegations; a target that refused much is asked slowly only by them.
  std::map<std::string, std::weak_ptr<target_queue>> queues_;
  std::map<std::string, std::shared_ptr<void>> background_;
};

namespace {

/// Nobody hears what a cancel in the background reports.
class silent_port final : public agent_port {
public:
  void report(agent_report) override {}
  void wake_after(std::chrono::nanoseconds) override {}
};

/// Carries out what a delegation decides. On the loop, after its construction.
class delegation_driver : public std::enable_shared_from_this<delegation_driver> {
public:
  struct setting {
    order_ptr order; ///< Null: only its cancel goes on, in the background.
    agent_port_ptr port;
    delegation_input input;
    a2a::line_options line;
    std::shared_ptr<delegation_lines> lines;
    std::vector<std::string> path;
    target_limits limits;
    bool goes_on = false; ///< An earlier process has begun it.
    std::shared_ptr<cancel_outbox> outbox;
    delegation_terms terms;
    std::function<void(const std::string&)> warn;
  };

  /// Goes on to cancel what a note says, until the agent has answered.
  static void cancel_later(a2a::call_loop& loop, const time_source& time, setting given,
                           const delegation_note& note) {
    given.order = nullptr;
    given.port = std::make_shared<silent_port>();
    given.goes_on = true;
    auto terms = given.terms;
    terms.cancel_wait = cancel_kept;
    terms.lost_after = cancel_kept;
    const auto lines = given.lines;
    auto one = std::make_shared<delegation_driver>(loop, time, std::move(given),
                                                   delegation(std::move(terms), note, note, {}));
    lines->keep(note.message, one);
    one->begin();
    one->cancel();
  }

  delegation_driver(a2a::call_loop& loop, const time_source& time, setting given, delegation course)
      : loop_(loop), time_(time), given_(std::move(given)), course_(std::move(course)) {}

  void begin() {
    auto line = given_.lines->open(loop_, given_.input.name(), given_.line);
    if (!line) {
      given_.port->report(report_failed{line.error().message, false});
      return drop();
    }
    line_ = std::move(*line);
    queue_ = given_.lines->queue(loop_, given_.input.name(), given_.limits);
    if (given_.goes_on) {
      queue_->gate().rejoin();
      return enter();
    }
    ticket_ = queue_->enter([self = weak_from_this()] {
      if (const auto me = self.lock())
        me->enter();
    });
  }
  void on_noted() { carry_out(course_.on_noted(loop_.now())); }
  /// The store has what was reported.
  void read_on() {
    if (stream_)
      stream_->resume();
  }
  void on_message(message_ptr said) { carry_out(course_.on_message(loop_.now(), std::move(said))); }
  /// `within`: how long the report of how it went may take; nothing: as the terms say.
  void cancel(std::optional<std::chrono::milliseconds> within = std::nullopt) {
    if (!is_in_ && !is_dropped_) { // nothing was sent
      given_.port->report(report_canceled{});
      return drop();
    }
    is_canceled_ = true;
    read_on(); // what comes now is not reported
    if (!is_dropped_)
      given_.outbox->add(course_.note());
    // The cancels that come at once are synced together, and sent after that.
    loop_.post([self = weak_from_this(), within] {
      const auto me = self.lock();
      if (me == nullptr)
        return;
      me->given_.outbox->sync();
      me->carry_out(me->course_.cancel(me->loop_.now(), within));
    });
  }
  /// Nobody listens any more.
  void drop() {
    if (!std::exchange(is_dropped_, true) && course_.dropped() > 0 && given_.warn)
      given_.warn("the agent " + troupe::quoted(given_.terms.target) + " sent "
                  + std::to_string(course_.dropped())
                  + " frames of other tasks, or after the end; they were dropped");
    ticket_.reset();
    if (std::exchange(is_in_, false))
      queue_->leave();
    if (given_.order == nullptr) // not while it is used
      loop_.post([lines = given_.lines, name = course_.note().message] { lines->let_go(name); });
    stream_.reset();
    meeting_.reset();
    reading_.reset();
    delivery_.reset();
    questioning_.reset();
    canceling_.reset();
    timer_.reset();
    pause_.reset();
  }

private:
  /// It is its turn.
  void enter() {
    is_in_ = true;
    ticket_.reset();
    carry_out(course_.begin(loop_.now()));
  }

  using answer_taker = delegation_steps (delegation::*)(delegation::point, result<wire::answer>);

  void carry_out(delegation_steps steps) {
    if (is_dropped_)
      return;
    for (auto& each : steps)
      std::visit(overloaded_steps{
                     [&](do_look_up&) { look_up(); },
                     [&](do_keep& it) {
                       if (is_canceled_)
                         given_.outbox->add(course_.note()); // more is known of it
                       given_.port->report(report_note{std::move(it.note), it.tells});
                     },
                     [&](do_send& it) { it.again ? send_again(it.streams) : send(it.streams); },
                     [&](do_deliver& it) { deliver(*it.message); },
                     [&](do_listen& it) { subscribe(it.cursor); },
                     [&](do_get&) { get(); },
                     [&](do_find&) { find(); },
                     [&](do_read_question&) { read_question(); },
                     [&](do_cancel& it) { send_cancel(it.within); },
                     [&](do_hang_up&) { stream_.reset(); },
                     [&](do_wait& it) { wait(it.until); },
                     [&](do_report& it) {
                       if (is_canceled_)
                         settle_cancel(it.report);
                       given_.port->report(std::move(it.report));
                     },
                     [&](do_end&) { drop(); },
                 },
                 each);
  }

  void look_up() {
    meeting_ = line_->look_up([this](result<a2a::known_agent> met) {
      if (!met)
        return carry_out(course_.on_met(loop_.now(), met.error()));
      format_ = met->to.format;
      remote_abilities can;
      can.endpoint = std::string(wire::to_string(format_.version)) + " "
                     + std::string(wire::to_string(format_.binding)) + " " + met->to.url;
      can.streams = met->card->capabilities.streaming.value_or(false);
      const auto age = time_.now() - course_.note().at;
      can.sends_once = given_.order != nullptr && a2a::offers(*met->card, idempotent_send_extension)
                       && age < key_trusted;
      can.lists = format_.version == wire::a2a_version::v1_0;
      can.tells_questions = a2a::offers(*met->card, opt::uri);
      sends_once_ = can.sends_once;
      carry_out(course_.on_met(loop_.now(), std::move(can)));
    });
  }

  /// In its turn, as the first time.
  void send_again(bool streams) {
    const auto now = loop_.now();
    pause_ = loop_.after(queue_->gate().again(now) - now, [this, streams] { send(streams); });
  }

  void send(bool streams) {
    is_asking_ = true;
    // The agent may speak another version than its card says.
    a2a::params_writer params =
        [request = first_request(*given_.order, given_.input, course_.note(), given_.path)](
            wire::wire_format format) { return wire::write_send(request, format); };
    if (streams)
      return listen(a2a::operation::send_streaming, std::move(params), headers(course_.note().key));
    ask_for_answer(delivery_, std::move(params), course_.note().key, &delegation::on_sent);
  }

  void deliver(const message& said) {
    const auto& asked = course_.remote().request();
    const bool is_kagents = asked && course_.note().input.empty(); // else it is known as ours
    ask_for_answer(
        delivery_,
        wire::write_send(further_message(said, course_.note(), is_kagents ? &*asked : nullptr),
                         format_),
        course_.note().key + "." + said.message_id, &delegation::on_delivered);
  }

  void ask_for_answer(a2a::call_handle& by, json::object params, const std::string& key,
                      answer_taker then) {
    ask_for_answer(by, a2a::same_params(std::move(params)), key, then);
  }

  void ask_for_answer(a2a::call_handle& by, a2a::params_writer params, const std::string& key,
                      answer_taker then) {
    by = line_->ask(
        a2a::operation::send, std::move(params), headers(key),
        [this, then](result<json::value> answer) {
          note_answer(answer ? error{} : answer.error());
          format_ = line_->format();
          carry_out((course_.*then)(loop_.now(),
                                    answer ? wire::read_answer(*answer, format_) : answer.error()));
        });
  }

  void subscribe(const std::string& cursor) {
    auto more = headers({});
    if (!cursor.empty())
      more.emplace_back("Troupe-Cursor", cursor);
    listen(a2a::operation::subscribe_to_task, a2a::same_params(with_id()), std::move(more));
  }

  void listen(a2a::operation which, a2a::params_writer params, a2a::agent_line::headers more) {
    a2a::stream_listener to;
    to.on_event = [this](const wire::answer& frame) {
      note_answer({});
      format_ = line_->format();
      carry_out(course_.on_event(loop_.now(), frame));
      if (stream_ && !is_canceled_ && !given_.port->has_room())
        stream_->pause(); // on_room follows
    };
    to.on_end = [this](const error& why) {
      note_answer(why);
      carry_out(course_.on_stream_end(loop_.now(), why));
    };
    stream_ = line_->listen(which, std::move(params), std::move(more), std::move(to));
  }

  /// The end of one that was canceled: without an answer it goes on in the background.
  void settle_cancel(const agent_report& report) {
    const auto* how = std::get_if<report_canceled>(&report);
    if (how == nullptr)
      return;
    const auto note = course_.note();
    if (how->outcome != cancel_outcome::no_answer || given_.order == nullptr)
      return given_.outbox->remove(note);
    loop_.post([&loop = loop_, &time = time_, given = given_, note] {
      cancel_later(loop, time, given, note);
    });
  }

  /// The first answer to the request; `why`: no code: it was taken.
  void note_answer(const error& why) {
    if (!std::exchange(is_asking_, false) || queue_ == nullptr)
      return;
    if (why.code == errc::none)
      queue_->gate().accepted();
    else if (const auto no = refusal_in(why))
      queue_->gate().refused(loop_.now(), no->retry_after);
  }

  void get() {
    reading_ = line_->ask(a2a::operation::get_task, with_id(), headers({}),
                          [this](result<json::value> answer) {
                            carry_out(course_.on_got(loop_.now(), read_task(answer)));
                          });
  }

  void send_cancel(std::chrono::milliseconds within) {
    auto params = with_id();
    params["metadata"] = json::object{{cancel_wait_key, within.count()}};
    canceling_ = line_->ask(a2a::operation::cancel_task, std::move(params), headers({}),
                            [this](result<json::value> answer) {
                              carry_out(course_.on_canceled(loop_.now(), read_task(answer)));
                            });
  }

  /// Of the objective, if the task stands for one: any of its tasks may ask.
  void read_question() {
    const auto& remote = course_.remote();
    json::object params{{"pageSize", 1}};
    if (remote.objective().empty())
      params["taskId"] = remote.id();
    else
      params["objectiveId"] = remote.objective();
    questioning_ = line_->ask(a2a::operation::list_inputs, std::move(params), headers({}),
                              [this](result<json::value> answer) {
                                carry_out(course_.on_question(loop_.now(), first_input(answer)));
                              });
  }

  static result<json::value> first_input(const result<json::value>& page) {
    if (!page)
      return page.error();
    boost::system::error_code failed;
    const auto* first = page->find_pointer("/inputs/0", failed);
    return first == nullptr ? json::value{} : *first;
  }

  void find() {
    wire::task_filter filter;
    filter.context = course_.note().context;
    reading_ = line_->ask(
        a2a::operation::list_tasks, wire::write_task_filter(filter, format_), headers({}),
        [this](result<json::value> answer) {
          auto page = answer ? wire::read_task_page(*answer, format_) : answer.error();
          if (page && page->tasks.empty() && !page->next_page_token.empty())
            page = make_error(errc::invalid_agent_response, "the list of tasks is not whole");
          carry_out(course_.on_found(loop_.now(),
                                     page ? result<std::vector<task>>{page->tasks} : page.error()));
        });
  }

  /// A timer that rings too early costs a look; so it is only ever set earlier.
  void wait(time_source::steady_point until) {
    if (until >= rings_at_)
      return;
    rings_at_ = until;
    timer_ = loop_.after(std::max(until - loop_.now(), std::chrono::steady_clock::duration::zero()),
                         [this] {
                           rings_at_ = time_source::steady_point::max(); // `timer_` runs just now
                           carry_out(course_.on_time(loop_.now()));
                         });
  }

  [[nodiscard]] result<task> read_task(const result<json::value>& answer) {
    if (!answer)
      return answer.error();
    format_ = line_->format();
    return wire::read_task(*answer, format_);
  }

  [[nodiscard]] json::object with_id() const {
    json::object out;
    out["id"] = course_.note().task;
    return out;
  }

  /// `key`: empty: none.
  [[nodiscard]] a2a::agent_line::headers headers(const std::string& key) const {
    a2a::agent_line::headers out;
    if (!key.empty() && sends_once_)
      out.emplace_back("Idempotency-Key", "\"" + key + "\"");
    if (given_.order == nullptr)
      return out;
    const auto& trace = given_.order->traceparent;
    out.emplace_back("traceparent", trace.empty() ? traceparent_of(course_.note()) : trace);
    if (auto state = with_path(given_.order->tracestate, given_.path); !state.empty())
      out.emplace_back("tracestate", std::move(state));
    return out;
  }

  a2a::call_loop& loop_;
  const time_source& time_;
  const setting given_;
  delegation course_;
  std::shared_ptr<a2a::agent_line> line_;
  wire::wire_format format_;
  bool sends_once_ = false;
  bool is_dropped_ = false;
  bool is_in_ = false; ///< It had its turn, and counts as open.
  bool is_canceled_ = false;
  bool is_asking_ = false; ///< The request is out, and nothing was answered.
  std::shared_ptr<target_queue> queue_;
  std::shared_ptr<target_queue::ticket> ticket_; ///< While it waits for its turn.
  a2a::call_handle pause_;                       ///< Until the request is sent again.
  a2a::stream_handle stream_;
  a2a::call_handle meeting_;
  a2a::call_handle reading_;  ///< GetTask or ListTasks.
  a2a::call_handle delivery_; ///< A send without a stream.
  a2a::call_handle questioning_;
  a2a::call_handle canceling_;
  a2a::call_handle timer_;
  time_source::steady_point rings_at_ = time_source::steady_point::max(); ///< Of `timer_`.
};

class a2a_run final : public agent_run {
public:
  a2a_run(std::shared_ptr<a2a::call_loop> loop, std::shared_ptr<delegation_driver> driver,
          std::chrono::nanoseconds grace, std::shared_ptr<void> own_trace)
      : loop_(std::move(loop)), driver_(std::move(driver)), grace_(grace),
        own_trace_(std::move(own_trace)) {
    tell([](delegation_driver& to) { to.begin(); });
  }
  ~a2a_run() override {
    tell([](delegation_driver& to) { to.drop(); });
  }

  void on_input(const message_ptr& input) override {
    tell([input](delegation_driver& to) { to.on_message(input); });
  }
  bool on_question_ended(const std::string&, question_end how) override {
    return how
           == question_end::withdrawn; // else the attempt fails, and the remote task is canceled
  }
  void on_noted() override {
    tell([](delegation_driver& to) { to.on_noted(); });
  }
  void on_room() override {
    tell([](delegation_driver& to) { to.read_on(); });
  }
  void on_cancel_within(std::chrono::milliseconds within) override { cancel_within_ = within; }
  bool on_cancel() override {
    tell([within = cancel_within_](delegation_driver& to) { to.cancel(within); });
    return false; // how the agent took it is reported
  }
  std::chrono::nanoseconds cancel_grace_min() const noexcept override { return grace_; }

private:
  template<class Step>
  void tell(Step step) {
    loop_->post([to = driver_, step = std::move(step)] { step(*to); });
  }

  std::shared_ptr<a2a::call_loop> loop_;
  std::shared_ptr<delegation_driver> driver_;
  std::chrono::nanoseconds grace_;
  std::shared_ptr<void> own_trace_; ///< The trace that it has made is under way; null: none.
  std::optional<std::chrono::milliseconds> cancel_within_;
};

} // namespace

a2a_agent::a2a_agent(delegation_options options, std::shared_ptr<a2a::call_loop> loop,
                     const time_source& time)
    : options_(std::move(options)), time_(time), lines_(std::make_shared<delegation_lines>()),
      loop_(std::move(loop)) {}

a2a_agent::~a2a_agent() {
  if (loop_ != nullptr) // what is left is delivered by the next process
    loop_->post([lines = lines_] { lines->forget(); });
}

std::shared_ptr<a2a::call_loop> a2a_agent::loop() {
  const std::lock_guard guard(mutex_);
  if (loop_ == nullptr) {
    auto fresh = std::make_shared<a2a::call_loop>(time_);
    fresh->start();
    loop_ = std::move(fresh);
  }
  return loop_;
}

std::shared_ptr<cancel_outbox> a2a_agent::outbox() {
  const std::lock_guard guard(mutex_);
  if (outbox_ == nullptr)
    outbox_ = std::make_shared<cancel_outbox>(options_.cancels_file ? options_.cancels_file()
                                                                    : std::string{});
  return outbox_;
}

void a2a_agent::deliver_cancels() {
  const auto box = outbox();
  const auto left = box->pending(); // before the loop uses it
  if (left.empty())
    return;
  const auto shared = loop();
  for (const auto& note : left) {
    const bool is_url = note.target.starts_with("http://") || note.target.starts_with("https://");
    auto line = is_url ? line_to({}, note.target) : line_to(note.target, {});
    if (!line) // the target is no more
      continue;
    delegation_driver::setting given;
    given.input.target = is_url ? std::string{} : note.target;
    given.input.url = is_url ? note.target : std::string{};
    given.line = std::move(*line);
    given.lines = lines_;
    given.limits = limits_of(note.target);
    given.outbox = box;
    given.terms = options_.terms;
    given.terms.target = note.target;
    given.warn = options_.warn;
    shared->post([loop = shared.get(), &time = time_, given = std::move(given), note] {
      delegation_driver::cancel_later(*loop, time, given, note);
    });
  }
}

std::string a2a_agent::server_id() {
  const std::lock_guard guard(mutex_);
  if (server_id_.empty() && options_.server_id)
    server_id_ = options_.server_id();
  if (server_id_.empty())
    server_id_ = thread_id_source().next("server");
  return server_id_;
}

result<a2a::line_options> a2a_agent::line_to(const std::string& target,
                                             const std::string& url) const {
  a2a::line_options out;
  out.extensions = {progress_uri, hitl::uri};
  out.memory = options_.memory;
  for (const auto& each : options_.targets) {
    const bool is_meant = !target.empty()
                              ? each.alias == target
                              : each.to && without_slash(each.to->url) == without_slash(url);
    if (!is_meant)
      continue;
    if (!each.to)
      return each.to.error();
    out.to = *each.to;
    return out;
  }
  if (url.empty() && options_.no_targets.code != errc::none)
    return options_.no_targets;
  if (url.empty()) {
    std::vector<std::string_view> known;
    for (const auto& each : options_.targets)
      known.emplace_back(each.alias);
    return input_error("/target", "names no target: " + troupe::quoted(target)
                                      + (known.empty() ? std::string("; there is none, see "
                                                                     "[[targets]] in docs/cli.md")
                                                       : did_you_mean(target, known)));
  }
  out.to.url = url;
  out.to.proxies = options_.proxies;
  out.public_only = !options_.allow_private;
  return out;
}

target_limits a2a_agent::limits_of(const std::string& target) const {
  const auto found = std::ranges::find(options_.targets, target, &delegation_target::alias);
  return found == options_.targets.end() ? target_limits{} : found->limits;
}

start_result a2a_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  auto input = read_delegation_input(order->input.resolve(), input_stage::resolved);
  if (!input)
    return input_failure(input.error());
  auto line = line_to(input->target, input->url);
  if (!line)
    return input_failure(line.error());
  auto path = extended_path(order->path, server_id(), options_.hops_max);
  if (!path)
    return report_rejected{path.error().message};
  std::optional<delegation_note> note;
  if (is_delegation_note(order->note)) {
    auto read = read_note(order->note);
    if (!read)
      return report_failed{read.error().message, false};
    note = std::move(*read);
  }
  delegation_note fresh;
  auto& ids = thread_id_source();
  fresh.target = input->name();
  fresh.message = ids.next("msg");
  fresh.context = ids.next("ctx");
  fresh.key = ids.next("key");
  fresh.at = time_.now();
  fresh.deadline = order->deadline.value_or(timestamp{});
  auto terms = options_.terms;
  terms.target = input->name();
  terms.unsure = input->unsure;
  const auto grace = terms.cancel_wait + cancel_spare;
  const bool goes_on = note.has_value();
  std::shared_ptr<void> own_trace;
  if (order->traceparent.empty())
    own_trace = traces_->add(trace_id_in(traceparent_of(note ? *note : fresh)));
  const auto kept_terms = terms;
  delegation course(std::move(terms), std::move(fresh), std::move(note), order->messages);
  auto shared = loop();
  const auto own_name = input->name();
  auto driver = std::make_shared<delegation_driver>(
      *shared, time_,
      delegation_driver::setting{order, port, std::move(*input), std::move(*line), lines_,
                                 std::move(*path), limits_of(own_name), goes_on, outbox(),
                                 kept_terms, options_.warn},
      std::move(course));
  return std::make_unique<a2a_run>(std::move(shared), std::move(driver), grace,
                                   std::move(own_trace));
}

result<void> a2a_agent::admit(const std::vector<std::string>& path,
                              const std::string& traceparent) {
  if (const auto trace = trace_id_in(traceparent);
      !trace.empty() && std::ranges::find(path, server_id()) == path.end() && traces_->has(trace))
    return came_back(server_id(), path);
  if (path.empty())
    return {};
  const auto own = extended_path(path, server_id(), options_.hops_max);
  if (!own)
    return own.error();
  return {};
}

bool a2a_agent::goes_on(const std::string& note) const {
  return is_delegation_note(note);
}

result<void> a2a_agent::check_input(const json::object& input) const {
  const auto read = read_delegation_input(input, input_stage::written);
  if (!read)
    return read.error();
  if (const auto line = line_to(read->target, read->url); !line)
    return line.error();
  return {};
}

result<void> a2a_agent::check_planned(const json::object& input, const planned_check&) const {
  const auto read = read_delegation_input(input, input_stage::written);
  if (!read)
    return read.error();
  if (!read->url.empty())
    return make_error(errc::invalid_params, "a planned task may name a target, and no URL", "/url");
  return {};
}

bool a2a_agent::takes_value_at(std::string_view pointer) const {
  return is_at_or_below(pointer, "/text") || is_at_or_below(pointer, "/data")
         || is_at_or_below(pointer, "/metadata");
}

std::string a2a_agent::description() const {
  return R"(Lets another A2A agent do the task: {"target": "support", "text": "..."})";
}

} // namespace troupe
