#include "agents/a2a/a2a_agent.hpp"

#include "agents/a2a/delegation_driver.hpp"
#include "agents/a2a/delegation_input.hpp"
#include "agents/a2a/delegation_lines.hpp"
#include "agents/a2a/limits.hpp"
#include "agents/input_check.hpp"
#include "protocol/a2a/request_path.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/text/near_name.hpp"
#include "protocol/text/url_reference.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/progress.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

/// The longest time from the agent's word, or the end of the wait for it, until it is reported.
constexpr std::chrono::seconds cancel_spare{5};

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
    tell([input](delegation_driver& to) { to.on_message(input, false); });
  }
  void on_answer(const message_ptr& answer) override {
    tell([answer](delegation_driver& to) { to.on_message(answer, true); });
  }
  bool on_question_ended(const std::string& key, question_end how) override {
    tell([key](delegation_driver& to) { to.on_question_ended(key); });
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

/// A line without its target.
a2a::line_options line_with(const delegation_options& how) {
  a2a::line_options out;
  out.extensions = {progress_uri, hitl::uri};
  out.memory = how.memory;
  return out;
}

/// The input, with its target. `otherwise`: the alias of the target of one that names none.
result<delegation_input> read_with_target(const json::object& input, input_stage stage,
                                          const std::string& otherwise) {
  auto out = read_delegation_input(input, stage);
  if (out && out->target.empty() && out->url.empty()) {
    if (otherwise.empty())
      return input_error("/target", "is missing; must be the alias of a target, or give a \"url\"");
    out->target = otherwise;
  }
  return out;
}

} // namespace

a2a_agent::a2a_agent(delegation_options options, std::shared_ptr<a2a::call_loop> loop,
                     const time_source& time)
    : options_(std::move(options)), time_(time),
      lines_(std::make_shared<delegation_lines>(options_.open_max)), loop_(std::move(loop)) {
  for (const auto& each : options_.targets) {
    if (!each.to) {
      target_lines_.emplace_back(each.to.error());
      continue;
    }
    auto line = line_with(options_);
    line.to = *each.to;
    target_lines_.emplace_back(std::make_shared<const a2a::line_options>(std::move(line)));
  }
}

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

void a2a_agent::keep_cancels(std::string path) {
  options_.cancels_file = [path = std::move(path)] { return path; };
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
    if (!line) { // the target is no more
      if (options_.warn)
        options_.warn("a cancel for " + troupe::quoted(note.target)
                      + " cannot be delivered: " + line.error().message);
      continue;
    }
    delegation_driver::setting given;
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

std::optional<std::size_t> a2a_agent::place_of(const std::string& target,
                                               const std::string& url) const {
  for (std::size_t i = 0; i < options_.targets.size(); ++i) {
    const auto& each = options_.targets[i];
    const bool is_meant =
        !target.empty() ? each.alias == target
                        : each.to && without_end_slashes(each.to->url) == without_end_slashes(url);
    if (is_meant)
      return i;
  }
  return std::nullopt;
}

result<a2a_agent::line_ptr> a2a_agent::line_to(const std::string& target,
                                               const std::string& url) const {
  if (const auto place = place_of(target, url))
    return target_lines_[*place];
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
  auto out = line_with(options_);
  out.to.url = url;
  out.to.proxies = options_.proxies;
  out.public_only = !options_.allow_private;
  return line_ptr{std::make_shared<const a2a::line_options>(std::move(out))};
}

target_limits a2a_agent::limits_of(const std::string& target) const {
  const auto found = std::ranges::find(options_.targets, target, &delegation_target::alias);
  return found == options_.targets.end() ? target_limits{} : found->limits;
}

start_result a2a_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  std::optional<delegation_note> note;
  if (is_delegation_note(order->note)) {
    auto read = read_note(order->note);
    if (!read)
      return report_failed{read.error().message, false};
    note = std::move(*read);
  }
  // What goes on, goes on where it began, whatever the setting is now.
  const auto& otherwise = note ? note->target : options_.default_target;
  auto input = read_with_target(order->input.resolve(), input_stage::resolved, otherwise);
  if (!input && is_lone(*order) && otherwise.empty())
    return report_rejected{"this server hands no messages on: agents.a2a-target is not set"};
  if (!input)
    return input_failure(input.error());
  auto line = line_to(input->target, input->url);
  if (!line)
    return input_failure(line.error());
  auto path = extended_path(order->path, server_id(), options_.hops_max);
  if (!path)
    return report_rejected{path.error().message};
  // A target that is named by its URL is the same target: one queue, one line, one `max-open`.
  const auto place = place_of(input->target, input->url);
  const auto name = place ? options_.targets[*place].alias : input->name();
  delegation_note fresh;
  auto& ids = thread_id_source();
  fresh.target = name;
  fresh.message = ids.next("msg");
  fresh.context = ids.next("ctx");
  fresh.key = ids.next("key");
  fresh.at = time_.now();
  fresh.deadline = order->deadline.value_or(timestamp{});
  auto terms = options_.terms;
  terms.target = name;
  terms.unsure = input->unsure;
  const auto grace = terms.cancel_wait + cancel_spare;
  const bool goes_on = note.has_value();
  std::shared_ptr<void> own_trace;
  if (order->traceparent.empty())
    own_trace = traces_->add(trace_id_in(traceparent_of(note ? *note : fresh)));
  const auto kept_terms = terms;
  delegation course(std::move(terms), std::move(fresh), std::move(note), order->messages,
                    messages_in_request(*order));
  auto shared = loop();
  auto driver = std::make_shared<delegation_driver>(
      *shared, time_,
      delegation_driver::setting{order, port, std::move(*line), lines_, std::move(*path),
                                 limits_of(name), goes_on, outbox(), kept_terms, options_.warn},
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
  const auto read = read_with_target(input, input_stage::written, options_.default_target);
  if (!read)
    return read.error();
  if (const auto line = line_to(read->target, read->url); !line)
    return line.error();
  return {};
}

result<void> a2a_agent::check_planned(const json::object& input, const planned_check&) const {
  const auto read = read_with_target(input, input_stage::written, options_.default_target);
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
