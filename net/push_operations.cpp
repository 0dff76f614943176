// The operations about push notifications (A2A 1.0 sections 3.1.7 to 3.1.10) over the push service.
#include "net/operations.hpp"

#include "net/asking.hpp"
#include "net/push_service.hpp"
#include "net/reading.hpp"

#include <utility>

namespace troupe::net {

namespace {

awaitable<void> create_and_answer(operation_call& call, create_push_config command) {
  const auto made = co_await ask<push_config>(call.connection, [&](reply<push_config> done) {
    call.server().push.create(std::move(command), std::move(done));
  });
  if (!made)
    co_return fail(call, made.error());
  answer(call, [&](json_writer& out) { call.codec->write_push(out, *made); });
}

awaitable<void> erase_and_answer(operation_call& call, delete_push_config command) {
  const auto gone = co_await ask<void>(call.connection, [&](reply<void> done) {
    call.server().push.erase(std::move(command), std::move(done));
  });
  if (!gone)
    co_return fail(call, gone.error());
  answer(call, [&](json_writer& out) { call.codec->write_push_deleted(out); });
}

} // namespace

awaitable<void> create_push_config_operation(operation_call& call) {
  auto command = read(call, &wire_codec::read_create_push, errc::task_not_found);
  if (!command) {
    fail(call, command.error());
    return {};
  }
  command->what.owner = command->who;
  return create_and_answer(call, std::move(*command));
}

awaitable<void> get_push_config_operation(operation_call& call) {
  const auto query = read(call, &wire_codec::read_get_push, errc::task_not_found);
  const auto found = query ? call.server().push.get(*query) : result<push_config>(query.error());
  if (found)
    answer_read(call, [&](json_writer& out) { call.codec->write_push(out, *found); });
  else
    fail(call, found.error());
  return {};
}

awaitable<void> list_push_configs_operation(operation_call& call) {
  const auto query = read(call, &wire_codec::read_list_push, errc::task_not_found);
  const auto page = query ? call.server().push.list(*query) : result<push_config_page>(query.error());
  if (page)
    answer_read(call, [&](json_writer& out) { call.codec->write_push_list(out, page->configs, page->next_page_token); });
  else
    fail(call, page.error());
  return {};
}

awaitable<void> delete_push_config_operation(operation_call& call) {
  auto command = read(call, &wire_codec::read_delete_push, errc::task_not_found);
  if (!command) {
    fail(call, command.error());
    return {};
  }
  return erase_and_answer(call, std::move(*command));
}

} // namespace troupe::net
