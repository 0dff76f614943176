#include "apps/draw/graph_text.hpp"
#include "apps/terminal/text.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct drawn {
  objective_spec spec;
  resolved_objective edges;
};

drawn resolve(std::vector<plan_spec_ptr> plans, std::string name = "Blog") {
  drawn out;
  out.spec.name = std::move(name);
  out.spec.plans = std::move(plans);
  auto edges = resolve_dependencies(out.spec.plans);
  REQUIRE(edges.has_value());
  out.edges = std::move(*edges);
  return out;
}

drawn blog() {
  auto writing = std::make_shared<plan_spec>(
      *plan_named("Writing", {task_named("Draft", {"Read A"})}, {"Research"}));
  writing->alternatives = {"Ghost"};
  writing->tasks.edit(0).agent = "sleep";
  return resolve({plan_named("Research", {task_named("Search"), task_named("Read A", {"Search"}),
                                          task_named("Read B", {"Search"})}),
                  writing, plan_named("Ghost", {task_named("Hire")})});
}

std::size_t count_of(const std::string& text, const std::string& name) {
  std::size_t n = 0;
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + name.size()))
    ++n;
  return n;
}

} // namespace

TEST_CASE("the text drawing shows layers and what each task waits for", "[apps][graph]") {
  const auto [spec, edges] = blog();
  CHECK(draw_text(spec, edges, {})
        == "Blog: 3 plans, 5 tasks\n"
           "\n"
           "Research (3 tasks)\n"
           "   1 ─ Search\n"
           "   2 ┬ Read A  ← Search\n"
           "     └ Read B  ← Search\n"
           "\n"
           "Writing (1 task)  ← Research\n"
           "   1 ─ Draft [sleep]  ← Research/Read A\n"
           "\n"
           "Ghost (1 task)  instead of Writing\n"
           "   1 ─ Hire\n");
}

TEST_CASE("a wide and deep plan is folded with a note in text and complete in dot",
          "[apps][graph]") {
  std::vector<task_spec> tasks{task_named("root")};
  for (int i = 0; i < 1000; ++i)
    tasks.push_back(task_named("w" + std::to_string(i), {"root"}));
  task_spec sink = task_named("sink");
  for (int i = 0; i < 1000; ++i)
    sink.dependencies.push_back("w" + std::to_string(i));
  tasks.push_back(sink);
  const auto [spec, edges] = resolve({plan_named("Fan", tasks)});
  const auto text = draw_text(spec, edges, {.unicode = false});
  CHECK(count_of(text, "\n") < 25);
  CHECK_THAT(text, ContainsSubstring("... 989 more\n"));
  CHECK_THAT(text, ContainsSubstring("sink  <- w0, w1, w2, ... 997 more"));
  CHECK(count_of(draw_dot(spec, edges), " -> ") == 2000);
  CHECK(count_of(draw_mermaid(spec, edges), " --> ") == 2000);
}

TEST_CASE("names from a file cannot break out of any format", "[apps][graph]") {
  const std::string evil = "a\"]; x\\ <b>&\x1b[2J\n";
  const auto [spec, edges] =
      resolve({plan_named(evil, {task_named(evil), task_named("b", {evil})})}, evil);
  CHECK(count_of(draw_text(spec, edges, {}), "\x1b") == 0);
  CHECK_THAT(draw_dot(spec, edges), ContainsSubstring("label=\"a\\\"]; x\\\\ <b>&[2J \""));
  CHECK_THAT(draw_mermaid(spec, edges), ContainsSubstring("[\"a#34;]; x\\ #60;b#62;#38;[2J \"]"));
  const auto [marked, no_edges] = resolve({plan_named("`**p**`", {task_named("#lt;_x_")})}, evil);
  CHECK_THAT(draw_mermaid(marked, no_edges),
             ContainsSubstring("[\"#96;**p**#96;\"]") && ContainsSubstring("[\"#35;lt;_x_\"]"));
  const auto svg = draw_svg(spec, edges);
  REQUIRE(svg.has_value());
  CHECK(count_of(*svg, "<b>") == 0);
  CHECK_THAT(*svg, ContainsSubstring("a&quot;]; x\\ &lt;b&gt;&amp;"));
}

TEST_CASE("an SVG has a box per task and a curve per dependency, none outside the picture",
          "[apps][graph]") {
  const auto [spec, edges] = blog();
  const auto svg = draw_svg(spec, edges);
  REQUIRE(svg.has_value());
  CHECK(count_of(*svg, "class=\"n\"") == 5);
  CHECK(count_of(*svg, "class=\"e\"") == 2);
  CHECK(count_of(*svg, "class=\"x\"") == 1);
  CHECK(count_of(*svg, "class=\"p\"") == 1);
  CHECK(count_of(*svg, "class=\"f\"") == 1);
  CHECK(count_of(*svg, "\"-") == 0);
}

TEST_CASE("an SVG that is too large to read is refused with advice", "[apps][graph]") {
  std::vector<task_spec> tasks;
  for (std::size_t i = 0; i <= svg_tasks_max; ++i)
    tasks.push_back(task_named("t" + std::to_string(i)));
  const auto [spec, edges] = resolve({plan_named("Huge", tasks)});
  const auto svg = draw_svg(spec, edges);
  REQUIRE_FALSE(svg.has_value());
  CHECK(svg.error().code == errc::limit_exceeded);
  CHECK_THAT(svg.error().message, ContainsSubstring("--format dot"));
}

TEST_CASE("text lines keep to the width", "[apps][graph]") {
  const auto [spec, edges] = blog();
  const auto text = draw_text(spec, edges, {.width = 12});
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin))
    CHECK(display_width(text.substr(begin, end - begin)) <= 12);
}
