// Opens the store a command was asked for, and knows where `troupe run` keeps a file's record when
// no directory is given.
#pragma once

#include "apps/options.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/store/store.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// `choice.directory` is set, or the kind is memory. If it takes long, a line on the terminal of
/// standard error says how far it is.
[[nodiscard]] result<std::unique_ptr<store>> open_store(const store_choice& choice);

/// `<state>/troupe/runs/<stem>-<8 hex digits of the canonical path>`; `<state>` is `xdg_state_home`
/// or `<home>/.local/state` (XDG Base Directory Specification 0.8). For standard input the text
/// takes the path's place. Error: unavailable if neither is set.
[[nodiscard]] result<std::string> default_run_directory(const std::string& file,
                                                        std::string_view text,
                                                        const char* xdg_state_home,
                                                        const char* home);

} // namespace troupe
