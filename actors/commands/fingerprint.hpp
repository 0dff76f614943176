// A number that tells commands of one kind apart by what they ask for; who asks, and the request's
// id, aside. The store keeps it: the same content has the same number in every process.
#pragma once

#include "protocol/record/command_text.hpp"
#include "store/journal/checksum.hpp"

#include <cstdint>

namespace troupe {

template<class Command>
[[nodiscard]] std::uint64_t fingerprint_of(const Command& command) {
  return journal::checksum(record::command_text(command));
}

} // namespace troupe
