// What a shell needs to complete command lines: it asks `troupe __complete WORD...`, whose last
// word is being typed. The first line of the answer says what the shell adds by itself (`:files`,
// `:directories`, `:none`); each further one is a word, a tab and its help.
#pragma once

#include "apps/options.hpp"

#include <string_view>

namespace troupe {

[[nodiscard]] std::string_view shell_script(shell_kind shell);

} // namespace troupe
