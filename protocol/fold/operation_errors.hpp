// Why a change of a plan or an objective is refused because of its operations: the same words for
// both kinds of change. The error's field names the operation (`/operations/3/task`).
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// A change has at least one operation, and at most plan_operations_max.
[[nodiscard]] result<void> check_operation_count(std::size_t operations);

/// The operation at that position is refused; `member` is what is wrong in it, as `/task`.
[[nodiscard]] error operation_error(std::size_t position, errc code, const std::string& why,
                                    std::string_view member = "");

} // namespace troupe
