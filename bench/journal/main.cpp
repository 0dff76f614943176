// Question: how many groups a second can be made durable one after the other, by the journal of the
// store and by the log that RocksDB would keep in its place?
//
// One thread. Each group is durable before the next one is appended. Contenders: `disk` (a file,
// write and fdatasync), `journal` (store/journal on files of the operating system), `rocksdb log`
// (a database that syncs each write to its log; it puts the group into its memory table as well,
// which cannot be left out). In each round all run in turn. Checked: all groups were acknowledged,
// and are there. Unit: groups a second. Knobs: --rounds, --filter (`journal`, `300 bytes`).
#include "bench/support/disk.hpp"
#include "bench/support/harness.hpp"
#include "store/journal/file_disk.hpp"
#include "store/journal/journal.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/protocol/time_source.hpp>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include <cstdint>
#include <memory>
#include <string>

namespace {

using namespace troupe;
using namespace troupe::bench;
using troupe::testing::temporary_directory;

struct group_load {
  std::size_t bytes;
  std::size_t groups;
};

/// Seconds until the journal has acknowledged all groups, one by one.
double append_to_journal(const std::string& directory, const group_load& load) {
  const auto files = journal::make_file_disk(directory);
  auto made = journal::open_journal(*files, system_time(), 1);
  check(made.has_value(), "the journal cannot be opened");
  auto& to = *made->opened;
  const std::string group(load.bytes, 'x');
  std::size_t acknowledged = 0;
  const auto seconds = seconds_of([&] {
    for (std::size_t i = 1; i <= load.groups; ++i) {
      to.append(group, [&](journal::position) { ++acknowledged; });
      while (acknowledged < i)
        check(to.turn() || files->wait(), "the journal stands still");
    }
  });
  check(to.last() == load.groups && to.status().safe == load.groups,
        "the journal does not have all groups");
  return seconds;
}

/// Seconds until a database has synced all groups in its log, one by one.
double append_to_rocksdb_log(const std::string& directory, const group_load& load) {
  rocksdb::Options how;
  how.create_if_missing = true;
  how.write_buffer_size = std::size_t{1} << 30; // No table is written meanwhile.
  rocksdb::DB* made = nullptr;
  check(rocksdb::DB::Open(how, directory, &made).ok(), "the database cannot be opened");
  const std::unique_ptr<rocksdb::DB> to(made);
  const std::string group(load.bytes, 'x');
  rocksdb::WriteOptions synced;
  synced.sync = true;
  const auto seconds = seconds_of([&] {
    for (std::size_t i = 0; i < load.groups; ++i) {
      rocksdb::WriteBatch batch;
      check(batch.Put(std::to_string(i), group).ok() && to->Write(synced, &batch).ok(),
            "a write was refused");
    }
  });
  check(to->GetLatestSequenceNumber() == load.groups, "the database does not have all groups");
  return seconds;
}

/// `append` on a directory of its own; groups a second.
contender appends(const group_load& load, double (*append)(const std::string&, const group_load&)) {
  return [=] {
    const temporary_directory place;
    return static_cast<double>(load.groups) / append(place.path().string(), load);
  };
}

double append_to_file(const std::string& directory, const group_load& load) {
  return append_durably(directory, load.groups, load.groups * load.bytes);
}

void measure(const options& how, report& to, const std::string& size, group_load load) {
  const bool wants_journal = how.wants("journal/" + size);
  const bool wants_log = how.wants("rocksdb log/" + size);
  if (!wants_journal && !wants_log)
    return;
  if (how.quick)
    load.groups = 10;
  const auto rates = measure_in_turn(how.rounds_or(9), {appends(load, append_to_file),
                                                        appends(load, append_to_journal),
                                                        appends(load, append_to_rocksdb_log)});
  to.add("disk/" + size, median(rates[0]), "groups/s");
  if (wants_journal)
    to.add("journal/" + size, median(rates[1]), "groups/s", median(rates[0]),
           ratio_of(rates[1], rates[0]));
  if (wants_log)
    to.add("rocksdb log/" + size, median(rates[2]), "groups/s", median(rates[0]),
           ratio_of(rates[2], rates[0]));
}

} // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "journal",
                       "How many groups a second are made durable, one after the other?",
                       [](const options& how, report& to) {
                         to.heading("each group durable before the next one");
                         measure(how, to, "300 bytes", {300, 2'000});
                         measure(how, to, "4 KiB", {4'096, 2'000});
                         measure(how, to, "64 KiB", {65'536, 500});
                         measure(how, to, "1 MiB", {1'048'576, 100});
                       });
}
