#include "apps/serve/reload.hpp"

#include <set>
#include <utility>

namespace troupe {

namespace {

/// Those that came, went or have other members.
std::set<std::string> changed_tables(const other_tables& a, const other_tables& b) {
  std::set<std::string> out;
  for (const auto& [one, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
    for (const auto& [name, text] : *one)
      if (const auto found = other->find(name); found == other->end() || found->second != text)
        out.insert(name);
  return out;
}

} // namespace

std::string take_changes(serve_settings& now, const serve_settings& fresh,
                         const other_tables& tables_now, const other_tables& tables_fresh) {
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
  for (const auto& table : changed_tables(tables_now, tables_fresh))
    left += (left.empty() ? "" : ", ") + table;
  if (taken.empty() && left.empty())
    return "configuration read again: nothing has changed";
  return "configuration read again" + (taken.empty() ? "" : ": " + taken)
         + (left.empty() ? "" : "; a restart is needed for: " + left);
}

} // namespace troupe
