// The steps that commands of the gateway share. Each calls `next` or answers with an error.
#pragma once

#include "actors/commands/fingerprint.hpp"
#include "actors/commands/once_answer.hpp"
#include "actors/gateway/gateway_impl.hpp"
#include "actors/plan/live_bytes.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/json/quoted.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

// The fallback of a command whose objective actor ended before it looked at it; never seen outside.
inline const error dropped{};
inline constexpr int command_tries_max = 8;
/// What a command that waits holds beside its texts, in bytes.
inline constexpr std::size_t waiting_command_bytes = 1024;

[[nodiscard]] error is_elsewhere(const std::string& id, const std::string& address);
[[nodiscard]] error moves_for_long(const std::string& id);
[[nodiscard]] error objective_is_ending(const objective_id& id);
/// Whether a part of the message names an artifact of a task it refers to.
[[nodiscard]] bool has_pins(const message& in);

// Commands about different kinds of objects may have the same `request_id`.
constexpr std::string_view kind_of(const cancel_task&) noexcept {
  return "task ";
}
constexpr std::string_view kind_of(const create_objective&) noexcept {
  return "objective ";
}
constexpr std::string_view kind_of(const update_objective&) noexcept {
  return "objective ";
}
constexpr std::string_view kind_of(const modify_objective&) noexcept {
  return "objective ";
}
constexpr std::string_view kind_of(const replan_objective&) noexcept {
  return "objective ";
}
template<class PlanCommand>
constexpr std::string_view kind_of(const PlanCommand&) noexcept {
  return "plan ";
}

// What a command holds in texts, trees and plans, about.
inline std::size_t text_bytes_of(const send_message& of) noexcept {
  return bytes_of(of.message) + bytes_of(of.metadata);
}
inline std::size_t text_bytes_of(const cancel_task& of) noexcept {
  return bytes_of(of.metadata);
}
inline std::size_t text_bytes_of(const create_objective& of) noexcept {
  return live_bytes_of(of.spec) + (of.request ? bytes_of(*of.request) : 0);
}
inline std::size_t text_bytes_of(const update_objective& of) noexcept {
  return live_bytes_of(of.edited);
}
inline std::size_t text_bytes_of(const create_plan& of) noexcept {
  return live_bytes_of(of.spec);
}
inline std::size_t text_bytes_of(const update_plan& of) noexcept {
  return live_bytes_of(of.edited) + live_bytes_of(of.operations);
}
inline std::size_t text_bytes_of(const change_plan& of) noexcept {
  return live_bytes_of(of.operations);
}
inline std::size_t text_bytes_of(const modify_objective& of) noexcept {
  return bytes_of(of.operations);
}
inline std::size_t text_bytes_of(const replan_objective& of) noexcept {
  return of.text.size() + bytes_of(of.params);
}

// -- what may come once ---------------------------------------------------------------------------

template<class Command>
std::vector<once> gateway::impl::conditions_of(const Command& command) const {
  if (command.request_id.empty())
    return {};
  once only;
  only.kind = once_kind::request;
  only.owner = owner_of(command.who);
  only.key = std::string{kind_of(command)} + command.request_id;
  only.content = fingerprint_of(command);
  only.until = now() + request_id_window;
  return {std::move(only)};
}

template<class T, class Command, class Next>
void gateway::impl::once_only(Command& command, reply<T>& done, Next next) {
  if (command.conditions) { // The desk knows the message that this command was made of.
    auto held = holding(command.conditions, command.who, std::move(done));
    return next(command, held);
  }
  if (auto ok = keeps_up(); !ok)
    return done(ok.error());
  auto wanted = conditions_of(command);
  if (wanted.empty())
    return next(command, done);
  const auto shared = std::make_shared<Command>(std::move(command));
  const auto bytes = waiting_command_bytes + text_bytes_of(*shared);
  desk.enter(std::move(wanted), bytes,
             [this, shared, done = std::move(done),
              next = std::move(next)](const result<once_ptr>& before, const once_conditions& mine) {
               if (!before)
                 return done(before.error());
               if (*before)
                 return answer_again(**before, shared->who, done);
               auto first = std::move(*shared);
               first.conditions = mine;
               auto held = holding(mine, first.who, done);
               next(first, held);
             });
}

template<class T>
reply<T> gateway::impl::holding(const once_conditions& conditions, const principal& who,
                                reply<T> to) {
  return [this, conditions, who, to = std::move(to)](result<T> outcome) {
    if (outcome)
      desk.leave(conditions);
    if (outcome || outcome.error() != came_before())
      return to(std::move(outcome));
    desk.find(conditions, [this, conditions, who, to](const result<once_ptr>& before) {
      desk.leave(conditions);
      if (before && *before)
        return answer_again(**before, who, to);
      to(before ? came_before() : before.error());
    });
  };
}

// -- finding --------------------------------------------------------------------------------------

template<class T, class Next>
void gateway::impl::find_references(const principal& who, const message& in, task_ptr own,
                                    reply<T> done, Next next) const {
  // Those of one message, gathered one after the other: most have none, and few have more than one.
  struct gathering : std::enable_shared_from_this<gathering> {
    gathering(const impl& of, principal by, const message& in, reply<T> to, Next then)
        : self(of), who(std::move(by)), ids(in.reference_task_ids), with_records(has_pins(in)),
          done(std::move(to)), next(std::move(then)) {}

    void go_on() {
      while (at < ids.size() && found.contains(ids[at]))
        ++at;
      if (at == ids.size())
        return next(
            [known = found](const task_id& id) {
              const auto it = known.find(id.str());
              return it == known.end() ? nullptr : it->second;
            },
            std::move(done));
      const task_id id{ids[at]};
      self.records.read_placement(
          id,
          [me = this->shared_from_this(), id](const result<placement>& where) {
            me->placed(id, where);
          },
          client_of(who));
    }

    void placed(const task_id& id, const result<placement>& where) {
      if (!where && !is_not_found(where.error().code))
        return done(where.error());
      if (!where || !owns(who, where->owner))
        return put(id, nullptr);
      if (!with_records) {
        static const auto nameless = std::make_shared<const task>();
        return put(id, nameless);
      }
      self.records.read_task(
          id,
          [me = this->shared_from_this(), id](const result<task_ptr>& record) {
            if (!record && !is_not_found(record.error().code))
              return me->done(record.error());
            me->put(id, record ? *record : nullptr);
          },
          client_of(who));
    }

    void put(const task_id& id, task_ptr record) {
      found.emplace(id.str(), std::move(record));
      go_on();
    }

    const impl& self;
    const principal who;
    const std::vector<std::string> ids;
    const bool with_records; ///< Some part names an artifact: that they exist is not enough.
    reply<T> done;
    Next next;
    std::size_t at = 0;
    std::map<std::string, task_ptr> found;
  };
  if (in.reference_task_ids.empty() || in.reference_task_ids.size() > referenced_tasks_max) {
    return next(
        [own = std::move(own)](const task_id& id) { return own && own->id == id ? own : nullptr; },
        std::move(done));
  }
  auto all = std::make_shared<gathering>(*this, who, in, std::move(done), std::move(next));
  if (own)
    all->found.emplace(own->id.str(), std::move(own));
  all->go_on();
}

template<class T>
reply<T> gateway::impl::refusing_after_commits(reply<T> to) {
  return [this, to = std::move(to)](result<T> outcome) {
    if (outcome)
      return to(std::move(outcome));
    const reply_port<T> refused{
        to, make_error(errc::unavailable,
                       "the server is stopping, and the change could not be written")};
    // An empty change: its continuation runs after all earlier changes.
    records.commit({}, [refused, why = outcome.error()] { refused(why); });
  };
}

template<class Handle, class T, class Message>
void gateway::impl::tell_live(directory<Handle>& of, const std::string& id, reply_port<T> answer,
                              Message message) {
  const auto deliver = [id, answer](const whereabouts<Handle>& found, Message& order) {
    if (const auto* local = std::get_if<here<Handle>>(&found)) {
      if (local->actor)
        tell(local->actor, std::move(order)); // else it is dropped, and its reply_port says so
    } else if (const auto* other = std::get_if<there>(&found)) {
      answer(is_elsewhere(id, other->address));
    } else {
      answer(moves_for_long(id));
    }
  };
  const auto found = of.locate(id);
  if (!std::holds_alternative<being_moved>(found))
    return deliver(found, message);
  of.wait(id, env->now() + move_wait_max,
          [deliver, message = std::move(message)](const whereabouts<Handle>& now) mutable {
            deliver(now, message);
          });
}

template<class T, class Make>
void gateway::impl::command(const objective_id& id, Make make, reply<T> done, int tries) {
  const auto refusing = refusing_after_commits<T>(done);
  objective_actor_for(
      id,
      [this, id, make, done = std::move(done), refusing,
       tries](result<objective_handle> actor) mutable {
        if (!actor)
          return done(actor.error());
        tell(*actor, make(reply_port<T>{[this, id, make, done, refusing, tries](result<T> outcome) {
                                          if (outcome || outcome.error() != dropped)
                                            refusing(std::move(outcome));
                                          else if (tries > 1 && !env->stopping)
                                            command<T>(id, make, done, tries - 1);
                                          else
                                            done(objective_is_ending(id));
                                        },
                                        dropped}));
      },
      command_tries_max);
}

template<class T, class Next>
void gateway::impl::claim(std::vector<std::string> ids, std::size_t bytes, const principal& who,
                          reply<T> done, Next next) {
  if (ids.empty())
    return next(std::move(done));
  bytes += waiting_command_bytes;
  const auto held = std::make_shared<memory_charge>(
      memory_charge::take(env->memory, memory_account::live_work, bytes));
  if (!*held)
    return done(env->memory.refusal(memory_account::live_work, bytes));
  records.claim_ids(
      ids,
      [this, ids, held, done = std::move(done),
       next = std::move(next)](const result<void>& ok) mutable {
        *held = {};
        if (!ok)
          return done(ok.error());
        if (env->stopping) { // The ids were released by a request that ended because of that.
          records.release_ids(ids);
          return done(make_error(errc::unavailable, "the server is shutting down", ""));
        }
        next([this, ids = std::move(ids), done = std::move(done)](result<T> outcome) {
          records.release_ids(ids);
          done(std::move(outcome));
        });
      },
      client_of(who));
}

} // namespace troupe
