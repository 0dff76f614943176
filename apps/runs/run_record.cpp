#include "apps/runs/run_record.hpp"

#include "apps/local_flag.hpp"
#include "apps/open_store.hpp"
#include <troupe/store/await.hpp>

#include <utility>

namespace troupe {

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
