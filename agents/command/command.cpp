#include "agents/command/command.hpp"

#include "agents/command/command_input.hpp"
#include "agents/command/command_lines.hpp"
#include "agents/command/program_output.hpp"
#include "protocol/core_count.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/text/text.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

namespace troupe {

namespace {

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

// Why this end is a failure; empty if it is none.
std::string fault_of(const process_exit& how, std::size_t output_bytes_max) {
  if (!how.fault.empty())
    return how.fault;
  if (how.over_limit)
    return "wrote more than " + std::to_string(output_bytes_max) + " bytes to stdout (outputLimit)";
  if (how.unknown)
    return "ended, but its exit status is not known";
  if (how.signal != 0)
    return "killed by " + signal_name(how.signal);
  return how.code == 0 ? std::string{} : "exited with " + std::to_string(how.code);
}

// From a new line until it is shown: programs that write much cost no more than others.
constexpr std::chrono::milliseconds shown_delay{250};

// What a program writes beside its artifacts: for the record and, of a plain program, with its last
// line as its progress. Lines come on the reactor's thread, and are shown on the actor's.
class shown_output {
public:
  shown_output(agent_port_ptr port, std::uint32_t attempt, bool is_progress,
               const time_source& time)
      : port_(std::move(port)), attempt_(attempt), is_progress_(is_progress), time_(time) {}

  /// The lines that `bytes` complete.
  std::vector<program_line> add(bool is_stderr, std::string_view bytes, timestamp at) {
    std::vector<program_line> out;
    bool first = false;
    {
      const std::lock_guard guard(mutex_);
      out = written_.add(is_stderr, bytes, at);
      first = !out.empty() && !std::exchange(is_waiting_, true);
      note(out);
    }
    if (first)
      port_->wake_after(shown_delay);
    return out;
  }

  /// The lines that have no newline, at the end.
  std::vector<program_line> finish(timestamp at) {
    const std::lock_guard guard(mutex_);
    return written_.finish(at);
  }

  // The lock is held until the actor has it: nothing comes behind the last words.
  void show() {
    const std::lock_guard guard(mutex_);
    if (is_closed_)
      return;
    is_waiting_ = false;
    const auto now = time_.now();
    if (auto said = written_.take_new(attempt_, now))
      port_->report(std::move(*said));
    if (const auto due = written_.excerpt_due(); due && *due != woken_at_) {
      woken_at_ = *due; // Each excerpt is waited for once.
      port_->wake_after(std::max<timestamp::duration>(*due - now, shown_delay));
    }
    if (!is_progress_ || line_.empty())
      return;
    report_progress shown;
    auto& tracker = shown.report.trackers.emplace_back();
    tracker.id = "output";
    tracker.message = shortened(std::exchange(line_, {}), progress_message_chars_max);
    port_->report(std::move(shown));
  }

  /// Nothing more comes. `end`: why it has failed; may be empty. Its last words.
  std::string close(std::string_view end) {
    const std::lock_guard guard(mutex_);
    is_closed_ = true;
    if (auto said = written_.take_rest(attempt_, end))
      port_->report(std::move(*said));
    return written_.last_words();
  }

private:
  /// The last of these that is not blank.
  void note(const std::vector<program_line>& lines) {
    const auto last = std::find_if(lines.rbegin(), lines.rend(), [](const program_line& each) {
      return each.text.find_first_not_of(" \t") != std::string::npos;
    });
    if (last != lines.rend())
      line_ = last->text;
  }

  const agent_port_ptr port_;
  const std::uint32_t attempt_;
  const bool is_progress_;
  const time_source& time_;
  std::mutex mutex_; // guards the rest
  program_output written_;
  timestamp woken_at_{}; // The excerpt for which the actor wakes.
  std::string line_;     // that was not shown
  bool is_waiting_ = false;
  bool is_closed_ = false;
};

// Collects what a program writes beside its artifacts: for the record, the screen, and the log.
class command_listener : public process_listener {
public:
  command_listener(agent_port_ptr port, std::size_t output_bytes_max, order_ptr order,
                   std::shared_ptr<shown_output> shown, const command_options& options,
                   const time_source& time)
      : port_(std::move(port)), output_bytes_max_(output_bytes_max), order_(std::move(order)),
        log_(options.log), shown_(std::move(shown)), memory_(budget_or_own(options.memory)),
        gate_(options.gate), time_(time) {
    if (gate_)
      ++gate_->running;
  }

  ~command_listener() override {
    if (gate_)
      --gate_->running;
  }

  void on_start_failed(const spawn_failure& why) override {
    port_->report(report_failed{why.reason, why.retry});
  }

  void on_errors(std::string_view bytes) override { keep(true, bytes); }

protected:
  // Counts what is kept of stdout. Empty, or why there is no memory for it.
  std::string hold(std::size_t bytes) {
    return held_.resize(bytes) ? std::string{}
                               : memory_->refusal(memory_account::programs, bytes).message;
  }

  void keep(bool is_stderr, std::string_view bytes) {
    tell(shown_->add(is_stderr, bytes, time_.now()));
  }

  // Nothing more comes. What a program wrote is in the record, for `troupe logs` of a server. The
  // failure, if it is one. `refused`: why it was killed by us, if it was.
  std::optional<report_failed> close(const process_exit& how, const std::string& refused = {}) {
    tell(shown_->finish(time_.now()));
    if (log_)
      log_->on_end(*order_);
    auto reason = refused.empty() ? fault_of(how, output_bytes_max_) : refused;
    const auto last_words = shown_->close(reason);
    if (reason.empty())
      return std::nullopt;
    if (!how.over_limit && refused.empty())
      reason += last_words;
    return report_failed{std::move(reason), refused.empty()};
  }

  agent_port_ptr port_;

private:
  void tell(const std::vector<program_line>& lines) {
    if (log_)
      for (const auto& line : lines)
        log_->on_line(*order_, line);
  }

  std::size_t output_bytes_max_;
  order_ptr order_;
  std::shared_ptr<program_log> log_;
  std::shared_ptr<shown_output> shown_;
  const memory_budget_ptr memory_;
  memory_charge held_ = memory_charge::force(*memory_, memory_account::programs, 0);
  const std::shared_ptr<program_gate> gate_;
  const time_source& time_;
};

// Collects stdout into one artifact.
class plain_listener final : public command_listener {
public:
  using command_listener::command_listener;

  output_verdict on_output(std::string_view bytes) override {
    if (!refused_.empty())
      return output_verdict::kill;
    refused_ = hold(std::max(output_.capacity(), output_.size() + bytes.size()));
    keep(false, bytes);
    if (!refused_.empty()) {
      std::string().swap(output_);
      return output_verdict::kill;
    }
    output_ += bytes;
    return output_verdict::go_on;
  }

  void on_exit(const process_exit& how) override {
    if (auto failure = close(how, refused_))
      return port_->report(std::move(*failure));
    report_completed done;
    if (is_utf8(output_)) {
      done.artifacts.push_back(text_artifact("stdout", std::move(output_)));
    } else {
      artifact bytes;
      bytes.name = "stdout";
      bytes.parts.push_back(
          part{raw_content{std::move(output_)}, "application/octet-stream", {}, {}});
      done.artifacts.push_back(std::move(bytes));
    }
    port_->report(std::move(done));
  }

private:
  std::string output_;
  std::string refused_; // Why there is no memory for more of it.
};

// Hands on what each line says. The end is reported when the process is gone, so that a slot is
// free only then.
class lines_listener final : public command_listener {
public:
  template<class... Args>
  explicit lines_listener(bool can_answer, Args&&... args)
      : command_listener(std::forward<Args>(args)...), can_answer_(can_answer) {}

  output_verdict on_output(std::string_view bytes) override {
    if (outcome_)
      return output_verdict::go_on; // it has said its last word
    lines_.feed(bytes);
    while (auto item = lines_.next())
      if (take(std::move(*item)))
        return broken_ ? output_verdict::kill : output_verdict::finish;
    if (auto refused = hold(lines_.kept()); !refused.empty()) {
      fail(std::move(refused), false);
      return output_verdict::kill;
    }
    return output_verdict::go_on;
  }

  void on_exit(const process_exit& how) override {
    auto failure = close(how);
    if (!failure && !outcome_)
      if (auto item = lines_.last())
        take(std::move(*item));
    // The result that the program reported is used, not its exit code: the program may have been
    // killed after the report.
    if (outcome_)
      return port_->report(std::move(*outcome_));
    port_->report(failure ? agent_report(std::move(*failure)) : agent_report(report_completed{}));
  }

private:
  // True if nothing after it counts.
  bool take(line_reader::item item) {
    if (const auto* wrong = std::get_if<error>(&item))
      return fail(wrong->message);
    auto& report = std::get<agent_report>(item);
    if (std::holds_alternative<report_completed>(report)
        || std::holds_alternative<report_failed>(report)) {
      outcome_ = std::move(report);
      return true;
    }
    if (std::holds_alternative<report_question>(report) && !can_answer_)
      return fail("asks a question, but its stdin is \"none\"");
    port_->report(std::move(report));
    return false;
  }

  bool fail(std::string reason, bool is_retryable = true) {
    broken_ = true;
    outcome_ = report_failed{std::move(reason), is_retryable};
    return true;
  }

  bool can_answer_;
  line_reader lines_;
  std::optional<agent_report> outcome_;
  bool broken_ = false;
};

// From SIGKILL until the end is reported, on a busy machine.
constexpr std::chrono::seconds reaping_max{5};

class command_run final : public agent_run {
public:
  command_run(std::shared_ptr<process_reactor> reactor, process_key key,
              std::chrono::nanoseconds kill_after, bool takes_input,
              std::shared_ptr<shown_output> shown)
      : reactor_(std::move(reactor)), key_(key), kill_after_(kill_after), takes_input_(takes_input),
        shown_(std::move(shown)) {}
  // Does nothing to a process that has ended. One that still runs has used its grace time: it must
  // not run at the same time as the next attempt.
  ~command_run() override { reactor_->kill(key_); }

  void on_references(const std::vector<referenced_task>& references) override {
    references_ = references;
  }

  void on_input(const message_ptr& input) override { tell(input, false); }
  void on_answer(const message_ptr& answer) override { tell(answer, true); }
  void on_wake() override { shown_->show(); }

  bool on_cancel() override {
    reactor_->terminate(key_);
    return false; // its end will be reported
  }

  std::chrono::nanoseconds cancel_grace_min() const noexcept override {
    return kill_after_ + reaping_max + clear_max;
  }

private:
  void tell(const message_ptr& message, bool answers) {
    auto references = std::exchange(references_, {});
    if (takes_input_)
      reactor_->write_input(key_, input_line(message, std::move(references), answers));
  }

  std::shared_ptr<process_reactor> reactor_;
  process_key key_;
  std::chrono::nanoseconds kill_after_;
  bool takes_input_; // while it runs
  std::shared_ptr<shown_output> shown_;
  std::vector<referenced_task> references_; // of the input that comes next
};

std::vector<std::string> own_environment() {
  std::vector<std::string> out;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one)
    out.emplace_back(*one);
  return out;
}

} // namespace

command_agent::command_agent(command_options options, std::shared_ptr<process_reactor> reactor,
                             const time_source& time)
    : options_(std::move(options)), time_(time), reactor_(std::move(reactor)) {
  if (options_.parallel_max == 0)
    options_.parallel_max = core_count();
  if (options_.environment.empty())
    options_.environment = own_environment();
  if (rlimit limit{}; ::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    open_files_max_ = limit.rlim_cur;
}

start_result command_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  auto input = read_command_input(order->input);
  if (!input)
    return input_failure(input.error());
  if (auto fine = check_variables(*input, options_.variables_passed); !fine)
    return input_failure(fine.error());
  process_spec spec;
  spec.environment = command_environment(*input, options_.environment);
  spec.open_files_max = open_files_max_;
  spec.argv = std::move(input->argv);
  spec.directory = std::move(input->cwd);
  spec.output_bytes_max = input->output_bytes_max;
  spec.kill_after = input->kill_after;
  if (input->json_on_stdin)
    spec.input = order_line(order);
  spec.keep_input_open = input->json_lines && input->json_on_stdin;
  const bool takes_input = spec.keep_input_open;
  const auto shown =
      std::make_shared<shown_output>(port, order->attempt, !input->json_lines, time_);
  std::unique_ptr<process_listener> listener;
  if (input->json_lines)
    listener = std::make_unique<lines_listener>(input->json_on_stdin, port, input->output_bytes_max,
                                                order, shown, options_, time_);
  else
    listener = std::make_unique<plain_listener>(port, input->output_bytes_max, order, shown,
                                                options_, time_);
  auto shared = reactor();
  const auto key = shared->launch(std::move(spec), std::move(listener));
  return std::make_unique<command_run>(std::move(shared), key, input->kill_after, takes_input,
                                       shown);
}

restart_rule command_agent::on_restart_of(const boost::json::object& input) const {
  return read_restart(input, options_.on_restart);
}

result<void> command_agent::check_input(const boost::json::object& input) const {
  auto read = read_command_input(input, input_stage::written);
  if (!read)
    return read.error();
  return check_variables(*read, options_.variables_passed);
}

result<void> command_agent::check_planned(const boost::json::object&, const planned_check&) const {
  return make_error(errc::invalid_params, "a planned task may not run a program");
}

bool command_agent::takes_value_at(std::string_view pointer) const {
  // Not the program itself, no line for a shell, no directory.
  return (pointer.starts_with("/argv/") && pointer != "/argv/0") || pointer.starts_with("/env/")
         || is_at_or_below(pointer, "/data") || is_at_or_below(pointer, "/text");
}

std::string command_agent::description() const {
  return "Runs a local program: {\"argv\": [\"ls\", \"-l\"]}";
}

std::shared_ptr<process_reactor> command_agent::reactor() {
  const std::lock_guard guard(mutex_);
  if (reactor_ == nullptr) {
    auto fresh = std::make_shared<process_reactor>(time_, options_.adopts_orphans);
    fresh->start();
    reactor_ = std::move(fresh);
  }
  return reactor_;
}

} // namespace troupe
