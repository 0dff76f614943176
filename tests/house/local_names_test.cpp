// A local function must not have the name of a public function of its room: where sources are
// compiled together (unity builds), another source might call the local one.
#include "tests/house/functions.hpp"
#include "tests/house/source_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace troupe::house;

namespace {

struct placed_function {
  std::string file;
  named_function function;
};

/// What the sources of a room have together.
struct room_functions {
  std::vector<placed_function> local;
  std::map<std::string, std::vector<placed_function>, std::less<>> shared; ///< By name.
};

/// The directory below the root; the one below `include/troupe` for public headers.
std::string room_of(std::string_view path) {
  constexpr std::string_view public_folder = "include/troupe/";
  if (path.starts_with(public_folder))
    path.remove_prefix(public_folder.size());
  return std::string(path.substr(0, path.find('/')));
}

/// The rooms whose sources may be compiled together: CMake says which. Each test file then has a
/// namespace of its own.
std::map<std::string, room_functions> rooms_in(const std::vector<source_file>& tree) {
  std::map<std::string, room_functions> out;
  for (const auto& file : tree)
    if (file.path == room_of(file.path) + "/CMakeLists.txt"
        && (file.text.find("troupe_room(") != std::string::npos
            || file.text.find("troupe_unity_build(") != std::string::npos))
      out.try_emplace(room_of(file.path));
  for (const auto& file : tree) {
    const auto room = out.find(room_of(file.path));
    if (room == out.end() || !(file.ends_with(".hpp") || file.ends_with(".cpp")))
      continue;
    for (auto& each : functions_of(code_of(file.text)))
      if (each.is_local)
        room->second.local.push_back({file.path, std::move(each)});
      else if (file.ends_with(".hpp"))
        room->second.shared[each.name].push_back({file.path, std::move(each)});
  }
  return out;
}

/// The names of `wanted` kind, in order, each with its scope.
std::string names_in(std::string_view code, bool is_local) {
  std::string out;
  for (const auto& each : functions_of(code_of(code)))
    if (each.is_local == is_local)
      out += each.scope + "::" + each.name + ' ';
  return out;
}

} // namespace

TEST_CASE("a local function has no name of a public function of its room", "[house][rules]") {
  const auto rooms = rooms_in(read_tree(troupe::testing::source_dir()));
  CHECK(rooms.size() >= 9);
  std::size_t looked_at = 0;
  for (const auto& [room, functions] : rooms)
    for (const auto& [file, local] : functions.local) {
      ++looked_at;
      const auto found = functions.shared.find(local.name);
      if (found == functions.shared.end())
        continue;
      for (const auto& [header, shared] : found->second)
        if (may_hide(local, shared))
          FAIL_CHECK(file << ":" << local.line << ": " << local.name
                          << " has the name of a public function of " << header);
    }
  CHECK(looked_at > 1000);
}

TEST_CASE("functions are found with their namespaces", "[house][rules]") {
  constexpr std::string_view code = R"(#define GUARD(x) { x(
namespace troupe::net {
namespace {
constexpr int bytes_max = size(3);
struct table { int rows() const { return 1; } };
std::function<void(int)> made_of(std::string_view text = "}") { return [](int) { call(); }; }
template<class T, class = std::enable_if_t<(sizeof(T) > 1)>>
[[nodiscard]] bool
is_long(const T& of) noexcept(true) { if (of) { other(); } return true; }
} // namespace
int table::row(int at) { return at; }
[[nodiscard]] result<std::vector<int>> read(int at);
bool operator==(const table&, const table&);
namespace inner { void write(); }
static void only_here() {}
} // namespace troupe::net
void outside();
)";
  CHECK(names_in(code, true)
        == "troupe::net::made_of troupe::net::is_long troupe::net::only_here ");
  CHECK(names_in(code, false) == "troupe::net::read troupe::net::inner::write ::outside ");
}

TEST_CASE("a name is refused only if the one may be found in place of the other",
          "[house][rules]") {
  const named_function local{"read", "troupe::net", true, 1};
  CHECK(may_hide(local, {"read", "troupe::net", false, 1}));
  CHECK(may_hide(local, {"read", "troupe", false, 1}));
  CHECK(may_hide(local, {"read", "", false, 1}));
  CHECK_FALSE(may_hide(local, {"write", "troupe::net", false, 1}));
  CHECK_FALSE(may_hide(local, {"read", "troupe::net::inner", false, 1}));
  CHECK_FALSE(may_hide(local, {"read", "troupe::network", false, 1}));
  CHECK_FALSE(may_hide(local, {"read", "troupe::ne", false, 1}));
  CHECK_FALSE(may_hide({"read", "troupe::net", false, 1}, {"read", "troupe::net", false, 1}));
}
