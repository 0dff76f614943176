// The JSON column of the table of operations: how each is read from params and its result written,
// in the words of the call's version. JSON-RPC and REST share it; they differ in framing alone.
#pragma once

#include "actors/service/operation.hpp"
#include "actors/service/service.hpp"
#include "net/a2a/answer_size.hpp"
#include "net/a2a/idempotency_key.hpp"
#include "net/a2a/missed_changes.hpp"
#include "net/a2a/operation.hpp"
#include "protocol/opt/codec_opt.hpp"

#include <type_traits>
#include <utility>

namespace troupe::net {

/// An operation that is answered with a value: its command and answer, how it is read (`decode`)
/// and asked for (`ask`), what is written (`encode`), and whether that is a long answer
/// (`is_long`), if it may be one. `is_search`: texts of others may have to be searched, which takes
/// long however short command and answer are.
template<operation Which>
struct json_column;

/// What most columns begin with. `Parameter` is the command as `Ask` takes it. `Reader` is a reader
/// of the codec, or a function for params that are the same under every version.
template<class Parameter, class Answer, auto Reader,
         void (service::*Ask)(Parameter, reply<Answer>) const>
struct basic_column {
  using command = std::remove_cvref_t<Parameter>;
  using answer = Answer;
  static result<command> decode(const operation_call& call) {
    if constexpr (std::is_member_pointer_v<decltype(Reader)>)
      return (call.codec->*Reader)(params_of(call));
    else
      return Reader(params_of(call));
  }
  /// A command that the service takes by value is the service's from then on: no plan is copied.
  /// `is_long` and `encode` of such a column do not read it.
  static void ask(const service& of, command& asked, reply<answer> done) {
    if constexpr (std::is_reference_v<Parameter>)
      (of.*Ask)(asked, std::move(done));
    else
      (of.*Ask)(std::move(asked), std::move(done));
  }
};

// -- tasks ----------------------------------------------------------------------------------------

/// What the extensions that the client activated add to a task.
inline void show_extensions(task_view_options& view, const operation_call& call) {
  view.include_progress = call.extensions.progress;
  view.include_hitl = call.extensions.hitl;
  view.include_times = call.extensions.opt;
}

template<>
struct json_column<operation::get_task>
    : basic_column<const get_task&, task_ptr, &wire_codec::read_get_task, &service::get> {
  static result<command> decode(const operation_call& call) {
    auto out = basic_column::decode(call);
    if (out)
      show_extensions(out->view, call);
    return out;
  }
  static bool is_long(const command& query, const answer& found) {
    return answer_size{}.add(*found, query.view).is_long();
  }
  static void encode(const wire_codec& codec, json_writer& out, const command& query,
                     const answer& found) {
    codec.write_task(out, *found, query.view);
  }
};

template<>
struct json_column<operation::list_tasks>
    : basic_column<const list_tasks&, task_page, &wire_codec::read_list_tasks, &service::list> {
  static result<command> decode(const operation_call& call) {
    auto out = basic_column::decode(call);
    if (out)
      show_extensions(out->view, call);
    return out;
  }
  static bool is_long(const command& query, const answer& page) {
    answer_size size;
    for (const auto& one : page.tasks)
      size.add(*one, query.view);
    return size.is_long();
  }
  static void encode(const wire_codec& codec, json_writer& out, const command& query,
                     const answer& page) {
    codec.write_task_list(out, page.tasks, page.next_page_token, query.page_size, page.total_size,
                          query.view);
  }
};

template<>
struct json_column<operation::cancel_task>
    : basic_column<cancel_task, task_ptr, &wire_codec::read_cancel_task, &service::cancel> {
  static result<command> decode(const operation_call& call) {
    auto out = basic_column::decode(call);
    if (!out)
      return out;
    auto key = read_idempotency_key(call.request.idempotency_key);
    if (!key)
      return key.error();
    out->request_id = std::move(*key);
    out->refuses_repeated = call.codec->refuses_repeated_cancel;
    return out;
  }
  /// The client knows the request's id as its key.
  static void ask(const service& of, command& asked, reply<answer> done) {
    basic_column::ask(of, asked, [done = std::move(done)](result<task_ptr> ended) {
      if (!ended && ended.error().code == errc::duplicate_request)
        return done(key_is_reused("another cancel was sent with this key"));
      done(std::move(ended));
    });
  }
  static bool is_long(const command&, const answer& ended) {
    return answer_size{}.add(*ended, {}).is_long();
  }
  static void encode(const wire_codec& codec, json_writer& out, const command&,
                     const answer& ended) {
    codec.write_task(out, *ended, {});
  }
};

// -- push configurations --------------------------------------------------------------------------

/// An answer that is one configuration.
struct whole_push_config {
  static void encode(const wire_codec& codec, json_writer& out, const auto&,
                     const push_config& shown) {
    codec.write_push(out, shown);
  }
};

/// The command, with the key of its request.
struct keyed_push_config : create_push_config {
  std::string key; ///< Header `Idempotency-Key`; empty: none.
};

template<>
struct json_column<operation::create_push_config> : whole_push_config {
  using command = keyed_push_config;
  using answer = push_config;
  static result<command> decode(const operation_call& call) {
    auto read = call.codec->read_create_push(params_of(call));
    if (!read)
      return read.error();
    auto key = read_idempotency_key(call.request.idempotency_key);
    if (!key)
      return key.error();
    command out{{std::move(*read)}, std::move(*key)};
    out.config.progress = call.extensions.progress;
    return out;
  }
  /// A configuration with an id needs no key to be the same one each time.
  static void ask(const service& of, command& asked, reply<answer> done) {
    if (asked.key.empty() || !asked.config.id.empty())
      return of.create(create_push_config{std::move(asked)}, std::move(done));
    const auto key = std::move(asked.key);
    of.create_once(std::move(asked), key, [done = std::move(done)](result<push_config> made) {
      if (!made && made.error().code == errc::duplicate_id)
        return done(key_is_reused("another configuration was made with this key"));
      done(std::move(made));
    });
  }
};

template<>
struct json_column<operation::get_push_config>
    : basic_column<const get_push_config&, push_config, &wire_codec::read_get_push, &service::get>,
      whole_push_config {};

template<>
struct json_column<operation::list_push_configs>
    : basic_column<const list_push_configs&, push_config_page, &wire_codec::read_list_push,
                   &service::list> {
  static void encode(const wire_codec& codec, json_writer& out, const command&,
                     const answer& page) {
    codec.write_push_list(out, page.configs, page.next_page_token);
  }
};

template<>
struct json_column<operation::delete_push_config>
    : basic_column<delete_push_config, void, &wire_codec::read_delete_push, &service::erase> {
  static void encode(const wire_codec& codec, json_writer& out) { codec.write_push_deleted(out); }
};

// -- OPT (docs/a2a.md, D16): the same under every version -----------------------------------------

inline void write_objective(json_writer& out, const objective_view& objective, bool plans,
                            bool tasks) {
  out.begin_object().key("objective");
  opt::write(out, objective, plans, tasks);
  out.end_object();
}

inline void write_plan(json_writer& out, const placed_plan& plan, bool tasks) {
  out.begin_object().key("plan");
  opt::write(out, *plan.objective, plan.index, tasks);
  out.end_object();
}

/// A command with a revision. The loser of two is told what it has missed.
template<class Column>
struct explained_column : Column {
  static void ask(const service& of, typename Column::command& asked,
                  reply<typename Column::answer> done) {
    auto missed = missed_by(asked);
    Column::ask(of, asked,
                [of, missed = std::move(missed),
                 done = std::move(done)](result<typename Column::answer> one) {
                  if (one)
                    return done(std::move(one));
                  explain(of, missed, std::move(one).error(), done);
                });
  }
};

/// An answer that is one objective with all its plans and tasks.
struct whole_objective {
  static bool is_long(const auto&, const objective_ptr& shown) {
    return answer_size{}.add(*shown, true, true).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const auto&, const objective_ptr& shown) {
    write_objective(out, *shown, true, true);
  }
};

/// An answer that is one plan with all its tasks.
struct whole_plan {
  static bool is_long(const auto&, const placed_plan& shown) {
    return answer_size{}.add_plan(*shown.objective, shown.index, true).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const auto&, const placed_plan& shown) {
    write_plan(out, shown, true);
  }
};

template<>
struct json_column<operation::create_objective>
    : basic_column<create_objective, objective_ptr, &opt::read_create_objective, &service::create>,
      whole_objective {};

template<>
struct json_column<operation::update_objective>
    : explained_column<basic_column<update_objective, objective_ptr, &opt::read_update_objective,
                                    &service::update>>,
      whole_objective {};

template<>
struct json_column<operation::get_objective>
    : basic_column<const get_objective&, objective_ptr, &opt::read_get_objective, &service::get> {
  static bool is_long(const command& query, const answer& found) {
    return answer_size{}.add(*found, query.include_plans, query.include_tasks).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command& query,
                     const answer& found) {
    write_objective(out, *found, query.include_plans, query.include_tasks);
  }
};

template<>
struct json_column<operation::list_objectives>
    : basic_column<const list_objectives&, objective_page, &opt::read_list_objectives,
                   &service::list> {
  static bool is_search(const command& query) { return !query.text.empty(); }
  static bool is_long(const command& query, const answer& page) {
    answer_size size;
    for (const auto& one : page.objectives)
      size.add(*one, query.include_plans, query.include_tasks);
    return size.is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command& query,
                     const answer& page) {
    out.begin_object().key("objectives").begin_array();
    for (const auto& one : page.objectives)
      opt::write(out, *one, query.include_plans, query.include_tasks);
    out.end_array().optional_member("nextPageToken", page.next_page_token);
    out.key("totalSize").number(page.total_size).end_object();
  }
};

template<>
struct json_column<operation::create_plan>
    : explained_column<
          basic_column<create_plan, placed_plan, &opt::read_create_plan, &service::create>>,
      whole_plan {};

/// A change that `tasks` say. What is wrong with an operation is said of its task.
template<class Column>
struct tasks_column : explained_column<Column> {
  static void ask(const service& of, typename Column::command& asked, reply<placed_plan> done) {
    explained_column<Column>::ask(of, asked, [done = std::move(done)](result<placed_plan> changed) {
      done(changed ? std::move(changed) : opt::said_of_tasks(std::move(changed).error()));
    });
  }
};

template<>
struct json_column<operation::update_plan>
    : tasks_column<
          basic_column<update_plan, placed_plan, &opt::read_update_plan, &service::update>>,
      whole_plan {};

template<>
struct json_column<operation::list_plans>
    : basic_column<const list_plans&, plan_page, &opt::read_list_plans, &service::list> {
  static bool is_search(const command& query) { return !query.text.empty(); }
  static bool is_long(const command& query, const answer& page) {
    return answer_size{}.add_plans(*page.objective, page.plans, query.include_tasks).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command& query,
                     const answer& page) {
    out.begin_object().key("plans");
    opt::write_plans(out, *page.objective, page.plans, query.include_tasks);
    out.optional_member("nextPageToken", page.next_page_token);
    out.key("totalSize").number(page.total_size).end_object();
  }
};

/// The answer is as long as the plan is without its tasks.
template<>
struct json_column<operation::add_tasks>
    : tasks_column<basic_column<change_plan, placed_plan, &opt::read_add_tasks, &service::change>> {
  static bool is_long(const command&, const answer& shown) {
    return answer_size{}.add_plan(*shown.objective, shown.index, false).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& shown) {
    write_plan(out, shown, false);
  }
};

template<>
struct json_column<operation::modify_plan>
    : explained_column<
          basic_column<change_plan, change_report, &opt::read_modify_plan, &service::modify>> {
  static void ask(const service& of, command& asked, reply<answer> done) {
    auto operations = asked.operations; // A refusal names the place of one of them.
    explained_column::ask(
        of, asked,
        [done = std::move(done), operations = std::move(operations)](result<answer> changed) {
          done(changed ? std::move(changed)
                       : opt::said_of_operations(std::move(changed).error(), operations));
        });
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& report) {
    opt::write(out, report);
  }
};

template<>
struct json_column<operation::modify_objective>
    : explained_column<basic_column<modify_objective, change_report, &opt::read_modify_objective,
                                    &service::modify>> {
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& report) {
    opt::write(out, report);
  }
};

/// What the planner has made is as long as a plan.
template<>
struct json_column<operation::replan_objective>
    : explained_column<basic_column<replan_objective, replan_report, &opt::read_replan_objective,
                                    &service::replan>> {
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& report) {
    opt::write(out, report);
  }
};

template<>
struct json_column<operation::list_plan_history>
    : basic_column<const get_plan_history&, plan_history_page, &opt::read_get_plan_history,
                   &service::list> {
  static bool is_long(const command&, const answer& page) {
    return page.past && answer_size{}.add(*page.past, true).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& page) {
    out.begin_object().member("planId", page.plan.plan().spec->id.str());
    if (page.past) {
      out.key("revision").number(page.past->revision).key("plan");
      opt::write_spec(out, *page.past->spec);
      out.end_object();
      return;
    }
    out.key("revision").number(page.plan.plan().revision).key("changes");
    write_history(out, page);
    out.optional_member("nextPageToken", page.next_page_token);
    if (!page.is_complete)
      out.key("isComplete").boolean(false);
    out.end_object();
  }
};

template<>
struct json_column<operation::list_objective_history>
    : basic_column<const get_objective_history&, objective_history_page,
                   &opt::read_get_objective_history, &service::list> {
  static bool is_long(const command&, const answer& page) {
    return page.past && answer_size{}.add(*page.past, true, true).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& page) {
    out.begin_object().member("objectiveId", page.objective->id.str());
    if (page.past) {
      out.key("revision").number(page.past->revision).key("objective");
      opt::write_spec(out, opt::spec_of(*page.past));
      out.end_object();
      return;
    }
    out.key("revision").number(page.objective->revision).key("changes");
    write_history(out, page);
    out.optional_member("nextPageToken", page.next_page_token);
    if (!page.is_complete)
      out.key("isComplete").boolean(false);
    out.end_object();
  }
};

// -- questions ------------------------------------------------------------------------------------

/// An answer that is one question.
struct whole_input {
  static bool is_long(const auto&, const shown_input& shown) {
    return answer_size{}.add(*shown.task, {}).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const auto&, const shown_input& shown) {
    out.begin_object().key("input");
    opt::write_input(out, *shown.task, shown.question, shown.claim);
    out.end_object();
  }
};

template<>
struct json_column<operation::list_inputs>
    : basic_column<const list_inputs&, shown_input_page, &opt::read_list_inputs, &service::list> {
  static bool is_long(const command&, const answer& page) {
    answer_size size;
    for (const auto& one : page.tasks)
      size.add(one->question.get());
    return size.is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& page) {
    out.begin_object().key("inputs").begin_array();
    for (std::size_t i = 0; i < page.tasks.size(); ++i)
      opt::write_input(out, *page.tasks[i], page.tasks[i]->question->id, page.claims[i]);
    out.end_array().optional_member("nextPageToken", page.next_page_token);
    out.key("totalSize").number(page.total_size).end_object();
  }
};

template<>
struct json_column<operation::get_input>
    : basic_column<const get_input&, shown_input, &opt::read_get_input, &service::get>,
      whole_input {};

template<>
struct json_column<operation::answer_input>
    : basic_column<answer_input, shown_input, &opt::read_answer_input, &service::answer>,
      whole_input {};

template<>
struct json_column<operation::claim_input>
    : basic_column<claim_input, shown_input, &opt::read_claim_input, &service::claim>,
      whole_input {};

template<>
struct json_column<operation::release_input>
    : basic_column<claim_input, shown_input, &opt::read_claim_input, &service::release>,
      whole_input {};

// -- plans as they stand --------------------------------------------------------------------------

template<>
struct json_column<operation::get_plan>
    : basic_column<const get_plan&, placed_plan, &opt::read_get_plan, &service::get> {
  static bool is_long(const command& query, const answer& found) {
    return answer_size{}.add_plan(*found.objective, found.index, query.include_tasks).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command& query,
                     const answer& found) {
    write_plan(out, found, query.include_tasks);
  }
};

} // namespace troupe::net
