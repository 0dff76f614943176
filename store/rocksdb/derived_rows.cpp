#include "store/rocksdb/derived_rows.hpp"

#include "protocol/change_size.hpp"
#include "protocol/record/record.hpp"

namespace troupe::rows {

namespace {

void free_long(std::string& scratch) {
  if (scratch.capacity() >= long_row_bytes)
    std::string().swap(scratch);
}

} // namespace

// -- records --------------------------------------------------------------------------------------

std::size_t derived_rows::record_of(const task& ended, const put_fn& put) {
  value_.clear();
  if (const auto bytes = bytes_of(ended); bytes >= long_row_bytes)
    value_.reserve(bytes + bytes / 8); // Some characters are escaped.
  record::write(value_, ended);
  task_key(key_, ended.id.str());
  const auto bytes = put_value(put);
  if (bytes > placed_row_bytes_min) {
    task_placement_key(key_, ended.id.str());
    put_placement(placement_of(ended), put);
  }
  return bytes;
}

std::size_t derived_rows::record_of(const objective_state_of_record& sealed, const put_fn& put) {
  write_objective_row(value_, sealed);
  objective_key(key_, sealed.view->id.str());
  const auto bytes = put_value(put);
  if (bytes > placed_row_bytes_min) {
    objective_placement_key(key_, sealed.view->id.str());
    put_placement(placement_of(*sealed.view), put);
  }
  return bytes;
}

std::size_t derived_rows::put_value(const put_fn& put) {
  const auto bytes = value_.size();
  put(key_, value_);
  free_long(value_);
  return bytes;
}

void derived_rows::put_placement(const placement& placed, const put_fn& put) {
  write_placement(value_, placed);
  put(key_, value_);
}

// -- lists ----------------------------------------------------------------------------------------

void derived_rows::list_rows_of(const task& ended, const put_fn& put) {
  const auto& status = ended.status;
  const char state = static_cast<char>('0' + static_cast<int>(status.state));
  context_index_prefix(key_, ended.owner, ended.context);
  append_position(key_, status.at, ended.id.str());
  put(key_, {&state, 1});
  task_state_index_prefix(key_, ended.owner, status.state);
  append_position(key_, status.at, ended.id.str());
  put(key_, {});
}

void derived_rows::list_rows_of(const objective_view& sealed, const put_fn& put) {
  objective_state_index_prefix(key_, sealed.owner, sealed.state);
  append_position(key_, sealed.updated, sealed.id.str());
  put(key_, {});
}

// -- counts ---------------------------------------------------------------------------------------

counts counts_of(const task& ended) noexcept {
  counts out;
  if (ended.owner.empty())
    out.tasks[static_cast<std::size_t>(ended.status.state)] = 1;
  return out;
}

counts counts_of(const objective_view& sealed) noexcept {
  counts out;
  if (sealed.owner.empty())
    out.objectives[static_cast<std::size_t>(sealed.state)] = 1;
  return out;
}

} // namespace troupe::rows
