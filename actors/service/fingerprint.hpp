// A number that tells commands of one kind apart by what they ask for; who asks, and the request's
// id, aside. The store keeps it: the same content has the same number in every process.
#pragma once

#include <troupe/protocol/command.hpp>

#include <cstdint>

namespace troupe {

[[nodiscard]] std::uint64_t fingerprint_of(const send_message& command);
[[nodiscard]] std::uint64_t fingerprint_of(const cancel_task& command);
[[nodiscard]] std::uint64_t fingerprint_of(const create_objective& command);
[[nodiscard]] std::uint64_t fingerprint_of(const update_objective& command);
[[nodiscard]] std::uint64_t fingerprint_of(const create_plan& command);
[[nodiscard]] std::uint64_t fingerprint_of(const update_plan& command);
[[nodiscard]] std::uint64_t fingerprint_of(const change_plan& command);
[[nodiscard]] std::uint64_t fingerprint_of(const modify_objective& command);

} // namespace troupe
