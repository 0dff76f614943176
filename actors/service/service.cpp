#include "actors/service/service.hpp"

#include "actors/commands/placing.hpp"
#include "actors/feed/store_source.hpp"
#include "actors/objective/objective_actor.hpp"
#include "actors/service/plan_history.hpp"
#include "protocol/fold/plan_outlook.hpp"
#include "protocol/fold/rollup.hpp"
#include "protocol/json/quoted.hpp"
#include "store/journal/checksum.hpp"
#include "store/page.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/store/limits.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

namespace {

/// Where a plan is in a list of that order. Those of the same key are in the order of the
/// objective, in which all are without an order.
position place_in_list(const objective_view& shown, std::uint32_t plan,
                       const std::optional<objective_order>& order) {
  constexpr std::size_t digits = 10;
  auto number = std::to_string(plan);
  number.insert(0, digits - number.size(), '0');
  const auto& row = shown.plans[plan];
  if (order == objective_order::updated)
    return {row.updated, number};
  if (order == objective_order::created)
    return {row.created, number};
  if (order == objective_order::name)
    return {timestamp{}, row.spec->name + '\0' + number};
  return {timestamp{}, number};
}

/// The plans that the query asks for, in its order, with their places.
std::vector<std::pair<position, std::uint32_t>> asked_plans(const list_plans& query,
                                                            const objective_view& shown) {
  const auto states = query.states.empty() ? std::vector<plan_state>{} : shown_states(shown);
  const text_search text{query.text};
  std::vector<std::pair<position, std::uint32_t>> out;
  for (std::uint32_t plan = 0; plan < shown.plans.size(); ++plan) {
    const auto& row = shown.plans[plan];
    const auto& spec = *row.spec;
    const bool has_state =
        states.empty() || std::ranges::find(query.states, states[plan]) != query.states.end();
    const bool has_text =
        text.is_in(spec.name) || text.is_in(spec.description) || text.is_in(spec.id.str());
    if (!spec.is_removed && has_state && has_text
        && (!query.updated_after || row.updated >= *query.updated_after))
      out.emplace_back(place_in_list(shown, plan, query.order), plan);
  }
  if (query.order)
    std::ranges::sort(out, [](const auto& a, const auto& b) {
      return comes_behind(b.first.at, b.first.id, a.first);
    });
  return out;
}

/// The plans of a page. Its token has the place of the last one.
result<plan_page> page_of(const list_plans& query, const objective_ptr& shown) {
  const auto question = fingerprint(query);
  const auto after = read_page_token(query.page_token, question);
  if (!after)
    return after.error();
  const auto asked = asked_plans(query, *shown);
  plan_page out{.objective = shown, .plans = {}, .next_page_token = {}};
  out.total_size = asked.size();
  std::size_t bytes = 0;
  const position* last = nullptr;
  for (const auto& [place, plan] : asked) {
    if (*after && !comes_behind(place.at, place.id, **after))
      continue;
    if (out.plans.size() >= query.page_size || bytes > page_bytes_max) {
      out.next_page_token = write_page_token(*last, question);
      break;
    }
    last = &place;
    out.plans.push_back(plan);
    if (query.include_tasks)
      bytes += bytes_of(*shown->plans[plan].spec);
  }
  return out;
}

/// The token of a page of a history is the revision before which it begins; 0: there is none.
result<std::uint64_t> read_history_token(const std::string& token) {
  std::uint64_t before = 0;
  const auto* end = token.data() + token.size();
  const auto [stop, problem] = std::from_chars(token.data(), end, before);
  if (!token.empty() && (problem != std::errc{} || stop != end))
    return make_error(errc::invalid_params,
                      "the page token is not one of this list; begin with the first page",
                      "pageToken");
  return before;
}

/// A revision that the objective does not have yet.
std::optional<error> is_to_come(const std::optional<std::uint64_t>& revision,
                                const objective_view& now) {
  if (!revision || *revision <= now.revision)
    return std::nullopt;
  return make_error(errc::revision_not_found,
                    "the objective is at revision " + std::to_string(now.revision) + ", and "
                        + std::to_string(*revision) + " is still to come",
                    "atRevision");
}

/// Why what was is not known, of what a search has found.
std::optional<error> why_unknown(const result<bool>& is_complete, std::string_view subject) {
  if (!is_complete)
    return is_complete.error();
  if (*is_complete)
    return std::nullopt;
  return make_error(errc::revision_not_found,
                    "the store does not keep the first changes of the objective (a store in memory "
                    "keeps no history), so that the "
                        + std::string(subject) + " as it was is not known",
                    "atRevision");
}

/// Whether the task stands for an objective that has not ended.
bool is_live_root(const task& record) {
  return record.agent == objective_agent && !is_terminal(record.status.state);
}

/// Whether two configurations, of the same id, have notifications sent in the same way.
bool asks_for_same(const push_config& one, const push_config& other) {
  return one.url == other.url && one.token == other.token
         && one.authentication == other.authentication && one.payload == other.payload
         && one.progress == other.progress;
}

} // namespace

service::service(gateway& main_gateway, std::shared_ptr<push_configurations> pushes)
    : gateway_(main_gateway), records_(main_gateway.records()), pushes_(std::move(pushes)) {}

// -- tasks ----------------------------------------------------------------------------------------

void service::get(const get_task& query, reply<task_ptr> done) const {
  if (auto ok = admit(query.who, operation::get_task); !ok)
    return done(ok.error());
  place(records_, query.who, query.id, std::move(done),
        [*this, id = query.id, who = query.who, shows_progress = query.view.include_progress,
         client = client_of(query.who)](const placement&, reply<task_ptr> to) {
          records_.read_task(
              id,
              [*this, id, who, shows_progress, to = std::move(to)](result<task_ptr> found) {
                // It may have gone since it was placed.
                if (found ? *found == nullptr : is_not_found(found.error().code))
                  return to(unknown_of(id));
                if (found && shows_progress && is_live_root(**found))
                  return show_rollup(who, std::move(*found), to);
                to(std::move(found));
              },
              client);
        });
}

// A root task has no progress of its own: it shows that of its objective.
void service::show_rollup(const principal& who, task_ptr root, reply<task_ptr> done) const {
  const objective_id objective{root->context};
  records_.read_objective(
      objective,
      [root = std::move(root), done = std::move(done)](const result<objective_ptr>& found) {
        if (!found || !*found || (*found)->root_task != root->id)
          return done(root);
        auto shown = std::make_shared<task>(*root);
        shown->progress = std::make_shared<const progress_report>(report_of(**found));
        done(task_ptr{std::move(shown)});
      },
      client_of(who));
}

void service::list(const list_tasks& query, reply<task_page> done) const {
  if (auto ok = admit(query.who, operation::list_tasks); !ok)
    return done(ok.error());
  records_.list(query, std::move(done), client_of(query.who));
}

void service::cancel(cancel_task command, reply<task_ptr> done) const {
  if (auto ok = admit(command.who, operation::cancel_task); !ok)
    return done(ok.error());
  const auto id = command.id.str();
  gateway_.cancel(std::move(command), [id, done = std::move(done)](result<task_ptr> ended) {
    if (ended && !*ended)
      return done(make_error(errc::unavailable,
                             "the task was canceled, but its record cannot be read", id));
    done(std::move(ended));
  });
}

void service::subscribe(subscription wanted, std::shared_ptr<feed> source,
                        reply<stream_start> done) const {
  auto& [command, after, refuses_ended] = wanted;
  if (auto ok = admit(command.who, operation::subscribe_to_task); !ok)
    return done(ok.error());
  place(records_, command.who, command.id, std::move(done),
        [*this, id = command.id, who = command.who, from = after, refuses = refuses_ended,
         source = std::move(source)](const placement&, reply<stream_start> to) {
          open(id, who, source,
               [id, from, refuses, to = std::move(to)](const result<stream_start>& begun) {
                 if (!begun)
                   return to(is_not_found(begun.error().code) ? unknown_of(id) : begun.error());
                 auto& shown_from = *begun->source;
                 const auto& now = shown_from.snapshot();
                 const bool has_ended = is_terminal(now.task->status.state);
                 if (has_ended && refuses && !from)
                   return to(make_error(errc::unsupported_operation,
                                        "task " + troupe::quoted(shown(id.str())) + " has ended",
                                        id.str()));
                 if (from && !has_ended && from->sequence > now.sequence)
                   return to(make_error(errc::invalid_params,
                                        "cursor: is ahead of the task: it belongs to another one",
                                        "cursor"));
                 if (from)
                   shown_from.go_on_after(*from);
                 to(begun);
               });
        });
}

void service::open(const task_id& task, const principal& who, std::shared_ptr<feed> source,
                   reply<stream_start> done) const {
  const auto from = make_task_source(records_, task, who);
  const auto live = source->live();
  from->open(live, [task, from, source = std::move(source),
                    done = std::move(done)](const result<feed_snapshot>& now) {
    if (!now)
      return done(now.error());
    source->open(from, *now);
    done(stream_start{.task = task, .source = source, .objective = nullptr, .answer = nullptr});
  });
}

// -- objectives -----------------------------------------------------------------------------------

void service::create(create_objective command, reply<objective_ptr> done) const {
  if (auto ok = admit(command.who, operation::create_objective); !ok)
    return done(ok.error());
  gateway_.create(std::move(command), nullptr, std::move(done));
}

void service::create(create_objective command, std::shared_ptr<any_feed> news,
                     reply<objective_ptr> done) const {
  if (auto ok = admit(command.who, operation::create_objective); !ok)
    return done(ok.error());
  const auto who = command.who;
  if (!command.request_id.empty()) // It may be there already, and then nothing watched it begin.
    return gateway_.create(std::move(command), nullptr,
                           [*this, who, news = std::move(news),
                            done = std::move(done)](const result<objective_ptr>& made) {
                             if (!made)
                               return done(made.error());
                             open((*made)->id, who, news, done);
                           });
  const auto live = news->live();
  gateway_.create(std::move(command), live,
                  [&records = records_, who, news = std::move(news),
                   done = std::move(done)](result<objective_ptr> made) mutable {
                    if (made)
                      news->follow(make_objective_source(records, (*made)->id, who));
                    news = nullptr;
                    done(std::move(made));
                  });
}

void service::follow(const subscribe_to_objective& command, std::shared_ptr<any_feed> news,
                     reply<objective_ptr> done) const {
  if (auto ok = admit(command.who, operation::subscribe_to_objective); !ok)
    return done(ok.error());
  place(records_, command.who, command.id, std::move(done),
        [*this, command, news = std::move(news)](const placement&, reply<objective_ptr> to) {
          open(command.id, command.who, news, std::move(to));
        });
}

void service::open(const objective_id& id, const principal& who, std::shared_ptr<any_feed> news,
                   reply<objective_ptr> done) const {
  const auto from = make_objective_source(records_, id, who);
  const auto live = news->live();
  from->open(live, [id, from, news = std::move(news),
                    done = std::move(done)](const result<feed_snapshot>& now) {
    if (!now)
      return done(is_not_found(now.error().code) ? unknown_of(id) : now.error());
    news->open(from, *now);
    done(now->objective);
  });
}

void service::update(update_objective command, reply<objective_ptr> done) const {
  if (auto ok = admit(command.who, operation::update_objective); !ok)
    return done(ok.error());
  gateway_.update(std::move(command), std::move(done));
}

void service::modify(modify_objective command, reply<change_report> done) const {
  if (auto ok = admit(command.who, operation::modify_objective); !ok)
    return done(ok.error());
  gateway_.change(std::move(command), std::move(done));
}

void service::replan(replan_objective command, reply<replan_report> done) const {
  if (auto ok = admit(command.who, operation::replan_objective); !ok)
    return done(ok.error());
  gateway_.replan(std::move(command), std::move(done));
}

void service::get(const get_objective& query, reply<objective_ptr> done) const {
  if (auto ok = admit(query.who, operation::get_objective); !ok)
    return done(ok.error());
  place(records_, query.who, query.id, std::move(done),
        [*this, id = query.id, client = client_of(query.who)](const placement&,
                                                              reply<objective_ptr> to) {
          records_.read_objective(
              id,
              [id, to = std::move(to)](result<objective_ptr> found) {
                if (found ? *found == nullptr : is_not_found(found.error().code))
                  return to(unknown_of(id));
                to(std::move(found));
              },
              client);
        });
}

void service::list(const list_objectives& query, reply<objective_page> done) const {
  if (auto ok = admit(query.who, operation::list_objectives); !ok)
    return done(ok.error());
  records_.list(query, std::move(done), client_of(query.who));
}

// -- plans ----------------------------------------------------------------------------------------

void service::create(create_plan command, reply<placed_plan> done) const {
  if (auto ok = admit(command.who, operation::create_plan); !ok)
    return done(ok.error());
  const auto who = command.who;
  gateway_.create(std::move(command),
                  [*this, who, done = std::move(done)](const result<plan_id>& made) {
                    if (!made)
                      return done(made.error());
                    show_plan(who, *made, done);
                  });
}

void service::update(update_plan command, reply<placed_plan> done) const {
  if (auto ok = admit(command.who, operation::update_plan); !ok)
    return done(ok.error());
  if (!command.operations.empty())
    return change({.who = std::move(command.who),
                   .id = std::move(command.id),
                   .operations = std::move(command.operations),
                   .reason = {},
                   .if_revision = command.if_revision,
                   .request_id = std::move(command.request_id),
                   .wrong = std::move(command.wrong)},
                  std::move(done));
  const auto who = command.who;
  gateway_.update(std::move(command),
                  [*this, who, done = std::move(done)](const result<plan_id>& changed) {
                    if (!changed)
                      return done(changed.error());
                    show_plan(who, *changed, done);
                  });
}

void service::get(const get_plan& query, reply<placed_plan> done) const {
  if (auto ok = admit(query.who, operation::get_plan); !ok)
    return done(ok.error());
  show_plan(query.who, query.id, std::move(done));
}

void service::list(const list_plans& query, reply<plan_page> done) const {
  if (auto ok = admit(query.who, operation::list_plans); !ok)
    return done(ok.error());
  get(get_objective{.who = query.who, .id = query.objective},
      [query, done = std::move(done)](const result<objective_ptr>& found) {
        if (!found)
          return done(found.error());
        done(page_of(query, *found));
      });
}

void service::change(change_plan command, reply<placed_plan> done) const {
  if (auto ok = admit(command.who, operation::add_tasks); !ok)
    return done(ok.error());
  const auto who = command.who;
  gateway_.change(std::move(command),
                  [*this, who, done = std::move(done)](const result<change_report>& changed) {
                    if (!changed)
                      return done(changed.error());
                    show_plan(who, changed->plan, done);
                  });
}

void service::modify(change_plan command, reply<change_report> done) const {
  if (auto ok = admit(command.who, operation::modify_plan); !ok)
    return done(ok.error());
  gateway_.change(std::move(command), std::move(done));
}

/// A search through the history of an objective.
struct service::history_search {
  objective_id objective;
  std::string client;
  /// Takes the next change. False: neither it nor what comes after it is wanted.
  std::function<bool(const change_ptr&)> take;
  /// Called once, with whether the store has all changes from the first one on.
  std::function<void(result<bool> is_complete)> end;
  bool is_complete = true;
  std::size_t read = 0; ///< Changes.
};

namespace {

/// `reader` takes the changes of a history; its revisions are the changes of `page`.
template<class Search, class Reader, class Page>
void list_revisions(Search& in, const std::shared_ptr<Reader>& reader, Page page,
                    reply<Page> done) {
  in.take = [reader](const change_ptr& change) {
    reader->take(change);
    return true;
  };
  in.end = [reader, page = std::move(page),
            done = std::move(done)](const result<bool>& is_complete) mutable {
    if (!is_complete)
      return done(is_complete.error());
    page.is_complete = *is_complete;
    page.changes = reader->take_revisions();
    if (reader->has_more())
      page.next_page_token = std::to_string(page.changes.back().revision);
    done(std::move(page));
  };
}

} // namespace

void service::list(const get_plan_history& query, reply<plan_history_page> done) const {
  if (auto ok = admit(query.who, operation::list_plan_history); !ok)
    return done(ok.error());
  const auto before = read_history_token(query.page_token);
  if (!before)
    return done(before.error());
  show_plan(
      query.who, query.id,
      [*this, query, before = *before, done = std::move(done)](const result<placed_plan>& found) {
        if (!found)
          return done(found.error());
        if (auto wrong = is_to_come(query.at, *found->objective))
          return done(std::move(*wrong));
        search_plan(query, before, *found, done);
      });
}

void service::search_plan(const get_plan_history& query, std::uint64_t before,
                          const placed_plan& found, reply<plan_history_page> done) const {
  const auto plan = static_cast<std::uint32_t>(found.index);
  auto in = std::make_shared<history_search>();
  in->objective = found.objective->id;
  in->client = client_of(query.who);
  if (query.at) {
    const auto past = std::make_shared<past_objective_reader>(*query.at);
    in->take = [past](const change_ptr& change) { return past->take(change); };
    in->end = [past, plan, found, done = std::move(done)](const result<bool>& is_complete) {
      if (auto wrong = why_unknown(is_complete, "plan"))
        return done(std::move(*wrong));
      const auto* was = past->plan(plan);
      if (was == nullptr)
        return done(make_error(errc::revision_not_found,
                               "the objective did not have the plan at that revision",
                               "atRevision"));
      plan_history_page out{.plan = found};
      out.past = *was;
      done(std::move(out));
    };
  } else {
    const auto reader = std::make_shared<plan_history_reader>(plan, query.after.value_or(0), before,
                                                              query.page_size);
    list_revisions(*in, reader, plan_history_page{.plan = found}, std::move(done));
  }
  search(in, 0);
}

void service::list(const get_objective_history& query, reply<objective_history_page> done) const {
  if (auto ok = admit(query.who, operation::list_objective_history); !ok)
    return done(ok.error());
  const auto before = read_history_token(query.page_token);
  if (!before)
    return done(before.error());
  get(get_objective{.who = query.who, .id = query.id},
      [*this, query, before = *before, done = std::move(done)](const result<objective_ptr>& found) {
        if (!found)
          return done(found.error());
        if (auto wrong = is_to_come(query.at, **found))
          return done(std::move(*wrong));
        search_objective(query, before, *found, done);
      });
}

void service::search_objective(const get_objective_history& query, std::uint64_t before,
                               const objective_ptr& found,
                               reply<objective_history_page> done) const {
  auto in = std::make_shared<history_search>();
  in->objective = query.id;
  in->client = client_of(query.who);
  if (query.at) {
    const auto past = std::make_shared<past_objective_reader>(*query.at);
    in->take = [past](const change_ptr& change) { return past->take(change); };
    in->end = [past, found, done = std::move(done)](const result<bool>& is_complete) {
      if (auto wrong = why_unknown(is_complete, "objective"))
        return done(std::move(*wrong));
      objective_history_page out{.objective = found};
      out.past = past->view();
      done(std::move(out));
    };
  } else {
    const auto reader = std::make_shared<objective_history_reader>(query.after.value_or(0), before,
                                                                   query.page_size);
    list_revisions(*in, reader, objective_history_page{.objective = found}, std::move(done));
  }
  search(in, 0);
}

void service::search(const std::shared_ptr<history_search>& in, std::uint64_t after) const {
  records_.read_changes(
      in->objective, {.after = after},
      [*this, in](const result<history_page>& page) {
        if (!page)
          return in->end(page.error());
        in->is_complete = in->is_complete && !page->gone;
        bool is_later = false;
        for (const auto& change : page->changes)
          is_later = is_later || !in->take(change);
        in->read += page->changes.size();
        if (in->read > history_changes_searched_max)
          return in->end(make_error(errc::limit_exceeded,
                                    "the objective has had more than "
                                        + std::to_string(history_changes_searched_max)
                                        + " changes (history_changes_searched_max)",
                                    "id"));
        if (page->more && !page->gone && !is_later)
          return search(in, page->next_after);
        in->end(in->is_complete);
      },
      in->client);
}

void service::show_plan(const principal& who, const plan_id& id, reply<placed_plan> done) const {
  place(records_, who, id, std::move(done),
        [*this, id, client = client_of(who)](const placement& at, reply<placed_plan> to) {
          records_.read_objective(
              at.objective,
              [id, index = at.plan, to = std::move(to)](const result<objective_ptr>& found) {
                if (!found && !is_not_found(found.error().code))
                  return to(found.error());
                if (!found || !*found || index >= (*found)->plans.size()
                    || (*found)->plans[index].spec->is_removed)
                  return to(unknown_of(id));
                to(placed_plan{.objective = *found, .index = index});
              },
              client);
        });
}

// -- push configurations --------------------------------------------------------------------------

result<void> service::offers_pushes() const {
  if (pushes_ == nullptr)
    return make_error(errc::push_not_supported, "this server sends no push notifications");
  return pushes_->is_offered();
}

void service::create(create_push_config command, reply<push_config> done) const {
  if (auto ok = admit(command.who, operation::create_push_config); !ok)
    return done(ok.error());
  if (auto ok = offers_pushes(); !ok)
    return done(ok.error());
  const auto who = command.who;
  const auto task = command.config.task;
  place(records_, who, task, std::move(done),
        [*this, command = std::move(command)](const placement&, reply<push_config> to) mutable {
          command.config.owner = command.who;
          pushes_->create(std::move(command), std::move(to));
        });
}

void service::create_once(create_push_config command, const std::string& key,
                          reply<push_config> done) const {
  if (auto ok = admit(command.who, operation::create_push_config); !ok)
    return done(ok.error());
  if (auto ok = offers_pushes(); !ok)
    return done(ok.error());
  command.config.id = "push-" + std::to_string(journal::checksum(key));
  const auto who = command.who;
  const auto task = command.config.task;
  place(records_, who, task, std::move(done),
        [*this, command = std::move(command)](const placement&, reply<push_config> to) mutable {
          command.config.owner = command.who;
          const auto& wanted = command.config;
          auto before = pushes_->get({.who = command.who, .task = wanted.task, .id = wanted.id});
          if (!before)
            return pushes_->create(std::move(command), std::move(to));
          if (!asks_for_same(*before, wanted))
            return to(make_error(errc::duplicate_id,
                                 "another configuration of the task has this id", wanted.id));
          to(std::move(before));
        });
}

void service::get(const get_push_config& query, reply<push_config> done) const {
  if (auto ok = admit(query.who, operation::get_push_config); !ok)
    return done(ok.error());
  if (auto ok = offers_pushes(); !ok)
    return done(ok.error());
  place(records_, query.who, query.task, std::move(done),
        [*this, query](const placement&, reply<push_config> to) { to(pushes_->get(query)); });
}

void service::list(const list_push_configs& query, reply<push_config_page> done) const {
  if (auto ok = admit(query.who, operation::list_push_configs); !ok)
    return done(ok.error());
  if (auto ok = offers_pushes(); !ok)
    return done(ok.error());
  place(records_, query.who, query.task, std::move(done),
        [*this, query](const placement&, reply<push_config_page> to) { to(pushes_->list(query)); });
}

void service::erase(delete_push_config command, reply<void> done) const {
  if (auto ok = admit(command.who, operation::delete_push_config); !ok)
    return done(ok.error());
  if (auto ok = offers_pushes(); !ok)
    return done(ok.error());
  const auto who = command.who;
  const auto task = command.task;
  place(records_, who, task, std::move(done),
        [*this, command = std::move(command)](const placement&, reply<void> to) mutable {
          pushes_->erase(std::move(command), std::move(to));
        });
}

} // namespace troupe
