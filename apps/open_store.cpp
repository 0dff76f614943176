#include "apps/open_store.hpp"

#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/text/counted.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include "store/session/session_store.hpp"

#include <utility>

#include <unistd.h>

namespace troupe {

result<std::unique_ptr<store>> open_store(const store_choice& choice) {
  output err{STDERR_FILENO};
  progress_line line{err};
  return open_store(choice, line);
}

result<std::unique_ptr<store>> open_store(const store_choice& choice, progress_line& line) {
  session_keeping keeping;
  keeping.directory = choice.sessions;
  if (choice.kind == store_kind::memory && choice.sessions.empty())
    return make_memory_store({.memory = choice.memory});
  if (choice.kind == store_kind::memory)
    return open_memory_store_with_sessions({.memory = choice.memory}, std::move(keeping));
  rocksdb_internals how;
  how.on_progress = [&](const start_progress& at) {
    line.show("recovering: " + std::to_string(at.done) + " of "
              + counted(at.all, at.stage, at.stage));
  };
  const rocksdb_options options{
      .directory = choice.directory, .durability = choice.durability, .memory = choice.memory};
  if (choice.kind == store_kind::session_jsonl)
    return open_session_store(options, std::move(how));
  if (!choice.sessions.empty())
    return open_rocksdb_store_with_sessions(options, std::move(keeping), std::move(how));
  return open_rocksdb_store(options, how);
}

} // namespace troupe
