// The laws that hold for the codec of every A2A version and binding, for its fuzz target to check:
// readers refuse with words or give a value, and a value that is written reads back the same.
#pragma once

#include "protocol/a2a/send_params.hpp"
#include "protocol/text/http_url.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/push_config.hpp>

#include <boost/json/value.hpp>

#include <string>

namespace troupe::fuzz {

template<class T, class Write, class Read>
void demand_round_trip(const T& value, const Write& write, const Read& read) {
  const auto first = written([&](json_writer& out) { write(out, value); });
  const auto back = read(tree_of(first));
  demand(back.has_value(), "what was written is refused", first, back ? "" : back.error().message);
  demand(written([&](json_writer& out) { write(out, *back); }) == first, "read back otherwise",
         first);
  if constexpr (requires { value == *back; })
    demand(value == *back, "read back as another value", first);
}

/// `Codec` holds the functions of one version as static members: see the targets.
template<class Codec>
void check_push_configs(const boost::json::value& params) {
  const auto write = [](json_writer& out, const push_config& value) { Codec::write(out, value); };
  const auto read = [](const boost::json::value& tree) -> result<push_config> {
    auto made = Codec::read_create_push_config(tree);
    if (!made)
      return made.error();
    demand(parse_http_url(made->config.url).has_value(), "a URL that cannot be posted to",
           made->config.url);
    return std::move(made->config);
  };
  if (auto made = read(params)) {
    if (made->id.empty())
      made->id = "given";
    if (is_acceptable_id(
            made->task.str())) // No task has another id; a resource name could not hold it.
      demand_round_trip(*made, write, read);
  } else {
    (void)accepted(made);
  }
  (void)accepted(Codec::read_get_push_config(params));
  (void)accepted(Codec::read_list_push_configs(params));
  (void)accepted(Codec::read_delete_push_config(params));
}

template<class Codec>
void check_params(const boost::json::value& params) {
  id_source ids{1};
  if (const auto sent = Codec::read_send_params(params, ids); accepted(sent)) {
    demand(!sent->command.message.message_id.empty() && !sent->command.message.parts.empty(),
           "a message without id or parts");
    auto spoken = sent->command.message;
    if (Codec::may_round_trip(spoken.parts)) {
      Codec::drop_unwritten(spoken);
      demand_round_trip(
          spoken, [](json_writer& out, const message& value) { Codec::write(out, value); },
          [&](const boost::json::value& tree) { return Codec::read_message(tree, ids); });
    }
  }
  if (const auto made = Codec::read_artifact(params, "artifact");
      accepted(made) && Codec::may_round_trip(made->parts))
    demand_round_trip(
        *made, [](json_writer& out, const artifact& value) { Codec::write(out, value); },
        [](const boost::json::value& tree) { return Codec::read_artifact(tree, "artifact"); });
  (void)accepted(Codec::read_message(params, ids));
  (void)accepted(Codec::read_part(params, "part"));
  (void)accepted(Codec::read_get_task(params));
  (void)accepted(Codec::read_cancel_task(params));
  (void)accepted(Codec::read_subscribe(params));
  if (const auto list = Codec::read_list_tasks(params); accepted(list)) {
    demand(list->page_size >= 1 && list->page_size <= 100, "a page of a size that is not allowed");
    if (list->state) {
      const boost::json::value named{{"status", std::string{Codec::state_name(*list->state)}}};
      demand(Codec::read_list_tasks(named).value().state == list->state,
             "a state with another name");
    }
  }
  check_push_configs<Codec>(params);
}

} // namespace troupe::fuzz
