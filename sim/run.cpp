#include "sim/run.hpp"

#include "protocol/text/text.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "sim/agent.hpp"
#include "sim/checkers/checkers.hpp"
#include "sim/client.hpp"
#include "sim/disk.hpp"
#include "sim/receiver.hpp"
#include "sim/remote.hpp"
#include "sim/server.hpp"
#include "sim/situations.hpp"
#include "sim/stranger.hpp"
#include "sim/subscriber.hpp"
#include "sim/witness.hpp"
#include "sim/world.hpp"
#include "sim/world_failure.hpp"

namespace troupe::sim {

namespace {

using namespace std::chrono_literals;

constexpr nanoseconds house_keeping = 100ms;
/// What goes on when faults end has so long to end.
constexpr nanoseconds calm_takes = 60s;
/// A delegation asks how its remote task stands at least every 30 s (pause_before_try).
constexpr nanoseconds heard_within = 40s;
constexpr nanoseconds life_max = 10min;
constexpr nanoseconds drain_max = 10s;
constexpr nanoseconds drain_look_interval = 10ms;
constexpr std::uint64_t steps_without_time_max = 10'000'000;
constexpr std::size_t story_lines = 40;
constexpr std::uint64_t steps_until_crash_max = 100;
constexpr std::uint64_t calls_of_recovery_max = 40;
constexpr std::uint64_t calls_of_close_max = 10;
constexpr std::uint64_t bytes_of_full_disk_max = std::uint64_t{64} << 10;

/// A world with all its inhabitants.
class simulation {
public:
  simulation(const settings& how, line_fn on_line)
      : in_(how), fate_(in_.stream("fate")), ends_(in_.stream("polite ends")),
        rivals_(in_.stream("rivals")), room_(in_.stream("room of the disk")), last_(in_),
        stranger_(in_, [this] { return server_.get(); }) {
    in_.story.hide(disk::directory());
    if (on_line)
      in_.story.on_line = [this, on_line = std::move(on_line)](const std::string& line) {
        on_line(steps_, line);
      };
    agents_.add("drawn", std::make_shared<agent>(in_));
    agents_.default_agent = "drawn";
    in_.dial = [this](const std::shared_ptr<connection>& from) {
      if (!server_ || server_->is_draining())
        return false; // Nobody listens.
      server_->accept(from);
      return true;
    };
    if (how.delegated > 0)
      add_remotes();
    if (how.notified > 0)
      add_receivers();
    in_.dial_out = [this](const std::string& host, const std::shared_ptr<connection>& from) {
      return dial_out(host, from);
    };
    in_.is_disk_behind = [this] { return server_ && server_->is_disk_behind(); };
    in_.start_again = [this](bool with_damage) { return start_again(with_damage); };
    if (how.is_durable)
      disk_ = std::make_unique<disk>(in_);
    start();
    for (std::size_t i = 0; i < how.clients; ++i) {
      const auto name = "c" + std::to_string(i);
      const auto first = how.only.lower_bound(name + ".");
      if (!how.only.empty() && (first == how.only.end() || !first->starts_with(name + ".")))
        continue;
      clients_.push_back(std::make_unique<client>(in_, name));
      in_.after(in_.stream("begin of " + name).between(0ns, how.think_max),
                [fresh = clients_.back().get()] { fresh->begin(); });
    }
    for (std::size_t i = 0; i < how.subscribers; ++i) {
      subscribers_.push_back(std::make_unique<subscriber>(in_, "s" + std::to_string(i)));
      subscribers_.back()->begin();
    }
    if (how.has_stranger)
      stranger_.begin();
    turn_housekeeper();
    if (how.is_durable && how.crashes_per_second > 0)
      in_.after(next_of(how.crashes_per_second, fate_), [this] { crash(); });
    if (how.is_durable && how.full_disks_per_second > 0)
      in_.after(next_of(how.full_disks_per_second, room_), [this] { fill_disk(); });
    if (how.is_durable && how.drains_per_second > 0)
      in_.after(next_of(how.drains_per_second, ends_), [this] { drain(); });
    if (how.is_durable && how.rivals_per_second > 0)
      in_.after(next_of(how.rivals_per_second, rivals_), [this] { start_rival(); });
    if (how.clock_jumps_per_second > 0)
      in_.after(next_of(how.clock_jumps_per_second, fate_), [this] { jump(); });
    in_.after(how.span, [this] { calm_down(); });
  }

  ~simulation() {
    in_.to_come.clear();
    server_.reset();
  }

  void live() {
    std::uint64_t still = 0;
    for (auto before = in_.now(); !is_over_; ++steps_) {
      if (in_.now() != before) {
        before = in_.now();
        still = 0;
      }
      if (steps_until_crash_ && (*steps_until_crash_)-- == 0) {
        if (still > 0)
          in_.story.reached("the process dies while it works");
        steps_until_crash_.reset();
        crash_once();
      }
      if (++still > steps_without_time_max)
        throw world_failure("ends", "time stands still");
      if (steps_ > 0 && steps_ == in_.how.crash_at_step)
        crash_once();
      if (in_.to_come.turn(in_.now()) || (server_ && server_->step())) {
        look_at_limits();
        continue;
      }
      pass();
      if (in_.now() > life_max)
        throw world_failure("ends", "the world does not end");
    }
  }

  [[nodiscard]] world& in() noexcept { return in_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

private:
  void add_remotes() {
    in_.cancels_file = own_files_.emplace() / "cancels.jsonl";
    for (std::size_t i = 0; i < remotes_max; ++i)
      remotes_.push_back(std::make_unique<remote>(in_, i));
  }

  void add_receivers() {
    for (std::size_t i = 0; i < receivers_max; ++i)
      receivers_.push_back(std::make_unique<receiver>(in_, i));
  }

  bool dial_out(const std::string& host, const std::shared_ptr<connection>& from) {
    const auto url = "http://" + host + "/";
    const auto accept = [&](auto& all, auto url_of) {
      for (std::size_t i = 0; i < all.size(); ++i)
        if (url_of(i) == url) {
          all[i]->accept(from);
          return true;
        }
      return false;
    };
    return accept(remotes_, &remote_url) || accept(receivers_, &receiver_url);
  }

  /// Lets time pass until something happens.
  void pass() {
    // The threads of RocksDB have no part in the time of the world.
    if (in_.how.has_real_tables && server_ && server_->is_disk_behind())
      std::this_thread::sleep_for(1ms);
    auto until = in_.to_come.next_due().value();
    if (server_)
      until = std::min(until, server_->next_due().value_or(until));
    in_.clock.pass(std::max(until - in_.now(), 0ns));
  }

  /// The time until something that happens so often on average.
  static nanoseconds next_of(double per_second, dice& chance) {
    const auto drawn = static_cast<double>(chance.below(1'000'000) + 1) / 1'000'000;
    return nanoseconds{static_cast<std::int64_t>(-std::log(drawn) / per_second * 1e9)};
  }

  void start() {
    if (died_at_)
      in_.seen.downtimes.push_back({*std::exchange(died_at_, std::nullopt), time_of_day()});
    ++lives_;
    server_ = std::make_unique<server>(in_, disk_.get(), agents_);
    in_.starts_at_once = false;
  }

  void look_at_limits() {
    if (server_ && in_.seen.over_limit.empty())
      in_.seen.over_limit = server_->over_limit();
  }

  /// For the witness: everything is at rest. False: the server refuses to start.
  bool start_again(bool with_damage) {
    note_left_over();
    in_.seen.crashes.push_back(in_.next_moment());
    server_.reset();
    disk_->after_death(false);
    const bool is_damaged = with_damage && disk_->damage(fate_);
    try {
      start();
      return true;
    } catch (const std::runtime_error& why) {
      if (!is_damaged)
        throw;
      in_.story.add(why.what());
    }
    disk_->die();
    disk_->after_death(false);
    disk_->mend();
    start();
    return false;
  }

  void note_left_over() {
    while (server_->step()) { // Its last answer may be held until that is known to be written.
    }
    if (in_.seen.left_over.empty())
      in_.seen.left_over = server_->left_over();
  }

  void turn_housekeeper() {
    if (server_)
      server_->turn_housekeeper();
    in_.after(house_keeping, [this] { turn_housekeeper(); });
  }

  void crash() {
    if (in_.is_calm)
      return;
    in_.after(next_of(in_.how.crashes_per_second, fate_), [this] { crash(); });
    // What is to happen comes when the server has nothing to do. It dies in the middle of work,
    // too.
    steps_until_crash_ = fate_.below(steps_until_crash_max);
  }

  void crash_once() {
    if (in_.is_calm || !server_ || !disk_)
      return; // It has ended already, and starts soon; or it has nothing to come back with.
    if (server_->is_draining())
      in_.story.reached("the process dies in a drain");
    die();
    in_.after(fate_.between(1ms, 200ms), [this] { come_back(); });
  }

  /// After a crash. It may happen again at once.
  void come_back() {
    if (in_.is_calm)
      return start();
    const bool is_damaged = fate_.chance(in_.how.flipped_bits) && disk_->damage_safe_group(fate_);
    if (fate_.chance(in_.how.crashes_in_recovery))
      disk_->die_in_recovery(fate_.below(calls_of_recovery_max));
    if (in_.how.start_errors > 0)
      disk_->fail_at_start();
    try {
      start();
      disk_->is_recovered();
      if (disk_->is_dead()) // It did not need what it could not do.
        throw std::runtime_error("the process has died");
    } catch (const std::runtime_error& why) {
      if (!disk_->is_dead() && !is_damaged && !disk_->has_failed_at_start())
        throw;
      server_.reset();
      in_.story.add(why.what());
      if (!disk_->is_dead()) {
        in_.story.reached(disk_->has_failed_at_start()
                              ? "a start is refused because the disk fails"
                              : "a damaged journal is refused while users work");
        disk_->die();
      }
      disk_->after_death(fate_.chance(in_.how.power_failures));
      died_at_ = time_of_day();
      if (is_damaged)
        disk_->mend();
      return in_.after(fate_.between(1ms, 200ms), [this] { come_back(); });
    }
    if (!fate_.chance(in_.how.crashes_at_start))
      return;
    in_.story.reached("the process dies right after its start");
    die();
    in_.starts_at_once = true;
    start();
  }

  void die() {
    const bool is_power_lost = fate_.chance(in_.how.power_failures);
    in_.story.reached(is_power_lost ? "the power fails" : "the process dies");
    end_process(is_power_lost);
  }

  void end_process(bool is_power_lost) {
    disk_->empty(); // No start is refused for want of room.
    server_.reset();
    in_.seen.crashes.push_back(in_.next_moment()); // A drained one has worked until then.
    disk_->after_death(is_power_lost);
    died_at_ = time_of_day();
  }

  void fill_disk() {
    if (in_.is_calm)
      return;
    if (server_)
      disk_->fill(room_.below(bytes_of_full_disk_max));
    in_.after(room_.between(100ms, 5s), [this] {
      disk_->empty();
      in_.after(next_of(in_.how.full_disks_per_second, room_), [this] { fill_disk(); });
    });
  }

  void start_rival() {
    if (in_.is_calm)
      return;
    in_.after(next_of(in_.how.rivals_per_second, rivals_), [this] { start_rival(); });
    if (!server_)
      return;
    const auto refused = refusal_of_rival(in_, *disk_);
    if (!refused || refused->code != errc::store_locked)
      throw world_failure("starts", "two servers have one directory");
    in_.story.reached("another server is refused the directory");
  }

  void drain() {
    if (in_.is_calm)
      return;
    in_.after(next_of(in_.how.drains_per_second, ends_), [this] { drain(); });
    if (!server_ || server_->is_draining())
      return;
    in_.story.reached("a server drains");
    server_->drain();
    look_at_drain(lives_, in_.now() + ends_.between(0ns, drain_max));
  }

  /// Ends the process once nobody is connected, and at `until`.
  void look_at_drain(std::size_t life, nanoseconds until) {
    if (!server_ || life != lives_)
      return; // It has died.
    if (server_->has_connections() && in_.now() < until)
      return in_.after(drain_look_interval, [this, life, until] { look_at_drain(life, until); });
    in_.story.reached(server_->has_connections() ? "a drain cuts connections"
                                                 : "a drain waits until nobody is connected");
    if (ends_.chance(in_.how.crashes_in_close))
      disk_->die_in_close(ends_.below(calls_of_close_max));
    server_->close();
    end_process(ends_.chance(in_.how.power_failures));
    in_.after(ends_.between(1ms, 200ms), [this] { start(); });
  }

  [[nodiscard]] std::int64_t time_of_day() const {
    return in_.clock.now().time_since_epoch().count();
  }

  void jump() {
    if (in_.is_calm)
      return;
    const auto by = std::chrono::floor<std::chrono::milliseconds>(fate_.between(0ns, 2h)) - 1h;
    in_.story.reached(by.count() < 0 ? "the time of day is set back"
                                     : "the time of day is set forward");
    in_.clock.set(in_.clock.now() + by);
    in_.seen.has_clock_jumps = true;
    in_.after(next_of(in_.how.clock_jumps_per_second, fate_), [this] { jump(); });
  }

  void calm_down() {
    in_.story.add("faults end");
    in_.is_calm = true;
    in_.after(calm_takes - heard_within, [this] { in_.seen.heard_until = in_.next_moment(); });
    in_.after(calm_takes, [this] {
      for (const auto& each : clients_)
        each->stop();
      for (const auto& each : subscribers_)
        each->stop();
      if (in_.how.has_stranger)
        stranger_.end();
      last_.begin([this] { end(); });
    });
  }

  void end() {
    std::vector<std::string> lone;
    for (const auto& [id, shown] : *in_.seen.rest)
      if (id.starts_with("task-"))
        lone.push_back(id);
    std::vector<std::string> objectives;
    for (const auto& each : in_.seen.objectives)
      if (std::ranges::any_of(*in_.seen.rest, [&](const auto& task) {
            return task.first.starts_with(each.id + ".");
          }))
        objectives.push_back(each.id);
    note_left_over();
    server_->tell_journal(lone, objectives);
    server_->tell_push_configs();
    in_.seen.deduplicates = in_.how.deduplicates;
    is_over_ = true;
  }

  world in_;
  dice fate_; ///< Crashes and clocks.
  dice ends_; ///< Drains.
  dice rivals_;
  dice room_; ///< Of the disk.
  agent_registry agents_;
  std::unique_ptr<disk> disk_;
  std::optional<testing::temporary_directory> own_files_; ///< If anything is delegated.
  std::vector<std::unique_ptr<remote>> remotes_;
  std::vector<std::unique_ptr<receiver>> receivers_;
  std::unique_ptr<server> server_;
  std::size_t lives_ = 0; ///< Servers that were started.
  std::vector<std::unique_ptr<client>> clients_;
  std::vector<std::unique_ptr<subscriber>> subscribers_;
  witness last_;
  stranger stranger_;
  std::optional<std::int64_t> died_at_; ///< Time of day; none: a process lives.
  bool is_over_ = false;
  std::uint64_t steps_ = 0;
  std::optional<std::uint64_t> steps_until_crash_;
};

/// The first name of a task, plan, objective or message in a sentence: "task-..." or "c0.o1.p0.t2".
/// Empty: there is none.
std::string name_in(const std::string& sentence) {
  constexpr std::string_view between = " ,;:\"'()";
  for (std::size_t begin = 0; begin < sentence.size();) {
    const auto end = std::min(sentence.find_first_of(between, begin), sentence.size());
    const auto word = sentence.substr(begin, end - begin);
    const bool is_of_client = word.size() > 3 && word.front() == 'c' && is_digit(word[1])
                              && word.find('.') != std::string::npos;
    if (word.starts_with("task-") || is_of_client)
      return word;
    begin = end + 1;
  }
  return {};
}

} // namespace

outcome run(const settings& how, line_fn on_line) {
  outcome out;
  const auto one = std::make_unique<simulation>(how, std::move(on_line));
  auto& in = one->in();
  auto lived = std::numeric_limits<std::uint64_t>::max(); // Lines before those about all of it.
  try {
    one->live();
    lived = in.story.lines();
    note_situations(in.seen, in.story);
    for (const auto& each : checkers)
      if (auto wrong = each.check(in.seen)) {
        out.found.emplace(each.name, *wrong);
        if (!out.failed)
          out.failed = failure{std::string(each.name), std::move(*wrong), {}};
      }
  } catch (const world_failure& wrong) {
    out.failed = failure{wrong.checker(), wrong.what(), {}};
  } catch (const std::exception& wrong) {
    out.failed = failure{"run", wrong.what(), {}};
  }
  if (out.failed) {
    out.found.emplace(out.failed->checker, out.failed->sentence);
    out.failed->story = in.story.last(story_lines, name_in(out.failed->sentence), lived);
  }
  out.hash = in.story.hash();
  out.steps = one->steps();
  out.crashes = in.seen.crashes.size();
  out.calls = static_cast<std::uint64_t>(
      std::ranges::count_if(in.seen.calls, [](const call& each) { return each.ended != 0; }));
  out.virtual_time = in.now();
  out.situations = in.story.situations();
  out.operations = std::move(in.seen.operations);
  return out;
}

} // namespace troupe::sim
