#include "apps/run/timing_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <filesystem>

using namespace troupe;
using troupe::testing::temporary_directory;

namespace {

std::string verdict(const timing_files& files) {
  const auto fine = check_timing_files(files);
  return fine ? "fine" : fine.error().message;
}

} // namespace

TEST_CASE("files for times are refused before anything runs", "[apps][timing]") {
  const temporary_directory place;
  const auto folder = place.path().string();
  CHECK(verdict({}) == "fine");
  CHECK(verdict({"-", ""}) == "fine");
  CHECK(verdict({folder + "/t.json", folder + "/t.html"}) == "fine");
  CHECK(verdict({"", folder + "/t.svg"}) == "fine");
  CHECK(verdict({folder + "/no/t.json", ""})
        == "--trace " + folder + "/no/t.json: there is no folder " + folder
               + "/no; make it, or name another one");
  CHECK(verdict({"", folder + "/no/t.svg"})
        == "--timeline " + folder + "/no/t.svg: there is no folder " + folder
               + "/no; make it, or name another one");
  CHECK(verdict({folder, ""}) == "--trace " + folder + ": this is a folder; name a file in it");
  CHECK(verdict({"", "t.png"})
        == "--timeline t.png: the name must end with .svg, for a drawing, or .html, for a page");
}

TEST_CASE("files for times are written", "[apps][timing]") {
  const temporary_directory place;
  const auto name = (place.path() / "t").string();
  CHECK(write_timing_files({name + ".json", name + ".svg"}, {}, "Nothing"));
  CHECK(std::filesystem::file_size(name + ".json") > 0);
  CHECK(std::filesystem::file_size(name + ".svg") > 0);
  CHECK_FALSE(write_timing_files({(place.path() / "no" / "t").string(), ""}, {}, "Nothing"));
}
