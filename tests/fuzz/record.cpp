// Rows of the store. A damaged row is refused with errc::store_failed; one that is read is written
// the same again.
#include "protocol/record/record.hpp"

#include "tests/fuzz/fuzz_target.hpp"
#include <troupe/protocol/push_row.hpp>

using namespace troupe;

namespace {

template<class Read>
void check(std::string_view row, const Read& read) {
  (void)fuzz::accepted(read(row), errc::store_failed);
  const auto value = read(fuzz::with_short_fractions(row));
  if (!fuzz::accepted(value, errc::store_failed))
    return;
  std::string first;
  record::write(first, *value);
  const auto back = read(first);
  fuzz::demand(back.has_value(), "a row that was written is refused", first,
               back ? "" : back.error().message);
  std::string second;
  record::write(second, *back);
  fuzz::demand(first == second, "a row read back otherwise", first, second);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto row = fuzz::text_of(data, size);
  check(row, [](std::string_view text) { return record::read_change(text, "obj-1", 7); });
  check(row, [](std::string_view text) { return record::read_task(text); });
  check(row, [](std::string_view text) { return record::read_objective(text); });
  check(row, [](std::string_view text) { return record::read_push_row(text, "task-1", "push-1"); });
  return 0;
}
