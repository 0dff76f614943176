#include "actors/commands/once_desk.hpp"

#include "store/once_table.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace troupe {

namespace {

error other_content(once_kind kind) {
  switch (kind) {
    case once_kind::message:
      return make_error(
          errc::invalid_params,
          "message.messageId: another message with this id was sent a moment ago; choose a new one",
          "message.messageId");
    case once_kind::request:
      return make_error(errc::duplicate_request,
                        "another command with this requestId came a moment ago", "requestId");
    case once_kind::idempotency_key: break;
  }
  return make_error(errc::idempotency_key_reused,
                    "Idempotency-Key: another message was sent with this key", "Idempotency-Key");
}

} // namespace

const error& came_before() {
  static const auto out = make_error(
      errc::unavailable, "the same request came before, and its result cannot be shown now; "
                         "send the request again to get it");
  return out;
}

struct once_desk::state : std::enable_shared_from_this<state> {
  state(store& of, std::function<timestamp()> clock, memory_budget_ptr budget)
      : records(of), now(std::move(clock)), memory(std::move(budget)) {}

  struct waiter {
    std::vector<once> wanted;
    std::size_t bytes = 0;
    next_fn next;
    memory_charge held = {}; ///< While it waits.
  };
  struct entry {
    std::uint64_t holder = 0;                      ///< Number of the ticket.
    const std::vector<once>* conditions = nullptr; ///< Of the ticket, while it lives.
    std::list<waiter> waiting;
  };

  /// Of a command that is under way.
  struct ticket {
    std::vector<once> wanted;
    std::uint64_t number = 0;
    std::weak_ptr<state> desk;

    ticket() = default;
    ticket(const ticket&) = delete;
    ticket& operator=(const ticket&) = delete;
    ~ticket() {
      if (const auto open = desk.lock())
        open->abandon(std::move(wanted), number);
    }
  };

  void enter(waiter who) {
    std::optional<error> refused;
    auto mine = std::make_shared<ticket>();
    {
      const std::lock_guard lock{guard};
      if (is_closed)
        refused = make_error(errc::unavailable, "the server is shutting down");
      for (const auto& each : who.wanted) {
        const auto known = under_way.find(once_key(each));
        if (refused || known == under_way.end())
          continue;
        refused = line_up(known->second, who);
        if (!refused)
          return;
      }
      if (!refused) {
        mine->wanted = std::move(who.wanted);
        mine->number = ++last_number;
        mine->desk = weak_from_this();
        for (const auto& each : mine->wanted)
          under_way.emplace(once_key(each), entry{mine->number, &mine->wanted, {}});
      }
    }
    if (refused)
      return who.next(*refused, nullptr);
    const once_conditions conditions{mine, &mine->wanted};
    find(conditions, 0,
         [me = shared_from_this(), mine, conditions,
          next = std::move(who.next)](const result<once_ptr>& before) {
           if (before && !*before)
             return next(once_ptr{}, conditions);
           me->leave(mine->wanted, mine->number);
           next(before, nullptr);
         });
  }

  /// Puts `who` behind the commands that wait for the end of that one. Called under the lock. An
  /// error says why not; then `who` is as it was.
  std::optional<error> line_up(entry& behind, waiter& who) const {
    if (behind.waiting.size() >= once_waits_max)
      return make_error(errc::overloaded, std::to_string(once_waits_max)
                                              + " commands wait for one with the same key or id "
                                                "(once_waits_max)");
    if (!who.held)
      who.held = memory_charge::take(*memory, memory_account::live_work, who.bytes);
    if (!who.held)
      return memory->refusal(memory_account::live_work, who.bytes);
    behind.waiting.push_back(std::move(who));
    return std::nullopt;
  }

  /// What came before with one of them, from the one at `index` on.
  void find(const once_conditions& wanted, std::size_t index,
            std::function<void(result<once_ptr>)> done) {
    if (index == wanted->size())
      return done(once_ptr{});
    const auto& each = (*wanted)[index];
    records.read_once(each, now(),
                      [me = shared_from_this(), wanted, index,
                       done = std::move(done)](const result<once_ptr>& before) {
                        const auto& asked = (*wanted)[index];
                        if (before && !*before)
                          return me->find(wanted, index + 1, done);
                        if (before && (*before)->content != asked.content)
                          return done(other_content(asked.kind));
                        done(before);
                      });
  }

  /// That of a ticket.
  void leave(const once_conditions& done) {
    std::uint64_t number = 0;
    {
      const std::lock_guard lock{guard};
      const auto known = under_way.find(once_key(done->front()));
      if (known == under_way.end() || known->second.conditions != done.get())
        return;
      number = known->second.holder;
    }
    leave(*done, number);
  }

  void leave(const std::vector<once>& done, std::uint64_t number) {
    for (const auto& each : done)
      release(once_key(each), number);
  }

  /// Lets the first command that waits go on, if that is needed. The others wait for it.
  void release(const std::string& key, std::uint64_t number) {
    std::list<waiter> waiting;
    {
      const std::lock_guard lock{guard};
      const auto known = under_way.find(key);
      if (known == under_way.end() || known->second.holder != number)
        return;
      waiting = std::move(known->second.waiting);
      under_way.erase(known);
    }
    while (!waiting.empty()) {
      auto first = std::move(waiting.front());
      waiting.pop_front();
      enter(std::move(first));
      const std::lock_guard lock{guard};
      const auto known = under_way.find(key);
      if (known != under_way.end())
        known->second.waiting.splice(known->second.waiting.end(), waiting);
    }
  }

  /// Called if nobody will say how the command ended. A change of it may still be on its way, so
  /// its key stays until all earlier changes are committed.
  void abandon(std::vector<once> wanted, std::uint64_t number) {
    {
      const std::lock_guard lock{guard};
      const auto is_held = [&](const once& each) {
        const auto known = under_way.find(once_key(each));
        return known != under_way.end() && known->second.holder == number;
      };
      if (is_closed || std::ranges::none_of(wanted, is_held))
        return;
    }
    records.commit({}, [me = weak_from_this(), wanted = std::move(wanted), number] {
      if (const auto open = me.lock())
        open->leave(wanted, number);
    });
  }

  void close() {
    std::list<waiter> waiting;
    {
      const std::lock_guard lock{guard};
      is_closed = true;
      for (auto& [key, each] : under_way)
        waiting.splice(waiting.end(), each.waiting);
    }
    for (auto& each : waiting)
      enter(std::move(each)); // It is refused.
  }

  store& records;
  const std::function<timestamp()> now;
  const memory_budget_ptr memory;
  std::mutex guard;
  std::unordered_map<std::string, entry> under_way; ///< By once_key.
  std::uint64_t last_number = 0;
  bool is_closed = false;
};

once_desk::once_desk(store& records, std::function<timestamp()> now, memory_budget_ptr memory)
    : state_(std::make_shared<state>(records, std::move(now), budget_or_own(std::move(memory)))) {}

once_desk::~once_desk() = default;

void once_desk::enter(std::vector<once> wanted, std::size_t bytes, next_fn next) {
  state_->enter({std::move(wanted), bytes, std::move(next)});
}

void once_desk::leave(const once_conditions& done) {
  state_->leave(done);
}

void once_desk::find(const once_conditions& wanted,
                     std::function<void(result<once_ptr>)> done) const {
  state_->find(wanted, 0, std::move(done));
}

void once_desk::close() {
  state_->close();
}

} // namespace troupe
