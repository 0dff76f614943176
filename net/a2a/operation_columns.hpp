// The JSON column of the table of operations: how each is read from params and its result written,
// in the words of the call's version. JSON-RPC and REST share it; they differ in framing alone.
#pragma once

#include "actors/service/operation.hpp"
#include "actors/service/service.hpp"
#include "net/a2a/answer_size.hpp"
#include "net/a2a/operation.hpp"
#include "protocol/opt/codec_opt.hpp"

#include <boost/json/value.hpp>

namespace troupe::net {

/// Reads params with one of the codec's readers.
template<class Command>
[[nodiscard]] result<Command> read(const operation_call& call,
                                   wire_codec::reader<Command> wire_codec::*reader) {
  return (call.codec->*reader)(params_of(call));
}

/// An operation that is answered with a value: what it reads, how it is asked for, what it writes,
/// and whether that is a long answer, if it may be one.
template<operation Which>
struct json_column;

template<>
struct json_column<operation::get_task> {
  using command = get_task;
  using answer = task_ptr;
  static result<command> decode(const operation_call& call) {
    auto out = read(call, &wire_codec::read_get_task);
    if (out)
      out->view.include_progress = call.extensions.progress;
    return out;
  }
  static void ask(const service& of, const command& query, reply<answer> done) {
    of.get(query, std::move(done));
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
struct json_column<operation::list_tasks> {
  using command = list_tasks;
  using answer = task_page;
  static result<command> decode(const operation_call& call) {
    auto out = read(call, &wire_codec::read_list_tasks);
    if (out)
      out->view.include_progress = call.extensions.progress;
    return out;
  }
  static void ask(const service& of, const command& query, reply<answer> done) {
    of.list(query, std::move(done));
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
struct json_column<operation::cancel_task> {
  using command = cancel_task;
  using answer = task_ptr;
  static result<command> decode(const operation_call& call) {
    auto out = read(call, &wire_codec::read_cancel_task);
    if (out)
      out->refuses_repeated = call.codec->refuses_repeated_cancel;
    return out;
  }
  static void ask(const service& of, const command& order, reply<answer> done) {
    of.cancel(order, std::move(done));
  }
  static bool is_long(const command&, const answer& ended) {
    return answer_size{}.add(*ended, {}).is_long();
  }
  static void encode(const wire_codec& codec, json_writer& out, const command&,
                     const answer& ended) {
    codec.write_task(out, *ended, {});
  }
};

// -- push configurations -----------------------------------------------------------------------------------------------

template<>
struct json_column<operation::create_push_config> {
  using command = create_push_config;
  using answer = push_config;
  static result<command> decode(const operation_call& call) {
    auto order = read(call, &wire_codec::read_create_push);
    if (order)
      order->config.progress = call.extensions.progress;
    return order;
  }
  static void ask(const service& of, const command& order, reply<answer> done) {
    of.create(order, std::move(done));
  }
  static void encode(const wire_codec& codec, json_writer& out, const command&,
                     const answer& made) {
    codec.write_push(out, made);
  }
};

template<>
struct json_column<operation::get_push_config> {
  using command = get_push_config;
  using answer = push_config;
  static result<command> decode(const operation_call& call) {
    return read(call, &wire_codec::read_get_push);
  }
  static void ask(const service& of, const command& query, reply<answer> done) {
    of.get(query, std::move(done));
  }
  static void encode(const wire_codec& codec, json_writer& out, const command&,
                     const answer& found) {
    codec.write_push(out, found);
  }
};

template<>
struct json_column<operation::list_push_configs> {
  using command = list_push_configs;
  using answer = push_config_page;
  static result<command> decode(const operation_call& call) {
    return read(call, &wire_codec::read_list_push);
  }
  static void ask(const service& of, const command& query, reply<answer> done) {
    of.list(query, std::move(done));
  }
  static void encode(const wire_codec& codec, json_writer& out, const command&,
                     const answer& page) {
    codec.write_push_list(out, page.configs, page.next_page_token);
  }
};

template<>
struct json_column<operation::delete_push_config> {
  using command = delete_push_config;
  using answer = void;
  static result<command> decode(const operation_call& call) {
    return read(call, &wire_codec::read_delete_push);
  }
  static void ask(const service& of, const command& order, reply<answer> done) {
    of.erase(order, std::move(done));
  }
  static void encode(const wire_codec& codec, json_writer& out) { codec.write_push_deleted(out); }
};

// -- OPT (docs/a2a.md, D16): the same under every version --------------------------------------------------------------

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

template<>
struct json_column<operation::create_objective> {
  using command = create_objective;
  using answer = objective_ptr;
  static result<command> decode(const operation_call& call) {
    return opt::read_create_objective(params_of(call));
  }
  static void ask(const service& of, const command& order, reply<answer> done) {
    of.create(order, std::move(done));
  }
  static bool is_long(const command&, const answer& made) {
    return answer_size{}.add(*made, true, true).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& made) {
    write_objective(out, *made, true, true);
  }
};

template<>
struct json_column<operation::update_objective> {
  using command = update_objective;
  using answer = objective_ptr;
  static result<command> decode(const operation_call& call) {
    return opt::read_update_objective(params_of(call));
  }
  static void ask(const service& of, const command& order, reply<answer> done) {
    of.update(order, std::move(done));
  }
  static bool is_long(const command&, const answer& changed) {
    return answer_size{}.add(*changed, true, true).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& changed) {
    write_objective(out, *changed, true, true);
  }
};

template<>
struct json_column<operation::get_objective> {
  using command = get_objective;
  using answer = objective_ptr;
  static result<command> decode(const operation_call& call) {
    return opt::read_get_objective(params_of(call));
  }
  static void ask(const service& of, const command& query, reply<answer> done) {
    of.get(query, std::move(done));
  }
  static bool is_long(const command& query, const answer& found) {
    return answer_size{}.add(*found, query.include_plans, query.include_tasks).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command& query,
                     const answer& found) {
    write_objective(out, *found, query.include_plans, query.include_tasks);
  }
};

template<>
struct json_column<operation::list_objectives> {
  using command = list_objectives;
  using answer = objective_page;
  static result<command> decode(const operation_call& call) {
    return opt::read_list_objectives(params_of(call));
  }
  static void ask(const service& of, const command& query, reply<answer> done) {
    of.list(query, std::move(done));
  }
  static bool is_long(const command&, const answer& page) {
    answer_size size;
    for (const auto& one : page.objectives)
      size.add(*one, true, false);
    return size.is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& page) {
    out.begin_object().key("objectives").begin_array();
    for (const auto& one : page.objectives)
      opt::write(out, *one, true, false);
    out.end_array().member("nextPageToken", page.next_page_token);
    out.key("totalSize").number(page.total_size).end_object();
  }
};

template<>
struct json_column<operation::create_plan> {
  using command = create_plan;
  using answer = placed_plan;
  static result<command> decode(const operation_call& call) {
    return opt::read_create_plan(params_of(call));
  }
  static void ask(const service& of, const command& order, reply<answer> done) {
    of.create(order, std::move(done));
  }
  static bool is_long(const command&, const answer& made) {
    return answer_size{}.add(made.objective->plans[made.index], true).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& made) {
    write_plan(out, made, true);
  }
};

template<>
struct json_column<operation::update_plan> {
  using command = update_plan;
  using answer = placed_plan;
  static result<command> decode(const operation_call& call) {
    return opt::read_update_plan(params_of(call));
  }
  static void ask(const service& of, const command& order, reply<answer> done) {
    of.update(order, std::move(done));
  }
  static bool is_long(const command&, const answer& changed) {
    return answer_size{}.add(changed.objective->plans[changed.index], true).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command&, const answer& changed) {
    write_plan(out, changed, true);
  }
};

template<>
struct json_column<operation::get_plan> {
  using command = get_plan;
  using answer = placed_plan;
  static result<command> decode(const operation_call& call) {
    return opt::read_get_plan(params_of(call));
  }
  static void ask(const service& of, const command& query, reply<answer> done) {
    of.get(query, std::move(done));
  }
  static bool is_long(const command& query, const answer& found) {
    return answer_size{}.add(found.objective->plans[found.index], query.include_tasks).is_long();
  }
  static void encode(const wire_codec&, json_writer& out, const command& query,
                     const answer& found) {
    write_plan(out, found, query.include_tasks);
  }
};

} // namespace troupe::net
