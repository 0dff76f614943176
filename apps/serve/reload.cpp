#include "apps/serve/reload.hpp"

namespace troupe {

std::string take_changes(serve_settings& now, const serve_settings& fresh) {
  std::string taken;
  std::string left;
  for (const auto key : differences(now, fresh)) {
    const auto& which = *find_setting(key);
    auto& list = which.is_reloadable ? taken : left;
    list += (list.empty() ? "" : ", ") + std::string(key);
    if (!which.is_reloadable)
      continue;
    list += " = " + shown_value(which, fresh);
    static_cast<void>(which.set(now, which.get(fresh))); // It was valid there.
  }
  if (taken.empty() && left.empty())
    return "configuration read again: nothing has changed";
  return "configuration read again" + (taken.empty() ? "" : ": " + taken)
         + (left.empty() ? "" : "; a restart is needed for: " + left);
}

} // namespace troupe
