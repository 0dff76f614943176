// Reads the disk: reads wait in a bounded queue, clients take turns, equal reads are done once.
// `turn` does one of them on the thread that calls it; a reader's thread calls `run`. Thread-safe.
#pragma once

#include "protocol/fair_queue.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/store/limits.hpp>
#include <troupe/store/store.hpp>

#include <any>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

struct reader_limits {
  std::size_t reads_max = archive_reads_max;
  std::size_t reads_per_client_max = archive_reads_per_client_max;
  std::size_t clients_max = archive_clients_max;
  std::size_t bytes_handed_out_max = archive_bytes_handed_out_max;
};

/// Bytes of the decoded records that are in use. Outlives its records.
class byte_gauge : public std::enable_shared_from_this<byte_gauge> {
public:
  explicit byte_gauge(memory_budget_ptr memory = std::make_shared<memory_budget>())
      : memory_(std::move(memory)) {}

  /// `record` as a pointer that counts `bytes` as long as it lives.
  template<class Record>
  [[nodiscard]] std::shared_ptr<Record> counted(Record record, std::size_t bytes) {
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    memory_->force(memory_account::archive_reads, bytes);
    return {new Record(std::move(record)), [me = shared_from_this(), bytes](const Record* gone) {
              delete gone;
              me->bytes_.fetch_sub(bytes, std::memory_order_relaxed);
              me->memory_->give_back(memory_account::archive_reads, bytes);
            }};
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return bytes_.load(std::memory_order_relaxed);
  }

private:
  const memory_budget_ptr memory_;
  std::atomic<std::size_t> bytes_{0};
};

class archive_reader {
public:
  /// `bytes_handed_out`: of records that were read and are held, those of caches aside. Called
  /// under the reader's lock: only counts. `memory`: where they are counted.
  explicit archive_reader(const reader_limits& limits,
                          std::function<std::size_t()> bytes_handed_out = nullptr,
                          memory_budget_ptr memory = std::make_shared<memory_budget>())
      : limits_(limits), bytes_handed_out_(std::move(bytes_handed_out)), memory_(std::move(memory)),
        queue_(limits.clients_max) {}

  archive_reader(const archive_reader&) = delete;
  archive_reader& operator=(const archive_reader&) = delete;

  /// What a read found, and the bytes that it read from the disk.
  template<class T>
  struct loaded {
    result<T> value;
    std::size_t bytes = 0;
  };

  /// Has `load` called by a reader, and `done` with what it returns. Reads with the same `key` are
  /// done once as long as the first waits or is being done; the key says the type, too. Empty:
  /// joined with none. `client`: whose turn it takes; empty: the program itself, which only the
  /// length of the queue refuses. errc::overloaded, at once, if too much waits or is held.
  template<class T>
  void read(const std::string& key, const std::string& client, std::function<loaded<T>()> load,
            read_done<T> done) {
    step added;
    added.load = [load = std::move(load)] {
      auto out = load();
      const bool failed = !out.value && out.value.error().code == errc::store_unreadable;
      return outcome{std::move(out.value), out.bytes, failed};
    };
    auto refused = push(key, client, std::move(added), [done](const std::any& value) {
      done(std::any_cast<const result<T>&>(value));
    });
    if (refused)
      done(std::move(*refused));
  }

  /// Does one read; false if none waits.
  bool turn();
  /// Takes turns until `close`, and those that wait then.
  void run();
  /// Makes `run` return once nothing waits.
  void close();
  /// Waits until no read waits and none is being done. Other threads take the turns.
  void drain();

  /// Without the figures of caches.
  [[nodiscard]] read_counters counters() const;

private:
  using answer_fn = std::function<void(const std::any&)>;
  struct asker {
    std::string client;
    answer_fn done;
  };
  struct outcome {
    std::any value; ///< result<T>.
    std::size_t bytes = 0;
    bool failed = false;
  };
  /// One read of the disk.
  struct step {
    std::string key;
    std::function<outcome()> load;
    std::vector<asker> waiting;
    bool is_taken = false;
  };
  using step_ptr = std::shared_ptr<step>;

  [[nodiscard]] std::optional<error> push(const std::string& key, const std::string& client,
                                          step&& step, answer_fn done);
  [[nodiscard]] std::optional<error> refusal(const std::string& client) const;
  [[nodiscard]] std::optional<fair_queue<step_ptr>::taken> take();

  const reader_limits limits_;
  const std::function<std::size_t()> bytes_handed_out_;
  const memory_budget_ptr memory_;

  mutable std::mutex guard_; ///< Of what follows.
  std::condition_variable work_;
  std::condition_variable idle_;
  fair_queue<step_ptr> queue_;
  std::unordered_map<std::string, step_ptr> by_key_; ///< Of steps that wait or are being done.
  std::size_t steps_ = 0;                            ///< That wait or are being done.
  std::size_t asking_ = 0;                           ///< Answers owed, and by client.
  std::unordered_map<std::string, std::size_t> asking_by_client_;
  read_counters counters_;
  bool closing_ = false;
};

} // namespace troupe
