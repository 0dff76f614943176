#include "apps/open_store.hpp"

#include "apps/progress_line.hpp"
#include "apps/terminal.hpp"
#include "apps/text.hpp"
#include "store/rocksdb/rocksdb_store.hpp"

#include <unistd.h>

namespace troupe {

result<std::unique_ptr<store>> open_store(const store_choice& choice) {
  if (choice.kind == store_kind::memory)
    return make_memory_store({.memory = choice.memory});
  output err{STDERR_FILENO};
  progress_line line{err};
  rocksdb_internals how;
  how.on_progress = [&](const start_progress& at) {
    line.show("recovering: " + std::to_string(at.done) + " of "
              + counted(at.all, at.stage, at.stage));
  };
  return open_rocksdb_store(
      {.directory = choice.directory, .durability = choice.durability, .memory = choice.memory},
      how);
}

} // namespace troupe
