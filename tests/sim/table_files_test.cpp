// The files of RocksDB's tables, which outlive the process and lose what was not synced.
#include "tests/support/catch.hpp"

#include <rocksdb/env.h>

#include <memory>
#include <string>

#include "sim/table_files.hpp"

using namespace troupe::sim;

namespace {

std::unique_ptr<rocksdb::WritableFile> make_file(rocksdb::Env& in, const std::string& name) {
  std::unique_ptr<rocksdb::WritableFile> out;
  REQUIRE(in.NewWritableFile(name, &out, rocksdb::EnvOptions{}).ok());
  return out;
}

void sync_names(rocksdb::Env& in) {
  std::unique_ptr<rocksdb::Directory> names;
  REQUIRE(in.NewDirectory("/", &names).ok());
  REQUIRE(names->Fsync().ok());
}

std::string content_of(rocksdb::Env& in, const std::string& name) {
  std::string out;
  return rocksdb::ReadFileToString(&in, name, &out).ok() ? out : "(none)";
}

void lose_power(table_files& files, dice& chance) {
  files.freeze();
  files.lose_power(chance);
  files.thaw();
}

} // namespace

TEST_CASE("the files of the tables change no more when the process has died", "[sim]") {
  table_files files;
  auto& env = files.env();
  auto file = make_file(env, "/a");
  REQUIRE(file->Append("before").ok());
  REQUIRE(file->Flush().ok());
  files.freeze();
  CHECK_FALSE(file->Append("after").ok());
  CHECK_FALSE(env.DeleteFile("/a").ok());
  CHECK_FALSE(env.RenameFile("/a", "/b").ok());
  std::unique_ptr<rocksdb::WritableFile> other;
  CHECK_FALSE(env.NewWritableFile("/b", &other, rocksdb::EnvOptions{}).ok());
  file.reset();
  files.thaw();
  CHECK(content_of(env, "/a") == "before");
  CHECK(env.DeleteFile("/a").ok());
}

TEST_CASE("the power takes what was not synced of the tables, and nothing else", "[sim]") {
  dice chance(1, "power");
  bool is_tail_cut = false;
  bool is_new_lost = false;
  bool is_old_name_back = false;
  for (int i = 0; i < 50; ++i) {
    table_files files;
    auto& env = files.env();
    auto kept = make_file(env, "/kept");
    REQUIRE(kept->Append("safe").ok());
    REQUIRE(kept->Sync().ok());
    REQUIRE(rocksdb::WriteStringToFile(&env, "1", "/CURRENT", true).ok());
    sync_names(env);
    REQUIRE(kept->Append("tail").ok());
    auto fresh = make_file(env, "/fresh");
    REQUIRE(fresh->Append("new").ok());
    REQUIRE(fresh->Sync().ok());
    REQUIRE(rocksdb::WriteStringToFile(&env, "2", "/next", true).ok());
    REQUIRE(env.RenameFile("/next", "/CURRENT").ok());
    lose_power(files, chance);
    const auto left = content_of(env, "/kept");
    CHECK(left.starts_with("safe"));
    CHECK(std::string("safetail").starts_with(left));
    is_tail_cut = is_tail_cut || left != "safetail";
    const auto made = content_of(env, "/fresh");
    CHECK((made == "new" || made == "(none)"));
    is_new_lost = is_new_lost || made != "new";
    const auto current = content_of(env, "/CURRENT");
    CHECK((current == "1" || current == "2"));
    is_old_name_back = is_old_name_back || current == "1";
  }
  CHECK(is_tail_cut);
  CHECK(is_new_lost);
  CHECK(is_old_name_back);
}
