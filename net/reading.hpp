// What every operation begins with: its command, decoded, and completed by who asks.
#pragma once

#include "net/operation.hpp"

namespace troupe::net {

/// Reads a command with one of the codec's readers. `unknown_tenant`: see `identify`.
template<class Command>
[[nodiscard]] result<Command> read(const operation_call& call,
                                   result<Command> (wire_codec::*reader)(const boost::json::value&) const, errc unknown_tenant) {
  auto command = (call.codec->*reader)(params_of(call));
  if (!command)
    return command;
  if (auto known = identify(call, command->who, unknown_tenant); !known)
    return known.error();
  return command;
}

} // namespace troupe::net
