#include "apps/command_tree.hpp"
#include "apps/help/completion.hpp"
#include "apps/help/man_page.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace troupe;

namespace {

completion completed(std::vector<std::string> words) {
  const command_tree tree;
  return complete(tree.app, words);
}

bool offers(const completion& from, const std::string& word) {
  return std::ranges::any_of(from.words, [&](const auto& each) { return each.first == word; });
}

} // namespace

TEST_CASE("commands and their options are completed by what was typed", "[apps][completion]") {
  const auto commands = completed({""});
  CHECK(offers(commands, "run"));
  CHECK(offers(commands, "completion"));
  CHECK_FALSE(offers(commands, "__complete"));
  CHECK(offers(completed({"va"}), "validate"));
  CHECK(completed({"va"}).words.size() == 1);
  CHECK_FALSE(completed({"va"}).words.front().second.empty());
  CHECK(offers(completed({"run", "--time"}), "--time-scale"));
  CHECK(offers(completed({"run", "--time"}), "--timeline"));
  CHECK(offers(completed({"run", "plan.json", "--"}), "--only"));
  CHECK_FALSE(offers(completed({"ls", "--"}), "--only"));
  CHECK(offers(completed({"store", ""}), "check"));
  CHECK(offers(completed({"push", "a"}), "add"));
  CHECK(offers(completed({"help", "gr"}), "graph"));
  CHECK(completed({"nothing", "x", ""}).words.empty());
}

TEST_CASE("values are completed by what an option takes", "[apps][completion]") {
  CHECK(offers(completed({"graph", "--format", ""}), "mermaid"));
  CHECK(completed({"graph", "--format", "s"}).words
        == std::vector<std::pair<std::string, std::string>>{{"svg", ""}});
  CHECK(offers(completed({"completion", ""}), "fish"));
  CHECK(completed({"run", "--data", ""}).kind == candidate_kind::directories);
  CHECK(completed({"run", "--trace", ""}).kind == candidate_kind::files);
  CHECK(completed({"run", "--agent", ""}).kind == candidate_kind::agents);
  CHECK(completed({"ls", "--server", ""}).kind == candidate_kind::servers);
  CHECK(completed({"run", "--max-parallel", ""}).kind == candidate_kind::none);
}

TEST_CASE("arguments are completed by what is there", "[apps][completion]") {
  CHECK(completed({"run", ""}).kind == candidate_kind::files);
  CHECK(completed({"run", "--json", "pl"}).kind == candidate_kind::files);
  CHECK(completed({"run", "--retry", ""}).kind == candidate_kind::runs_or_files);
  CHECK(completed({"show", ""}).kind == candidate_kind::runs);
  CHECK(completed({"rm", "a", "b", ""}).kind == candidate_kind::runs);
  CHECK(completed({"graph", "--run", ""}).kind == candidate_kind::runs);
  CHECK(completed({"history", ""}).kind == candidate_kind::runs);
  CHECK(completed({"watch", ""}).kind == candidate_kind::objectives);
  CHECK(completed({"answer", ""}).kind == candidate_kind::questions);
  CHECK(completed({"claim", ""}).kind == candidate_kind::questions);
  CHECK(completed({"modify", ""}).kind == candidate_kind::runs);
  CHECK(completed({"task", ""}).kind == candidate_kind::remote_tasks);
  CHECK(completed({"replan", ""}).kind == candidate_kind::objectives);
  CHECK(completed({"cancel", ""}).kind == candidate_kind::objectives_or_tasks);
  CHECK(completed({"send", "--task", ""}).kind == candidate_kind::remote_tasks);
  CHECK(completed({"send", "--context", ""}).kind == candidate_kind::remote_contexts);
  CHECK(completed({"tasks", "--context", ""}).kind == candidate_kind::remote_contexts);
  CHECK(completed({"plan", "--template", ""}).kind == candidate_kind::templates);
  CHECK(completed({"replan", "trip", "--template", ""}).kind == candidate_kind::remote_templates);
  const auto shown = completed({"templates", "show", "--dir", "mine", ""});
  CHECK(shown.kind == candidate_kind::templates);
  CHECK(shown.directory == "mine");
  const auto after = completed({"modify", "trip", "--add", "x", "--after", ""});
  CHECK(after.kind == candidate_kind::objective_tasks);
  CHECK(after.of == "trip");
  const auto exported = completed({"session", "export", "--data", "d", "--dir", "out", ""});
  CHECK(exported.kind == candidate_kind::stored_objectives);
  CHECK(exported.directory == "d");
  CHECK(completed({"context", "use", ""}).kind == candidate_kind::targets);
  CHECK(completed({"show", "a", ""}).kind == candidate_kind::none);
  const auto logs = completed({"logs", "k3v9", "--server", "prod", ""});
  CHECK(logs.kind == candidate_kind::run_tasks);
  CHECK(logs.of == "k3v9");
  CHECK(logs.server == "prod");
  const auto only = completed({"run", "plan.json", "--only", ""});
  CHECK(only.kind == candidate_kind::file_tasks);
  CHECK(only.of == "plan.json");
}

TEST_CASE("the manual page has every command with its options and examples", "[apps][man]") {
  const command_tree tree;
  const auto page = man_page(tree.app, "1.2.3");
  CHECK_THAT(page, StartsWith(".TH TROUPE 1 \"\" \"troupe 1.2.3\""));
  for (const auto* each : tree.app.get_subcommands(nullptr)) {
    CHECK_THAT(page, ContainsSubstring(".SS \"troupe "));
    std::string name;
    for (const char c : each->get_name())
      name += c == '-' ? std::string("\\-") : std::string(1, c);
    CHECK_THAT(page, ContainsSubstring(".SS \"troupe " + name));
  }
  CHECK_THAT(page, ContainsSubstring("\\fB\\-j, \\-\\-jobs\\fR \\fIN\\fR\n"));
  CHECK_THAT(page, ContainsSubstring("troupe run \\-\\-resume"));
  CHECK_THAT(page, ContainsSubstring(".SS \"troupe store check [OPTIONS]\""));
  // No line of a text is read as a request: those that begin with a dot are ours.
  CHECK_THAT(page, !ContainsSubstring("\n..."));
}
