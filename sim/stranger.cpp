#include "sim/stranger.hpp"

#include "actors/service/service.hpp"
#include <troupe/actors/gateway.hpp>

#include <utility>

#include "sim/server.hpp"

namespace troupe::sim {

namespace {

using namespace std::chrono_literals;

principal who() {
  principal out;
  out.id = "stranger";
  return out;
}

/// What shows whose a task is: its first message has its owner's mark.
bool is_foreign(const task& shown) {
  for (const auto& said : shown.history)
    if (said->from == role::user)
      return !said->message_id.starts_with(stranger_mark);
  return shown.origin.plan != nullptr; // The stranger makes no plans.
}

} // namespace

stranger::stranger(world& in, std::function<server*()> server_now)
    : in_(in), server_now_(std::move(server_now)), chance_(in.stream("stranger")) {}

void stranger::begin() {
  in_.after(chance_.between(1ms, 1s), [this] {
    if (in_.is_calm)
      return;
    if (auto* const to = server_now_())
      chance_.chance(0.2) ? send(to->main_gateway()) : ask(to->operations());
    begin();
  });
}

void stranger::end() {
  if (auto* const to = server_now_())
    cancel_all(to->operations(), "");
}

/// Once more a second later, as long as anything goes on: a cancel may be refused for a while.
void stranger::cancel_all(const service& of, std::string page_token) {
  list_tasks own;
  own.who = who();
  own.page_token = std::move(page_token);
  of.list(own, [this, &of](const result<task_page>& page) {
    if (in_.is_dying)
      return;
    bool is_over = page.has_value();
    if (page)
      for (const auto& each : page->tasks) {
        if (troupe::is_terminal(each->status.state))
          continue;
        is_over = false;
        cancel_task one;
        one.who = who();
        one.id = each->id;
        of.cancel(std::move(one), [](const result<task_ptr>&) {});
      }
    if (is_over && page->next_page_token.empty())
      return;
    if (is_over)
      return cancel_all(of, page->next_page_token);
    in_.after(1s, [this] { end(); });
  });
}

void stranger::tell(std::string asked, std::string id, std::string got) {
  if (in_.is_dying)
    return;
  in_.story.add("somebody else asks: " + asked + " " + id
                + (got.empty() ? "" : ", and gets " + got));
  in_.seen.strange_reads.push_back({std::move(asked), std::move(id), std::move(got)});
}

void stranger::list(const service& of) {
  list_tasks every;
  every.who = who();
  every.view.history_length = 10;
  of.list(every, [this](const result<task_page>& page) {
    if (!page && page.error().code == errc::overloaded && !in_.is_dying)
      in_.story.reached("a read is refused because too many wait");
    std::string got;
    if (page)
      for (const auto& each : page->tasks)
        if (is_foreign(*each))
          got = each->id.str();
    tell("list", "", got);
  });
}

void stranger::ask(const service& of) {
  const auto turn = chance_.below(5);
  if (turn == 0) {
    for (auto left = chance_.between(1, 4); left > 0; --left)
      list(of);
    return;
  }
  if (turn == 1 && !in_.known_objectives.empty()) {
    const auto id = chance_.one_of(in_.known_objectives);
    get_objective one;
    one.who = who();
    one.id = objective_id{id};
    return of.get(one, [this, id](const result<objective_ptr>& found) {
      tell("get", id, found ? (*found)->name : "");
    });
  }
  if (in_.known_tasks.empty())
    return;
  const auto id = chance_.one_of(in_.known_tasks);
  in_.story.reached("somebody else asks for a task");
  const auto look = [this, id](const char* asked) {
    return [this, id, asked](const result<task_ptr>& found) {
      tell(asked, id, found ? (*found)->id.str() : "");
    };
  };
  if (turn == 2) {
    cancel_task end;
    end.who = who();
    end.id = task_id{id};
    return of.cancel(std::move(end), look("cancel"));
  }
  get_task one;
  one.who = who();
  one.id = task_id{id};
  of.get(one, look("get"));
}

void stranger::send(gateway& to) {
  send_message one;
  one.who = who();
  one.message.message_id = stranger_mark + std::to_string(++sent_);
  one.message.from = role::user;
  one.message.parts.push_back({text_content{one.message.message_id}, {}, {}, {}});
  to.send(std::move(one), nullptr, [this](const result<sent>& taken) {
    if (taken && !in_.is_dying)
      in_.story.reached("somebody else has a task");
  });
}

} // namespace troupe::sim
