#include "apps/run/result_files.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

namespace {

artifact_ptr made(std::string name, std::vector<part> parts) {
  auto out = std::make_shared<artifact>();
  out->name = std::move(name);
  out->parts = std::move(parts);
  return out;
}

part file_named(std::string name) {
  auto out = text_part("x");
  out.filename = std::move(name);
  return out;
}

std::vector<std::string> paths_of(result_namer& names, const task_result& result) {
  std::vector<std::string> out;
  for (const auto& file : names.name(result))
    out.push_back(file.path);
  return out;
}

} // namespace

TEST_CASE("a name from outside is safe as that of a file", "[apps][results]") {
  CHECK(safe_file_name("report.txt") == "report.txt");
  CHECK(safe_file_name("../../etc/passwd") == "_.._etc_passwd");
  CHECK(safe_file_name("..") == "unnamed");
  CHECK(safe_file_name("") == "unnamed");
  CHECK(safe_file_name("-rf") == "rf");
  CHECK(safe_file_name(".bashrc") == "bashrc");
  CHECK(safe_file_name("a\\b") == "a_b");
  CHECK(safe_file_name("caf\xc3\xa9 1.txt") == "caf\xc3\xa9 1.txt");
  CHECK(safe_file_name(std::string("a\x1b\x00z", 4)) == "az");
  const auto cut = safe_file_name(std::string(300, 'x') + ".png");
  CHECK(cut.size() == file_name_bytes_max);
  CHECK_THAT(cut, EndsWith("x.png"));
  std::string wide;
  for (int i = 0; i < 100; ++i)
    wide += "\xe4\xb8\xad";
  CHECK(safe_file_name(wide).size() == file_name_bytes_max);
}

TEST_CASE("each part is a file in the folder of its task", "[apps][results]") {
  result_namer names;
  CHECK(paths_of(names, {"P", "t", {made("stdout", {text_part("x")})}})
        == std::vector<std::string>{"P/t/stdout.txt"});
  const std::vector<part> parts{file_named("a.png"), data_part({{"n", 1}}), text_part("x"),
                                part{raw_content{"b"}, {}, {}, {}}};
  CHECK(paths_of(names, {"P", "u", {made("out", parts)}})
        == std::vector<std::string>{"P/u/a.png", "P/u/out.json", "P/u/out.txt", "P/u/out.bin"});
}

TEST_CASE("no two files have the same name, also where case does not matter", "[apps][results]") {
  result_namer names;
  const std::vector<part> parts{file_named("a.txt"), file_named("a.txt"), file_named("A.TXT")};
  CHECK(paths_of(names, {"P", "t", {made("out", parts)}})
        == std::vector<std::string>{"P/t/a.txt", "P/t/a-2.txt", "P/t/A-3.TXT"});
  CHECK(paths_of(names, {"P", "T", {made("out", {text_part("x")})}})
        == std::vector<std::string>{"P/T-2/out.txt"});
}
