// The tables in memory: what a store reads of them, and what is left after a death.
#include "store/rocksdb/rocksdb_scan.hpp"
#include "tests/support/catch.hpp"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/dice.hpp"
#include "sim/memory_tables.hpp"

using namespace troupe;
using troupe::sim::memory_tables;

namespace {

void put(rocksdb::DB& db, const std::string& key, const std::string& value) {
  rocksdb::WriteBatch rows;
  REQUIRE(rows.Put(key, value).ok());
  rocksdb::WriteOptions how;
  how.disableWAL = true;
  REQUIRE(db.Write(how, &rows).ok());
}

void remove(rocksdb::DB& db, const std::string& key) {
  rocksdb::WriteBatch rows;
  REQUIRE(rows.Delete(key).ok());
  rocksdb::WriteOptions how;
  how.disableWAL = true;
  REQUIRE(db.Write(how, &rows).ok());
}

void flush(rocksdb::DB& db) {
  REQUIRE(db.Flush(rocksdb::FlushOptions{}).ok());
}

std::string get(rocksdb::DB& db, const std::string& key,
                rocksdb::ReadTier tier = rocksdb::kReadAllTier) {
  rocksdb::ReadOptions how;
  how.read_tier = tier;
  std::string out;
  const auto status = db.Get(how, key, &out);
  return status.ok()             ? out
         : status.IsNotFound()   ? "(none)"
         : status.IsIncomplete() ? "(disk)"
                                 : "(error)";
}

using row = std::pair<std::string, std::string>;

std::vector<row> rows_from(rocksdb::DB& db, const std::string& prefix, const std::string& from) {
  std::vector<row> out;
  REQUIRE(scan_from(db, prefix, from, [&](std::string_view key, std::string_view value) {
            out.emplace_back(key, value);
            return true;
          }).ok());
  return out;
}

std::unique_ptr<rocksdb::DB> open_rocksdb(rocksdb::Env& in) {
  rocksdb::Options how;
  how.create_if_missing = true;
  how.env = &in;
  rocksdb::DB* out = nullptr;
  REQUIRE(rocksdb::DB::Open(how, "/tables", &out).ok());
  return std::unique_ptr<rocksdb::DB>(out);
}

} // namespace

TEST_CASE("tables in memory keep what was flushed when the process dies", "[sim]") {
  memory_tables tables;
  auto db = tables.open();
  put(*db, "a", "1");
  put(*db, "b", "1");
  flush(*db);
  put(*db, "a", "2");
  remove(*db, "b");
  put(*db, "c", "2");
  CHECK(get(*db, "a") == "2");
  CHECK(get(*db, "b") == "(none)");
  CHECK(get(*db, "a", rocksdb::kPersistedTier) == "1");
  CHECK(get(*db, "c", rocksdb::kPersistedTier) == "(none)");
  tables.freeze();
  rocksdb::WriteBatch late;
  REQUIRE(late.Put("d", "3").ok());
  CHECK_FALSE(db->Write({}, &late).ok());
  CHECK_FALSE(db->Flush({}).ok());
  db.reset();
  db = tables.open();
  CHECK(rows_from(*db, "", "") == std::vector<row>{{"a", "1"}, {"b", "1"}});
}

TEST_CASE(
    "a read that may not wait for a disk leaves flushed rows of tables in memory to another one",
    "[sim]") {
  memory_tables tables;
  const auto db = tables.open();
  put(*db, "a", "1");
  CHECK(get(*db, "a", rocksdb::kBlockCacheTier) == "1");
  CHECK(get(*db, "b", rocksdb::kBlockCacheTier) == "(none)");
  flush(*db);
  put(*db, "c", "2");
  CHECK(get(*db, "a", rocksdb::kBlockCacheTier) == "(disk)");
  CHECK(get(*db, "c", rocksdb::kBlockCacheTier) == "2");
}

TEST_CASE("a failing disk refuses reads of flushed rows in memory", "[sim]") {
  memory_tables tables;
  const auto db = tables.open();
  put(*db, "a", "1");
  flush(*db);
  put(*db, "b", "2");
  tables.refuses_read = [] { return true; };
  CHECK(get(*db, "a") == "(error)");
  CHECK(get(*db, "b") == "2");
  CHECK_FALSE(scan(*db, "", [](std::string_view, std::string_view) { return true; }).ok());
  tables.refuses_read = nullptr;
  CHECK(get(*db, "a") == "1");
}

TEST_CASE("tables in memory have the rows that RocksDB has", "[sim]") {
  sim::dice chance(1, "rows");
  const std::unique_ptr<rocksdb::Env> files(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  memory_tables tables;
  const auto real = open_rocksdb(*files);
  const auto mine = tables.open();
  const auto key = [&] {
    return std::string(1, static_cast<char>('a' + chance.below(4)))
           + std::to_string(chance.below(8));
  };
  for (int i = 0; i < 2'000; ++i) {
    rocksdb::WriteBatch rows;
    for (auto changes = chance.below(4); changes > 0; --changes)
      REQUIRE((chance.chance(0.6) ? rows.Put(key(), std::to_string(i)) : rows.Delete(key())).ok());
    REQUIRE(real->Write({}, &rows).ok());
    REQUIRE(mine->Write({}, &rows).ok());
    if (chance.chance(0.05)) {
      flush(*real);
      flush(*mine);
    }
    const auto one = key();
    REQUIRE(get(*mine, one) == get(*real, one));
    const auto from = key();
    const auto prefix = from.substr(0, chance.below(2));
    REQUIRE(rows_from(*mine, prefix, from) == rows_from(*real, prefix, from));
  }
}
