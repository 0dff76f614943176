#include "apps/runs/run_record.hpp"

#include "apps/local_flag.hpp"
#include "apps/open_store.hpp"
#include <troupe/store/await.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

result<run_or_plan> run_or_plan_named(const std::string& name) {
  const auto folder = own_runs_folder();
  if (!folder)
    return folder.error();
  auto whole = named_run(*folder, name); // A directory may have a dot in its name.
  const auto slash = name.rfind('/');
  const auto begin = slash == std::string::npos ? 0 : slash + 1; // Of the id; 0: no directory.
  const auto dot = name.find('.', begin);
  if (whole || dot == std::string::npos)
    return whole ? result<run_or_plan>(run_or_plan{std::move(*whole), {}}) : whole.error();
  const auto id = name.substr(begin, dot - begin);
  auto run = named_run(*folder, begin == 0 ? id : name.substr(0, begin));
  if (!run)
    return run.error();
  // The run may have been named by the beginning of its id.
  if (begin != 0 && (id.empty() || !run->id.starts_with(id)))
    return make_error(errc::objective_not_found,
                      "the run in " + run->directory + " is " + run->id + ", not " + shown(id));
  auto plan = run->id + name.substr(dot);
  return run_or_plan{std::move(*run), std::move(plan)};
}

result<void> check_plan_of(const objective_view& run, const std::string& plan) {
  const bool has_plan = plan.empty() || std::ranges::any_of(run.plans, [&](const plan_view& each) {
                          return each.spec->id.str() == plan;
                        });
  if (has_plan)
    return {};
  return make_error(errc::plan_not_found,
                    "the run " + run.id.str() + " has no plan " + shown(plan));
}

result<run_record> open_record(const run_entry& entry) {
  run_record out;
  auto hold = run_hold::take(entry.directory);
  if (!hold)
    return hold.error();
  if (*hold == nullptr)
    return make_error(errc::store_locked, "the run " + entry.id + " is running; `troupe logs "
                                              + entry.id + local_flag()
                                              + " --follow` shows what its programs write");
  out.hold = std::move(*hold);
  store_choice choice;
  choice.directory = entry.directory;
  auto records = open_store(choice);
  if (!records)
    return records.error();
  out.records = std::move(*records);
  auto view = await_objective(*out.records, objective_id(entry.id));
  if (!view)
    return view.error();
  out.view = std::move(*view);
  return out;
}

} // namespace troupe
