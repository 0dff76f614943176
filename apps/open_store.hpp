// Opens the store a command was asked for.
#pragma once

#include "apps/options.hpp"
#include "apps/terminal/progress_line.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/store/store.hpp>

#include <memory>

namespace troupe {

/// `choice.directory` is set, or the kind is memory. If it takes long, a line on the terminal of
/// standard error says how far it is.
[[nodiscard]] result<std::unique_ptr<store>> open_store(const store_choice& choice);
/// The same, with another line.
[[nodiscard]] result<std::unique_ptr<store>> open_store(const store_choice& choice,
                                                        progress_line& line);

} // namespace troupe
