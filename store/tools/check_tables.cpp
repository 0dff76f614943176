#include "protocol/fold/apply.hpp"
#include "protocol/record/record.hpp"
#include "protocol/text/hex.hpp"
#include "store/once_table.hpp"
#include "store/place.hpp"
#include "store/rocksdb/derived_rows.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"
#include "store/tools/check_parts.hpp"
#include "store/tools/list_key.hpp"
#include <troupe/protocol/push_row.hpp>
#include <troupe/protocol/task_state.hpp>

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace troupe {

namespace {

constexpr std::size_t sequence_bytes = 8;
constexpr char last_letter = 'z'; ///< With which keys begin.

/// The parts of the key of a history row; nothing if it is not one.
struct history_key {
  rows::stream_kind kind = rows::stream_kind::objective;
  std::string_view stream;
  std::uint64_t sequence = 0;
};
std::optional<history_key> read_history_key(std::string_view key) {
  constexpr std::size_t front = 3; // e/o
  if (key.size() < front + 1 + sequence_bytes || (key[2] != 'o' && key[2] != 't')
      || key[key.size() - sequence_bytes - 1] != '/')
    return std::nullopt;
  return history_key{static_cast<rows::stream_kind>(key[2]),
                     key.substr(front, key.size() - front - 1 - sequence_bytes),
                     big_endian(key.substr(key.size() - sequence_bytes))};
}

/// Rows are taken in the order of their keys.
class table_checker {
public:
  table_checker(rocksdb::DB& db, check_desk& desk)
      : db_(db), desk_(desk), counts_(desk.report.counts) {}

  void run() {
    rocksdb::ReadOptions how;
    how.fill_cache = false;
    how.total_order_seek = true;
    // After damage it goes on with the rows of the next first letter.
    for (char letter = ' '; letter <= last_letter; ++letter) {
      const std::unique_ptr<rocksdb::Iterator> row{db_.NewIterator(how)};
      std::string last;
      for (row->Seek(std::string(1, letter)); row->Valid(); row->Next()) {
        last = text_of(row->key());
        desk_.advance("rows of the tables", counts_.rows++);
        take(last, text_of(row->value()));
      }
      if (row->status().ok())
        break;
      letter = last.empty() ? letter : last.front();
      find(last.empty() ? std::string(1, letter) : last,
           "From there on the tables cannot be read (" + row->status().ToString() + ").");
    }
    end_stream();
    compare_numbers();
    if (const auto sums = db_.VerifyChecksum(); !sums.ok())
      desk_.find("tables", "A checksum does not fit: " + sums.ToString() + ".");
  }

private:
  struct row_kind {
    std::string_view prefix;
    void (table_checker::*take)(std::string_view key, std::string_view value);
  };

  void take(std::string_view key, std::string_view value) {
    if (key == rows::format_key || key == rows::mark_key)
      return; // Read when the tables were opened.
    if (key == rows::counts_key) {
      said_ = rows::read_counts(value);
      if (!said_)
        find(key, "The counts cannot be read.");
      return;
    }
    static constexpr auto kinds = std::to_array<row_kind>({
        // All of rocksdb_rows.hpp.
        {"e/", &table_checker::take_change},
        {"l/", &table_checker::take_live},
        {"t/", &table_checker::take_task},
        {"o/", &table_checker::take_objective},
        {"i/t", &table_checker::take_place<&rows::read_task_place>},
        {"i/p", &table_checker::take_place<&rows::read_plan_place>},
        {"w/t", &table_checker::take_task_placement},
        {"w/o", &table_checker::take_objective_placement},
        {rows::push_prefix, &table_checker::take_push},
        {rows::once_prefix, &table_checker::take_once},
        {"x", &table_checker::take_list_row},
        {"y", &table_checker::take_list_row},
    });
    for (const auto& kind : kinds)
      if (key.starts_with(kind.prefix)) {
        (this->*kind.take)(key, value);
        return;
      }
    find(key, "There is no such kind of row.");
  }

  // -- the history ------------------------------------------------------------------------------

  struct stream_state {
    rows::stream_kind kind = rows::stream_kind::objective;
    std::string id;
    std::uint64_t last = 0;
    std::uint32_t plans = 0;
    bool has_ended = false; ///< A lone task.
  };

  void take_change(std::string_view key, std::string_view value) {
    const auto where = read_history_key(key);
    if (!where) {
      find(key, "It is not the key of a change.");
      return;
    }
    if (!stream_ || stream_->kind != where->kind || stream_->id != where->stream) {
      end_stream();
      stream_ = stream_state{where->kind, std::string{where->stream}};
      ++(where->kind == rows::stream_kind::objective ? counts_.objectives : counts_.lone_tasks);
    }
    if (where->sequence != stream_->last + 1)
      find(key, "Change " + std::to_string(stream_->last + 1) + " of the stream is missing.");
    const bool is_first = stream_->last == 0;
    stream_->last = where->sequence;
    ++counts_.changes;
    const auto change = record::read_change(value, where->stream, where->sequence);
    if (!change) {
      find(key, "The change cannot be read (" + change.error().message + ").");
      return;
    }
    const bool is_lone = where->kind == rows::stream_kind::lone_task;
    desk_.show({where->stream, is_lone, where->sequence, value});
    const bool begins =
        is_lone ? created_record(*change) != nullptr : created_objective(*change) != nullptr;
    if (is_first && !begins)
      find(key, "The stream has no beginning.");
    if (change->task.id.empty()) {
      check_places_of(*change);
      return;
    }
    if (!ends_task(*change))
      return;
    ++ends_;
    stream_->has_ended = true;
    rows::task_key(key_, change->task.id.str());
    if (!has(key_))
      find(key_, "The task has ended (" + show_key(key) + "), and its row is missing.");
  }

  /// Ids that do not say themselves where they belong have a row that does.
  void check_places_of(const change& news) {
    if (const auto* created = created_objective(news); created && created->spec)
      for (const auto& plan : created->spec->plans)
        check_places_of(news.context, *plan);
    for (const auto& fact : news.events)
      if (const auto* added = std::get_if<plan_added>(&fact); added && added->spec)
        check_places_of(news.context, *added->spec);
  }
  void check_places_of(const std::string& objective, const plan_spec& plan) {
    const auto index = stream_->plans++;
    const auto demand = [&] {
      if (!has(key_))
        find(key_, "It is missing; the id is in a plan of objective " + objective + ".");
    };
    if (!is_generated(plan.id, objective_id{objective}, index)) {
      rows::plan_place_key(key_, plan.id.str());
      demand();
    }
    for (std::size_t i = 0; i < plan.tasks.size(); ++i)
      if (!is_generated(plan.tasks[i].id, plan.id, i)) {
        rows::task_place_key(key_, plan.tasks[i].id.str());
        demand();
      }
  }

  void end_stream() {
    if (!stream_)
      return;
    const auto ended = *std::exchange(stream_, std::nullopt);
    rows::live_key(key_, ended.kind, ended.id);
    const bool is_live = has(key_);
    if (ended.kind == rows::stream_kind::objective) {
      rows::objective_key(key_, ended.id);
      if (!is_live && !has(key_))
        find(key_, "The objective is not live, and its row is missing.");
    } else if (is_live == ended.has_ended) {
      find(key_, is_live ? "The task has ended, and is listed as live."
                         : "The task has not ended, and is not listed as live.");
    }
  }

  void take_live(std::string_view key, std::string_view) {
    ++counts_.live_streams;
    const bool is_objective = key.starts_with("l/o");
    if (!is_objective && !key.starts_with("l/t"))
      find(key, "There is no such kind of row.");
    else if (!has_history(is_objective ? rows::stream_kind::objective
                                       : rows::stream_kind::lone_task,
                          key.substr(3)))
      find(key, "The stream is live, and has no history.");
  }

  // -- what has ended ---------------------------------------------------------------------------

  void take_task(std::string_view key, std::string_view value) {
    ++counts_.ended_tasks;
    const auto record = record::read_task(value);
    if (!record) {
      find(key, "The task cannot be read (" + record.error().message + ").");
      return;
    }
    const auto state = record->status.state;
    if (record->id.str() != key.substr(2))
      find(key, "It is the record of task " + record->id.str() + ".");
    if (!is_terminal(state))
      find(key, "The task has not ended.");
    anonymous_ = anonymous_ + rows::counts_of(*record);
    if (!has_history(rows::stream_kind::lone_task, record->id.str())
        && !has_history(rows::stream_kind::objective, record->context))
      find(key, "The task has no history.");
    derived_.list_rows_of(*record, list_rows_expected(key));
  }

  /// Called with the rows that the lists must have of the record in row `key`.
  rows::put_fn list_rows_expected(std::string_view key) {
    return [this, key](std::string_view list_key, std::string_view value) {
      if (const auto row = get(list_key); !row || *row != value)
        find(key, "The list " + word_of(list_key) + " does not have it so (row "
                      + show_key(list_key) + ").");
    };
  }
  static std::string word_of(std::string_view key) {
    const auto list = read_list_key(key);
    return list && list->kind == list_kind::tasks_by_context ? "by context" : "by state";
  }

  void take_objective(std::string_view key, std::string_view value) {
    const objective_id id{key.substr(2)};
    const auto record = rows::read_objective_row(value, id);
    if (!record) {
      find(key, "The objective cannot be read (" + record.error().message + ").");
      return;
    }
    if (record->view->id != id)
      find(key, "It is the record of objective " + record->view->id.str() + ".");
    rows::live_key(key_, rows::stream_kind::objective, id.str());
    if (has(key_)) // It was sealed, and lives again: the row is not read any more.
      return;
    ++counts_.sealed_objectives;
    const auto state = record->view->state;
    if (!is_settled(state))
      find(key, "The objective is not settled.");
    anonymous_ = anonymous_ + rows::counts_of(*record->view);
    rows::history_key(key_, rows::stream_kind::objective, id.str(), record->sequence);
    const bool has_last = has(key_);
    rows::history_key(key_, rows::stream_kind::objective, id.str(), record->sequence + 1);
    if (!has_last || has(key_))
      find(key, "It is as after change " + std::to_string(record->sequence)
                    + ", which is not the last one of the history.");
    derived_.list_rows_of(*record->view, list_rows_expected(key));
  }

  // -- rows that point to others ----------------------------------------------------------------

  template<auto Read>
  void take_place(std::string_view key, std::string_view value) {
    const auto place = Read(value);
    if (!place)
      find(key, "The place cannot be read.");
    else
      check_place(key, place->objective);
  }
  void check_place(std::string_view key, const objective_id& objective) {
    if (!has_history(rows::stream_kind::objective, objective.str()))
      find(key, "It points to objective " + objective.str() + ", which has no history.");
  }

  void take_task_placement(std::string_view key, std::string_view value) {
    rows::task_key(key_, key.substr(3));
    const auto row = get(key_);
    std::optional<std::string> owner;
    if (row)
      if (const auto record = record::read_task(*row))
        owner = record->owner;
    check_placement(key, value, row.has_value(), owner);
  }
  void take_objective_placement(std::string_view key, std::string_view value) {
    const objective_id id{key.substr(3)};
    rows::objective_key(key_, id.str());
    const auto row = get(key_);
    std::optional<std::string> owner;
    if (row)
      if (const auto record = rows::read_objective_row(*row, id))
        owner = record->view->owner;
    check_placement(key, value, row.has_value(), owner);
  }
  /// `owner`: nothing if the record cannot be read; that is found where it is.
  void check_placement(std::string_view key, std::string_view value, bool has_record,
                       const std::optional<std::string>& owner) {
    const auto placement = rows::read_placement(value);
    if (!placement)
      find(key, "The owner and the place cannot be read.");
    else if (!has_record)
      find(key, "Its record is missing.");
    else if (owner && placement->owner != *owner)
      find(key, "It names another owner than the record.");
  }

  void take_once(std::string_view key, std::string_view value) {
    if (!read_once_row(key.substr(rows::once_prefix.size()), value))
      find(key, "What may come once cannot be read.");
  }

  void take_push(std::string_view key, std::string_view value) {
    ++counts_.push_configs;
    const auto parts = rows::push_key_parts(key);
    if (!parts) {
      find(key, "It is not the key of a push configuration.");
      return;
    }
    if (const auto row = record::read_push_row(value, parts->first, parts->second); !row)
      find(key, "The push configuration cannot be read (" + row.error().message + ").");
    else if (!knows_task(parts->first))
      find(key, "There is no such task.");
  }

  /// Ended, live by itself, or in a plan of an objective.
  bool knows_task(std::string_view id) {
    rows::task_key(key_, id);
    if (has(key_) || has_history(rows::stream_kind::lone_task, id))
      return true;
    if (const auto renewed = split_number(id, ".r"))
      id = renewed->base;
    rows::task_place_key(key_, id);
    if (has(key_))
      return true;
    auto plan = id;
    if (const auto task = split_number(id, ".t"))
      plan = task->base;
    rows::plan_place_key(key_, plan);
    const auto objective = split_number(plan, ".p");
    return has(key_) || (objective && has_history(rows::stream_kind::objective, objective->base));
  }

  void take_list_row(std::string_view key, std::string_view value) {
    const auto where = read_list_key(key);
    if (!where) {
      find(key, "It is not the key of a list row.");
      return;
    }
    if (where->kind == list_kind::tasks_by_context && value.size() != 1)
      find(key, "It has no state.");
    ++listed_[where->kind];
    if (where->kind == list_kind::objectives_by_state)
      rows::objective_key(key_, where->id);
    else
      rows::task_key(key_, where->id);
    if (!has(key_))
      find(key, "What it lists is missing (row " + show_key(key_) + ").");
  }

  // -- numbers ----------------------------------------------------------------------------------

  void compare_numbers() {
    const auto compare = [&](std::uint64_t rows, const char* kind, std::uint64_t expected,
                             const char* of) {
      if (rows != expected)
        desk_.find("tables", "There are " + std::to_string(rows) + " " + kind + ", and "
                                 + std::to_string(expected) + " " + of + ".");
    };
    compare(counts_.ended_tasks, "rows of ended tasks", ends_, "ends of tasks in the history");
    compare(listed_[list_kind::tasks_by_context], "rows of the list of tasks by context",
            counts_.ended_tasks, "rows of ended tasks");
    compare(listed_[list_kind::tasks_by_state], "rows of the list of tasks by state",
            counts_.ended_tasks, "rows of ended tasks");
    compare(listed_[list_kind::objectives_by_state], "rows of the list of objectives by state",
            counts_.sealed_objectives, "sealed objectives");
    const auto said = said_.value_or(rows::counts{});
    if (said.tasks != anonymous_.tasks || said.objectives != anonymous_.objectives)
      find(rows::counts_key, "The counts by state are not those of the rows: " + list(said)
                                 + " instead of " + list(anonymous_) + ".");
  }

  static std::string list(const rows::counts& counts) {
    std::string out = "tasks";
    for (const auto each : counts.tasks)
      out += " " + std::to_string(each);
    out += ", objectives";
    for (const auto each : counts.objectives)
      out += " " + std::to_string(each);
    return out;
  }

  // -- looking up -------------------------------------------------------------------------------

  bool has_history(rows::stream_kind kind, std::string_view stream) {
    // The tasks of an objective are neighbours, and its first change may have megabytes.
    const bool is_objective = kind == rows::stream_kind::objective;
    if (is_objective && stream == asked_)
      return was_found_;
    std::string key;
    rows::history_key(key, kind, stream, 1);
    const bool is_there = has(key);
    if (is_objective) {
      asked_ = stream;
      was_found_ = is_there;
    }
    return is_there;
  }

  bool has(std::string_view key) { return get(key).has_value(); }

  /// A row that cannot be read counts as there: it is found where its turn comes.
  std::optional<std::string> get(std::string_view key) {
    rocksdb::ReadOptions how;
    std::string row;
    const auto status = db_.Get(how, slice_of(key), &row);
    return status.IsNotFound() ? std::nullopt : std::optional{std::move(row)};
  }

  void find(std::string_view key, std::string problem) {
    desk_.find("row " + show_key(key), std::move(problem));
  }

  rocksdb::DB& db_;
  check_desk& desk_;
  check_counts& counts_;
  std::optional<stream_state> stream_; ///< Whose history is being read.
  std::optional<rows::counts> said_;   ///< By the row of the counts.
  rows::counts anonymous_;             ///< As counted.
  std::uint64_t ends_ = 0;             ///< Of tasks, in the history.
  std::map<list_kind, std::uint64_t> listed_;
  std::string asked_; ///< The objective whose history was last looked for.
  bool was_found_ = false;
  rows::derived_rows derived_;
  std::string key_; ///< Scratch.
};

} // namespace

std::string show_key(std::string_view key) {
  std::string out;
  const auto history = read_history_key(key);
  const auto text =
      history && key.starts_with("e/") ? key.substr(0, key.size() - sequence_bytes) : key;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x20 && byte < 0x7f && each != '\\')
      out += each;
    else
      append_hex(out.append("\\x"), byte, 2);
  }
  return text.size() == key.size() ? out : out + std::to_string(history->sequence);
}

void check_tables(rocksdb::DB& db, check_desk& desk) {
  table_checker{db, desk}.run();
}

} // namespace troupe
