#include "store/tools/check.hpp"

#include "store/journal/file_disk.hpp"
#include "store/tools/check_parts.hpp"
#include "store/tools/read_only.hpp"

#include <filesystem>

namespace troupe {

result<check_report> check_store(const std::string& directory, const check_watch& watch) {
  const auto locked = lock_to_read(directory);
  if (!locked)
    return locked.error();
  check_desk desk{watch};
  std::error_code unknown;
  const bool has_journal = std::filesystem::exists(journal_path(directory), unknown);
  const auto tables = open_tables_to_read(directory);
  if (tables) {
    desk.report.format = tables->format;
    desk.report.mark = tables->mark ? tables->mark->at : 0;
    check_tables(*tables->db, desk);
  } else if (has_journal) {
    desk.find("tables", tables.error().message);
  } else {
    return tables.error();
  }
  if (!has_journal && tables && tables->mark)
    desk.find("journal", "The journal is missing; the tables have its groups up to "
                             + std::to_string(tables->mark->at) + ".");
  if (has_journal) {
    const auto files = journal::make_file_disk(journal_path(directory));
    if (const auto read = check_journal(*files, tables ? &*tables : nullptr, desk); !read)
      return read.error();
  }
  return desk.report;
}

} // namespace troupe
