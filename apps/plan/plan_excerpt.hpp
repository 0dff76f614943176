// The line of a plan file at which a mistake is, with a mark below it, as compilers show it.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe {

/// The line and a mark: at the column that the message of `why` names (`line 3, column 18: ...`),
/// else at the member or text that its message names (`line 12 (/tasks/3/agnet): ...`), else at the
/// beginning of the line. Empty if the message names no line, or `text` has no such line. Each line
/// ends with a newline and has at most `columns`.
[[nodiscard]] std::string plan_excerpt(std::string_view text, const error& why,
                                       std::size_t columns);

/// Says why the file `path` is refused, with its line. Of standard input, which is read already,
/// only why.
void complain_about_plan(const error& why, const std::string& path);

} // namespace troupe
