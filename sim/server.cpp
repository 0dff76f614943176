#include "sim/server.hpp"

#include "agents/a2a/a2a_agent.hpp"
#include "net/http/session.hpp"
#include "net/push/push_sender.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/time.hpp>

#include <rocksdb/db.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "sim/delegating.hpp"
#include "sim/mutant_store.hpp"
#include "sim/noting_store.hpp"
#include "sim/remote.hpp"
#include "sim/teller.hpp"
#include "sim/world_failure.hpp"

namespace troupe::sim {

namespace {

// Of delegations, so short that they are met while a world lasts. An agent that asks is asked every
// 30 s at the latest: that is no silence.
constexpr std::chrono::seconds lost_after{60};
constexpr std::chrono::seconds push_timeout{3};
constexpr std::chrono::seconds push_retry_max{5};
constexpr std::chrono::seconds stream_silence{3};
constexpr std::chrono::seconds cancel_wait{2};

/// Accounts that hold nothing when everything has ended. Others keep something: what was read and
/// what has ended for the next reader, requests that may come again, configurations of
/// notifications, and connections that clients keep. Live tasks and objectives have an actor as
/// long as they hold `live_work`.
constexpr auto empty_at_rest = std::to_array<memory_account>(
    {memory_account::remote_exchanges, memory_account::feeds, memory_account::bodies,
     memory_account::answers, memory_account::archive_reads, memory_account::live_work,
     memory_account::programs, memory_account::large_output, memory_account::small_output,
     memory_account::backlog});

/// Of the client that looks at everything in the end.
constexpr std::size_t witness_connections_max = 1;

/// All that a start goes on with.
std::string recovered_text(const recovered& left) {
  std::string out;
  for (const auto& each : left.objectives) {
    out += each->id.str() + ' ' + std::string(to_string(each->state)) + '\n';
    for (const auto& plan : each->plans) {
      out += "  plan " + std::string(to_string(plan.state));
      for (const auto& slot : plan.tasks)
        out += ' ' + std::string(summary_state(slot)) + '/' + std::to_string(slot.attempt);
      out += '\n';
    }
  }
  for (const auto& each : left.lone_tasks)
    out += each->id.str() + ' ' + wire_name(each->status.state) + ' '
           + std::to_string(each->attempt) + ' ' + std::to_string(each->artifacts.size())
           + " artifacts " + std::to_string(each->history.size()) + " messages\n";
  return out;
}

server_options options_of(world& in) {
  server_options out;
  out.time = &in.clock;
  out.stream_events_max = in.how.stream_events_max;
  out.stream_bytes_max = in.how.stream_bytes_max;
  out.requests_in_flight_max = in.how.requests_max;
  out.connections_max = in.how.connections_max;
  out.streams_max = in.how.streams_max;
  if (in.how.bug == mutant::deaf_to_limits)
    out.requests_in_flight_max = out.connections_max = out.streams_max = 1'000'000;
  out.client_share_percent = 0; // all clients have one address
  out.keep_alive_interval = in.how.keep_alive;
  out.write_timeout = in.how.write_timeout;
  out.disk_wait_max = in.how.disk_wait;
  out.push.address.allow_http = true;
  out.push.address.allow_private = true;
  out.push.timeout = push_timeout;
  out.push.retry_max = push_retry_max;
  out.push.warn = [&in](std::string_view line) { in.story.add(std::string(line)); };
  out.push.debug = out.push.warn;
  return out;
}

executor_options executor_of(world& in, memory_budget_ptr memory) {
  executor_options out;
  out.memory = std::move(memory);
  out.by_hand = &in.clock;
  out.deduplicate_seconds =
      in.how.deduplicates && in.how.bug != mutant::forgotten_messages ? 86'400 : 0;
  out.live_tasks_max = in.how.live_tasks_max;
  out.backlog_changes_max = in.how.backlog_changes_max;
  out.cancel_grace = in.how.cancel_grace;
  out.settled_linger = in.how.settled_linger;
  return out;
}

result<std::unique_ptr<turned_store>> open_store(const world& in, disk& files,
                                                 memory_budget_ptr memory = nullptr) {
  rocksdb_internals how;
  how.journal_files = &files;
  how.journal.segment_bytes_min = in.how.segment_bytes;
  how.time = &in.clock;
  if (in.how.has_real_tables) {
    how.env = &files.table_env();
    how.write_buffer_bytes = std::size_t{64} << 10;
    how.journal_behind_bytes = std::size_t{16} << 10;
    how.journal_forget_bytes = std::size_t{8} << 10;
  } else {
    how.open_tables = [&files] { return files.tables().open(); };
    how.journal_behind_bytes = in.how.journal_behind_bytes;
    how.journal_forget_bytes = std::min(how.journal_forget_bytes, in.how.journal_behind_bytes / 2);
  }
  how.opening_threads = 1;
  how.flushes_at_end = !in.how.has_real_tables;
  how.group_ahead_changes = in.how.group_ahead_changes;
  how.groups.group_bytes = in.how.group_bytes;
  how.groups.turn_bytes = std::min(how.groups.turn_bytes, in.how.group_bytes / 4);
  if (!in.how.keeps_records)
    how.records = {.recent_tasks = 0, .tasks_bytes = 0, .objectives_bytes = 0};
  how.history_page_changes = in.how.history_page_changes;
  how.reads.reads_max = in.how.reads_max;
  how.reads.reads_per_client_max = in.how.reads_per_client_max;
  files.wait_for_calls(true);
  auto out = make_rocksdb_store({.directory = disk::directory(), .memory = std::move(memory)}, how);
  files.wait_for_calls(false);
  return out;
}

} // namespace

std::optional<error> refusal_of_rival(const world& in, disk& files) {
  const auto opened = open_store(in, files);
  return opened ? std::nullopt : std::optional(opened.error());
}

/// Writes down the changes of a store that keeps no history.
class server::recorder final : public watcher {
public:
  explicit recorder(world& in) : in_(in), to_(in.seen) {}
  void on_change(const change_ptr& change) override {
    if (!in_.is_dying)
      to_.tell(*change);
  }

private:
  world& in_;
  teller to_;
};

server::server(world& in, disk* files, const agent_registry& agents)
    : in_(in), files_(files), order_(in.stream("order of parts")), outbound_(in), agents_(agents) {
  // What the server draws differs in each of its lives.
  thread_id_source() =
      id_source{dice(in.how.seed, "ids " + std::to_string(in.now().count())).next()};
  if (files != nullptr) {
    auto durable = open_store(in, *files, memory_);
    if (!durable)
      throw world_failure("starts", "the store refuses to start: " + durable.error().message);
    durable_ = durable->get();
    records_ = std::move(*durable);
  } else {
    records_ = make_memory_store({.memory = memory_});
    recorder_ = std::make_shared<recorder>(in);
    records_->watch_all(recorder_);
  }
  records_ = std::make_unique<noting_store>(
      std::move(records_), in,
      files == nullptr ? std::function<bool()>{} : [files] { return files->is_syncing(); });
  if (in.how.bug != mutant::none)
    records_ = std::make_unique<mutant_store>(
        std::move(records_), in.how.bug, in.stream("mutant " + std::to_string(in.now().count())));
  store& records = *records_;
  auto left = records.recover();
  if (!left)
    throw world_failure("starts", "the store does not recover: " + left.error().message);
  if (in.how.bug == mutant::other_start && in.starts_at_once && !left->objectives.empty())
    left->objectives.pop_back();
  in.seen.recoveries.push_back({recovered_text(*left), in.starts_at_once});
  add_delegation();
  gateway_.emplace(records, agents_, executor_of(in, memory_));
  gateway_->start();
  if (const auto delegated = agents_.find("a2a"))
    static_cast<const delegating&>(*delegated).deliver_cancels();
  gateway_->resume(*left);
  net::push_seams network;
  network.time = &in.clock;
  network.connect = [this](const http_url& to) { return outbound_.connect(to); };
  network.resolve = [this](const std::string& host) -> result<net::addresses> {
    const auto found = outbound_.look_up(host);
    if (!found)
      return found.error();
    return net::addresses{net::asio::ip::make_address(found->front())};
  };
  state_ = std::make_shared<net::server_state>(*gateway_, options_of(in), std::move(network));
  auto cards = net::make_card_documents(state_->options, "http://localhost/", agents_);
  if (!cards || !state_->push->open())
    throw world_failure("starts", "the server does not start");
  state_->cards.set(std::move(*cards));
  home_.emplace(net::sweep_interval_max, net::json_depth_max, in.clock);
  home_->attach(*gateway_);
  in.story.add("the server starts with " + std::to_string(left->objectives.size())
               + " objectives and " + std::to_string(left->lone_tasks.size()) + " lone tasks");
  if (!left->repaired.empty())
    in.story.reached("a start repairs the end of the journal");
  if (durable_ != nullptr && durable_->unfinished() > 0)
    in.story.reached("the process dies between two parts of a change");
  if (!left->lone_tasks.empty())
    in.story.reached("a start goes on with lone tasks");
  if (!left->objectives.empty())
    in.story.reached("a start goes on with objectives");
  if (left->lone_tasks.empty() && left->objectives.empty())
    in.story.reached("a start has nothing to go on with");
}

void server::add_delegation() {
  if (in_.how.delegated == 0)
    return;
  asking_ = std::make_shared<a2a::call_loop>(
      in_.clock,
      a2a::call_seams{[this](const http_url& to) { return outbound_.connect(to); },
                      [this](const std::string& host) { return outbound_.look_up(host); }});
  delegation_options how;
  for (std::size_t i = 0; i < remotes_max; ++i) {
    delegation_target target;
    target.alias = remote_name(i);
    a2a::target at;
    at.url = remote_url(i);
    target.to = std::move(at);
    how.targets.push_back(std::move(target));
  }
  how.server_id = [] { return std::string("server"); };
  how.cancels_file = [path = in_.cancels_file] { return path; };
  how.memory = memory_;
  how.terms.lost_after = lost_after;
  how.terms.silence = stream_silence;
  how.terms.cancel_wait = cancel_wait;
  agents_.add("a2a", std::make_shared<delegating>(
                         in_, std::make_shared<a2a_agent>(std::move(how), asking_, in_.clock)));
}

server::~server() {
  const bool dies = !is_closed_;
  in_.is_dying = dies;
  outbound_.end();
  const auto attempts = in_.seen.attempts.size();
  if (dies && files_ != nullptr)
    files_->die();
  for (const auto& each : connections_)
    if (const auto client = each.lock())
      client->cut();
  end_sessions();
  home_.reset();
  state_.reset();
  gateway_.reset();
  agents_ = {};
  asking_.reset();
  if (recorder_)
    records_->unwatch_all(recorder_);
  records_.reset();
  if (!dies && files_ != nullptr)
    files_->wait_for_calls(false);
  if (dies) // What has begun since then never happened.
    in_.seen.attempts.resize(attempts);
  in_.is_dying = false;
}

void server::end_sessions() {
  constexpr int steps_max = 1'000'000;
  for (int steps = 0; steps < steps_max && state_->connections > 0; ++steps) {
    home_->abort_sessions();
    while (home_->step()) {
    }
    in_.clock.settle();
  }
}

void server::drain() {
  gateway_->drain();
  state_->draining = true;
  home_->drain_sessions();
}

bool server::is_draining() const {
  return state_->draining;
}

bool server::has_connections() const {
  return state_->connections > 0;
}

void server::close() {
  end_sessions();
  if (files_ != nullptr)
    files_->wait_for_calls(true);
  records_->flush();
  is_closed_ = files_ == nullptr || !files_->is_dead();
}

std::string server::over_limit() const {
  const auto& options = in_.how;
  const auto look = [](const char* name, std::size_t count, std::size_t max) {
    return count <= max
               ? std::string{}
               : std::to_string(count) + " " + name + ", and the limit is " + std::to_string(max);
  };
  if (auto over = look("requests in flight", state_->in_flight, options.requests_max);
      !over.empty())
    return over;
  if (auto over = look("connections", state_->connections, options.connections_max); !over.empty())
    return over;
  if (auto over = look("streams", state_->streams, options.streams_max); !over.empty())
    return over;
  return look("reads that wait", records_->status().reads.waiting, options.reads_max);
}

bool server::is_disk_behind() const {
  return records_->status().backlog_changes > 0;
}

bool server::step() {
  using part = bool (*)(server&);
  static constexpr auto parts = std::to_array<part>({
      [](server& me) { return me.in_.clock.step(); },
      [](server& me) { return me.home_->step(); },
      [](server& me) { return me.durable_ != nullptr && me.durable_->turn(); },
      [](server& me) { return me.state_->answers.turn(); },
      [](server& me) { return me.turn_calls(); },
  });
  const auto count = calls_others() ? parts.size() : parts.size() - 1;
  const auto first = order_.below(count);
  for (std::size_t i = 0; i < count; ++i)
    if (parts[(first + i) % count](*this))
      return true;
  return false;
}

bool server::calls_others() const noexcept {
  return asking_ != nullptr || in_.how.notified > 0;
}

bool server::turn_calls() {
  bool did = asking_ != nullptr && asking_->turn();
  did = (in_.how.notified > 0 && state_->push->turn()) || did;
  return outbound_.turn(did) || did;
}

std::optional<nanoseconds> server::next_due() const {
  auto out = in_.clock.next_due();
  if (out)
    *out = in_.now() + std::max(*out, nanoseconds{0});
  const auto take = [&](const std::optional<time_source::steady_point>& due) {
    if (due)
      out = std::min(out.value_or(nanoseconds::max()), nanoseconds{due->time_since_epoch()});
  };
  take(home_->clock()->next_due());
  if (asking_ != nullptr)
    take(asking_->next_due());
  if (in_.how.notified > 0)
    take(state_->push->next_due());
  return out;
}

void server::turn_housekeeper() {
  in_.clock.turn_housekeeper();
  state_->push->turn();
  if (calls_others()) // It may have written, or closed what was idle.
    outbound_.turn(true);
}

void server::accept(const std::shared_ptr<connection>& client) {
  connections_.emplace_back(client);
  std::erase_if(connections_, [](const auto& each) { return each.expired(); });
  net::connection_facts facts;
  facts.peer = "192.0.2.1";
  net::welcome(state_, *home_, client->accept(home_->context()), std::move(facts));
}

void server::tell_push_configs() {
  for (const auto& row : records_->pushes().all())
    if (const auto asked = in_.seen.push_configs.find(row.config.token);
        asked != in_.seen.push_configs.end()) {
      asked->second.has_stopped = !row.progress.stopped.empty();
      asked->second.is_under_way = row.progress.stopped.empty();
    }
}

void server::tell_journal(const std::vector<std::string>& lone_tasks,
                          const std::vector<std::string>& objectives) {
  if (durable_ == nullptr)
    return; // The recorder has seen everything.
  in_.seen.journal.clear();
  teller to(in_.seen);
  const auto read_all = [&](const auto& id) {
    history_range range;
    for (bool is_more = true; is_more;) {
      is_more = false;
      durable_->read_changes(id, range, [&](result<history_page> page) {
        if (!page)
          throw std::runtime_error("the history of " + id.str()
                                   + " cannot be read: " + page.error().message);
        for (const auto& each : page->changes)
          to.tell(*each);
        range.after = page->next_after;
        is_more = page->more;
      });
      while (durable_->turn()) {
      }
    }
  };
  for (const auto& id : lone_tasks)
    read_all(task_id{id});
  for (const auto& id : objectives)
    read_all(objective_id{id});
}

std::string server::left_over() {
  // Settled objectives stay in memory for a while by the time of day, which may have been set back.
  gateway_->records().evict(timestamp::max());
  std::string out;
  const auto add = [&](const char* name, std::size_t count) {
    if (count != 0)
      out += std::string(out.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  };
  add("requests in flight", state_->in_flight);
  add("streams", state_->streams);
  for (const auto account : empty_at_rest)
    add(("bytes of " + std::string(memory_shares[static_cast<std::size_t>(account)].name)).c_str(),
        memory_->held(account));
  add("connections to others", outbound_.count());
  const auto status = gateway_->records().status();
  add("changes that wait for the disk", status.backlog_changes);
  add("reads", status.reads.waiting);
  add("live tasks", status.live_tasks);
  if (state_->connections > witness_connections_max)
    add("connections", state_->connections);
  return out;
}

} // namespace troupe::sim
