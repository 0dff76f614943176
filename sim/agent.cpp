#include "sim/agent.hpp"

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace troupe::sim {

/// How an attempt ends.
enum class ending : std::uint8_t { completed, failed, failed_for_good, rejected, thrown, silent };

namespace {

/// More than wait apart for a reader of a stream.
constexpr int burst_chunks = 20;
/// A question that expires is open for at most so long.
constexpr std::chrono::seconds question_open_max{5};

/// ".r2" of a task that was made for another try; empty: of the first one.
std::string try_of(const std::string& task) {
  const auto at = task.rfind(".r");
  return at == std::string::npos ? std::string{} : task.substr(at);
}

ending draw_ending(dice& chance, const settings& how) {
  if (chance.chance(how.silent))
    return ending::silent;
  if (!chance.chance(how.failing))
    return ending::completed;
  constexpr auto ways = std::to_array<ending>(
      {ending::failed, ending::failed, ending::failed_for_good, ending::rejected, ending::thrown});
  return ways[chance.below(ways.size())];
}

/// What an attempt has reported first counts; what comes after its end is not looked at.
void tell_end(world& in, std::size_t place, const char* report) {
  auto& of = in.seen.attempts[place];
  if (in.is_dying || !of.report.empty())
    return;
  of.report = report;
  of.reported = in.next_moment();
}

/// What an attempt makes, and writes down that it did.
artifact chunk(world& in, std::size_t place, const std::string& id, int number) {
  auto& of = in.seen.attempts[place];
  auto text = of.name + try_of(of.task) + "/" + std::to_string(of.number) + "/"
              + std::to_string(number) + ";";
  in.seen.chunks.insert(text);
  auto out = text_artifact("out", text);
  out.artifact_id = id;
  if (of.report.empty()) {
    stream_event made;
    made.kind = event_kind::artifact;
    made.at = in.next_moment();
    made.artifact = id;
    made.text = std::move(text);
    made.append = id == "out" && number > 1;
    of.made.push_back(std::move(made));
  }
  return out;
}

} // namespace

class agent::run final : public agent_run {
public:
  run(world& in, dice chance, std::string name, std::uint32_t number, std::size_t place,
      agent_port_ptr port)
      : in_(in), chance_(chance),
        more_(in.how.seed, "agent's more " + name + " " + std::to_string(number)
                               + try_of(in.seen.attempts[place].task)),
        name_(std::move(name)), number_(number), place_(place), port_(std::move(port)),
        ending_(draw_ending(chance_, in.how)),
        steps_left_(static_cast<int>(chance_.below(in.how.agent_steps_max + 1))) {
    wait();
  }
  ~run() override {
    in_.seen.attempts[place_].ended = in_.next_moment();
    in_.story.add("attempt " + std::to_string(number_) + " of " + name_ + " is over");
  }

  std::unique_ptr<run> twin; ///< By a planted bug.

  void on_wake() override {
    if (is_over_)
      return;
    if (steps_left_-- > 0)
      go_on();
    else
      end();
  }
  bool on_question_ended(const std::string&, question_end how) override {
    if (how == question_end::expired) {
      in_.story.reached("a question expires");
      in_.seen.expiries.push_back({in_.seen.attempts[place_].task, in_.next_moment()});
    }
    if (more_.chance(0.5)) {
      wait();
      return true;
    }
    is_over_ = true;
    tell_end(in_, place_, "failed for good");
    return false;
  }
  void on_answer(const message_ptr&) override {
    in_.story.add(name_ + " gets an answer");
    in_.story.reached("an agent gets an answer");
    wait();
  }
  bool on_cancel() override {
    in_.story.reached("an agent is canceled");
    if (is_over_)
      in_.story.reached("a cancel crosses the result of its task");
    if (chance_.chance(in_.how.careless)) {
      in_.story.reached("a result comes after a cancel");
      complete();
      return false;
    }
    is_over_ = true;
    return true;
  }

private:
  void wait() { port_->wake_after(chance_.between(nanoseconds{0}, in_.how.step_max)); }

  void go_on() {
    if (chance_.chance(in_.how.asking)) {
      in_.story.add(name_ + " asks");
      in_.story.reached("an agent asks");
      report_question asked;
      asked.prompt = "which?";
      if (more_.chance(in_.how.impatient))
        asked.open_for = std::chrono::floor<std::chrono::milliseconds>(
            more_.between(std::chrono::milliseconds{10}, question_open_max));
      if (more_.chance(0.2))
        asked.remind_after = std::chrono::seconds{1};
      port_->report(std::move(asked));
      return;
    }
    switch (chance_.below(4)) {
      case 0: {
        report_progress now;
        now.report.trackers.push_back({});
        now.report.trackers.back().id = "work";
        if (more_.chance(0.7)) {
          now.report.trackers.back().total = 100;
          now.report.trackers.back().progress = static_cast<double>(more_.between(0, 100));
        }
        port_->report(std::move(now));
        break;
      }
      case 1: {
        report_message said;
        said.message.from = role::agent;
        said.message.parts.push_back({text_content{"still here"}, {}, {}, {}});
        port_->report(std::move(said));
        break;
      }
      default:
        for (auto left = chance_.chance(0.1) ? burst_chunks : 1; left > 0; --left) {
          report_artifact made;
          made.artifact = chunk(in_, place_, "out", ++chunks_);
          made.append = chunks_ > 1;
          port_->report(std::move(made));
        }
    }
    wait();
  }

  void complete() {
    is_over_ = true;
    report_completed done;
    done.artifacts.push_back(chunk(in_, place_, "result", ++chunks_));
    if (!in_.is_dying)
      in_.seen.attempts[place_].completed = in_.next_moment();
    tell_end(in_, place_, "completed");
    if (in_.how.bug == mutant::lost_report && chance_.chance(0.1))
      return;
    port_->report(std::move(done));
  }

  void end() {
    switch (ending_) {
      case ending::completed: complete(); break;
      case ending::failed: fail(true); break;
      case ending::failed_for_good: fail(false); break;
      case ending::rejected:
        is_over_ = true;
        in_.story.reached("an agent rejects a task");
        tell_end(in_, place_, "rejected");
        port_->report(report_rejected{"drawn"});
        break;
      case ending::thrown:
        is_over_ = true;
        in_.story.reached("an agent throws");
        tell_end(in_, place_, "failed");
        throw std::runtime_error("drawn");
      case ending::silent: in_.story.reached("an agent is silent"); return;
    }
    if (chance_.chance(in_.how.careless)) {
      in_.story.reached("a result comes twice");
      complete();
    }
  }

  void fail(bool retry) {
    is_over_ = true;
    tell_end(in_, place_, retry ? "failed" : "failed for good");
    port_->report(report_failed{"drawn", retry});
  }

  world& in_;
  dice chance_;
  dice more_; ///< What was added to the world later.
  const std::string name_;
  const std::uint32_t number_;
  const std::size_t place_; ///< In the history.
  const agent_port_ptr port_;
  const ending ending_;
  int steps_left_;
  int chunks_ = 0;
  bool is_over_ = false;
};

/// Of a planted bug: an agent that has only asked keeps its slot.
class agent::held_run final : public agent_run {
public:
  explicit held_run(agent_port_ptr port) : port_(std::move(port)) {
    port_->report(report_question{.prompt = "which?"});
  }
  void on_answer(const message_ptr&) override { port_->report(report_failed{"drawn", false}); }

private:
  const agent_port_ptr port_;
};

start_result agent::start(const order_ptr& order, const agent_port_ptr& port) {
  const auto text = order->text(); // Of a lone task the request, and then a line for each answer.
  const auto name = order->name.empty() ? text.substr(0, text.find('\n')) : order->name;
  const auto place = in_.seen.attempts.size();
  attempt& begun = in_.seen.attempts.emplace_back();
  begun.task = order->id.str();
  begun.name = name;
  begun.is_lone = order->name.empty();
  begun.number = order->attempt;
  begun.began = in_.next_moment();
  in_.story.add("attempt " + std::to_string(order->attempt) + " of " + name + " begins, task "
                + begun.task);
  if (order->attempt > 1)
    in_.story.reached("a task gets another attempt");
  dice chance(in_.how.seed,
              "agent " + name + " " + std::to_string(order->attempt) + try_of(begun.task));
  dice questions(in_.how.seed, "questions of " + name + " " + std::to_string(order->attempt)
                                   + try_of(begun.task));
  const bool asks = questions.chance(in_.how.asking / 2);
  begun.goes_on = asks && asked_.contains({begun.task, order->attempt});
  if (asks && !begun.goes_on) {
    asked_.insert({begun.task, order->attempt});
    in_.story.reached("an agent asks and ends its run");
    begun.asks = true;
    begun.ended = begun.began;
    if (in_.how.bug == mutant::held_slot)
      return std::make_unique<held_run>(port);
    return report_question{.prompt = "which?"};
  }
  if (begun.goes_on)
    in_.story.reached("an agent begins again with an answer");
  if (!chance.chance(0.3)) {
    auto out = std::make_unique<run>(in_, chance, name, order->attempt, place, port);
    if (in_.how.bug == mutant::two_starts && chance.chance(0.1)) {
      in_.seen.attempts.push_back(in_.seen.attempts[place]);
      in_.seen.attempts.back().began = in_.next_moment();
      out->twin = std::make_unique<run>(in_, chance, name, order->attempt, place + 1, port);
    }
    return out;
  }
  in_.story.reached("an agent ends at once");
  begun.ended = begun.began;
  const auto tell = [&](const char* report) { tell_end(in_, place, report); };
  switch (draw_ending(chance, in_.how)) {
    case ending::failed: tell("failed"); return report_failed{"drawn", true};
    case ending::failed_for_good: tell("failed for good"); return report_failed{"drawn", false};
    case ending::rejected: tell("rejected"); return report_rejected{"drawn"};
    case ending::thrown: tell("failed"); throw std::runtime_error("drawn");
    case ending::completed:
    case ending::silent: break;
  }
  begun.completed = begun.began;
  report_completed done;
  done.artifacts.push_back(chunk(in_, place, "result", 1));
  tell("completed");
  return done;
}

} // namespace troupe::sim
