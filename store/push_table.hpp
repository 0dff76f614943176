// The push configurations of one store, in memory, and the writes on their way in. Both kinds of
// store have one; the durable store writes what is staged before it is published.
//
// Reading is thread-safe. `stage`, `staged`, `publish` and `clear` belong to one thread at a time.
#pragma once

#include <troupe/protocol/memory_budget.hpp>
#include <troupe/store/limits.hpp>
#include <troupe/store/push_configs.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

/// One call of push_configs that changes something.
struct push_write {
  enum class kind : std::uint8_t { save, erase, note };

  kind operation = kind::save;
  push_row row;       ///< erase: task, id and serial; note: progress besides.
  std::string client; ///< For whom it counts while it waits (push_configs).
  push_configs::saved_fn saved;
  push_configs::erased_fn erased;
  result<push_row> outcome = push_row{}; ///< Of a save, once it is staged.

  /// A caller waits for it to be durable.
  [[nodiscard]] bool is_awaited() const noexcept { return saved || erased; }
};

class push_table {
public:
  using key = std::pair<std::string, std::string>; ///< Task and configuration.

  /// `memory`: where rows are counted (memory_account::push_configs).
  explicit push_table(memory_budget_ptr memory = std::make_shared<memory_budget>())
      : memory_(std::move(memory)) {}
  push_table(const push_table&) = delete;
  push_table& operator=(const push_table&) = delete;
  ~push_table();

  /// As things are now, what is staged aside; push_configs::has_room.
  [[nodiscard]] result<void> has_room(const task_id& task, const std::string& id) const;
  [[nodiscard]] std::optional<push_row> find(const task_id& task, const std::string& id) const;
  [[nodiscard]] std::vector<push_row> list(const task_id& task) const;
  [[nodiscard]] std::vector<push_row> all() const;

  /// Puts back what was read at start.
  void restore(push_row row);

  /// Stages a row as it is to be, or, if there is none, that it goes.
  void stage(const key& which, std::optional<push_row> row);
  /// Works out what the writes lead to, in order, and what to tell those who wait.
  void stage(std::vector<push_write>& writes);
  /// How each row that is concerned is to be: null if it goes.
  [[nodiscard]] const std::map<key, std::optional<push_row>>& staged() const noexcept {
    return staged_;
  }
  /// Makes it visible, and nothing is staged any more.
  void publish();
  /// Tells the callers that wait.
  static void answer(std::vector<push_write>& writes);

private:
  [[nodiscard]] std::optional<push_row> current(const key& which) const;
  [[nodiscard]] result<void> admit(const key& which) const;
  [[nodiscard]] result<void> admit_bytes(const push_row& row,
                                         const std::optional<push_row>& before) const;
  void put(const key& which, push_row row);
  void set(const key& which, std::optional<push_row> to);
  /// Rows of the task. With the lock held.
  [[nodiscard]] std::size_t count(const std::string& task) const;

  const memory_budget_ptr memory_;
  mutable std::mutex guard_;
  std::map<key, push_row> rows_;
  // Of the thread that stages:
  std::map<key, std::optional<push_row>> staged_;
  std::map<std::string, std::ptrdiff_t> added_; ///< By task.
  std::ptrdiff_t added_in_all_ = 0;
  std::uint64_t last_serial_ = 0;
};

/// The writes that wait for a writer. What the program itself writes is bounded by the number of
/// configurations: of the same kind only the latest waits. Not thread-safe.
class push_queue {
public:
  struct bounds {
    std::size_t writes_max = push_writes_max;
    std::size_t writes_per_client_max = push_writes_per_client_max;
    std::size_t bytes_max = push_writes_bytes_max;
  };
  explicit push_queue(const bounds& limits) : limits_(limits) {}

  /// Takes the write, or leaves it as it is: errc::overloaded if a caller waits for it and too much
  /// waits already.
  [[nodiscard]] result<void> push(push_write& added);
  /// The first of them, in order, as many as one group may have; others stay.
  [[nodiscard]] std::vector<push_write> take();
  [[nodiscard]] bool empty() const noexcept { return writes_.empty(); }
  /// Nothing waits but progress, which may become durable later (push_configs::note).
  [[nodiscard]] bool has_only_progress() const noexcept { return urgent_ == 0; }

private:
  using same = std::tuple<push_write::kind, std::string, std::string, std::uint64_t>;

  [[nodiscard]] static same key_of(const push_write& write);

  bounds limits_;
  std::deque<push_write> writes_;
  std::size_t first_ = 0;                 ///< The number of the write in front.
  std::map<same, std::size_t> unawaited_; ///< The numbers of these writes.
  std::unordered_map<std::string, std::size_t> awaited_by_client_; ///< Writes by client.
  std::size_t awaited_ = 0;
  std::size_t urgent_ = 0; ///< All but mere progress.
  std::size_t bytes_ = 0;  ///< Of those that are awaited.
};

/// push_configs over a table; a store says what becomes of a write.
class push_desk : public push_configs {
public:
  explicit push_desk(memory_budget_ptr memory) : table_(std::move(memory)) {}

  void save(push_config config, push_progress from, saved_fn then) final;
  void erase(const task_id& task, const std::string& id, std::uint64_t serial, erased_fn then,
             const std::string& client) final;
  void note(const task_id& task, const std::string& id, std::uint64_t serial,
            push_progress progress) final;
  [[nodiscard]] result<void> has_room(const task_id& task, const std::string& id) const final {
    return table_.has_room(task, id);
  }
  [[nodiscard]] std::optional<push_row> find(const task_id& task,
                                             const std::string& id) const final {
    return table_.find(task, id);
  }
  [[nodiscard]] std::vector<push_row> list(const task_id& task) const final {
    return table_.list(task);
  }
  [[nodiscard]] std::vector<push_row> all() const final { return table_.all(); }

protected:
  /// Any thread.
  virtual void submit(push_write push_write) = 0;
  /// Tells the caller of a write that is not taken.
  static void refuse(const push_write& refused, const error& why);
  [[nodiscard]] push_table& table() noexcept { return table_; }

private:
  push_table table_;
};

} // namespace troupe
