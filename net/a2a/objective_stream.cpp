#include "net/a2a/objective_stream.hpp"

#include "actors/service/service.hpp"
#include "net/a2a/shown_objective.hpp"
#include "net/a2a/task_stream.hpp"
#include "protocol/json/quoted.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe::net {

namespace {

using opt::objective_cursor;

/// Where the client's last stream broke: the param `cursor` (on REST the query's), or the headers
/// `Troupe-Cursor` or `Last-Event-ID`, which browsers send by themselves.
result<std::optional<objective_cursor>> read_objective_cursor(const operation_call& call) {
  std::string_view text = call.request.stream_cursor;
  if (text.empty())
    text = call.request.last_event_id;
  const auto given = cursor_param_of(call);
  if (!given)
    return given.error();
  if (!given->empty())
    text = *given;
  if (text.empty())
    return std::optional<objective_cursor>{};
  const auto at = opt::parse_objective_cursor(text);
  if (!at)
    return make_error(errc::invalid_params,
                      "cursor: " + quoted(shown(text))
                          + " is not a cursor; send the id of an event of the objective",
                      "cursor");
  return at;
}

awaitable<void> stream_objective(operation_call& call, opt::subscribe_to_objective asked,
                                 std::optional<objective_cursor> after, client_place place) {
  const client_place held = std::move(place);
  awaited_reply<objective_ptr> begun(call);
  auto source = make_feed(call);
  const service::subscribe_to_objective wanted{.who = asked.who, .id = asked.id};
  call.operations().follow(wanted, source, begun.to());
  const bool is_here = co_await arrival(call, begun);
  if (!is_here)
    co_return;
  if (!begun.value()) {
    co_await fail_stream(call, begun.value().error());
    co_return;
  }
  const auto& now = source->snapshot();
  if (after && (after->sequence > now.sequence || after->revision > now.objective->revision)) {
    auto ahead =
        make_error(errc::invalid_params,
                   "cursor: is ahead of the objective: it belongs to another one", "cursor");
    co_await fail_stream(call, std::move(ahead));
    co_return;
  }
  if (after)
    source->go_on_after(stream_cursor{after->sequence, stream_cursor::whole});
  shown_objective shown(call, std::move(source), asked, after); // the gateway actor owns the feed
  co_await show(call, shown);
}

} // namespace

awaitable<void> serve_subscribe_to_objective(operation_call& call) {
  auto command = opt::read_subscribe_to_objective(params_of(call));
  if (!command)
    return fail_stream(call, command.error());
  if (auto known =
          identify(call, command->who, row_of(operation::subscribe_to_objective).unknown_tenant);
      !known)
    return fail_stream(call, known.error());
  const auto after = read_objective_cursor(call);
  if (!after)
    return fail_stream(call, after.error());
  auto place = take_stream(call);
  if (!place)
    return {};
  return stream_objective(call, std::move(*command), *after, std::move(place));
}

} // namespace troupe::net
