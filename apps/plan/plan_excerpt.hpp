// The line of a plan file at which a mistake is, with a mark below it, as compilers show it.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe {

/// The line that the message of `why` names (`line 3: ...`) and a mark: at the column that it names
/// (`line 3, column 18: ...`), else at the value that the field of `why` names, or at the name of a
/// member that is not known, else where the line begins. Of a value that is missing, what should
/// have it is marked; of a value that has what the message quotes, only that. Empty if the message
/// names no line, or `text` has no such line. Each line ends with a newline and has at most
/// `columns`.
[[nodiscard]] std::string plan_excerpt(std::string_view text, bool is_yaml, const error& why,
                                       std::size_t columns);

/// Says why the file `path` is refused, with its line. Of standard input, which is read already,
/// only why.
void complain_about_plan(const error& why, const std::string& path);

} // namespace troupe
