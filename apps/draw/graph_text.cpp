#include "apps/draw/graph_text.hpp"

#include "apps/draw/critical_path.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/text/counted.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace troupe {

namespace {

/// Writes the text drawing plan by plan.
class text_drawing {
public:
  text_drawing(const objective_spec& spec, const resolved_objective& edges,
               const text_graph_options& options, const graph_marks& marks)
      : spec_(spec), edges_(edges), options_(options), marks_(marks) {}

  std::string draw() {
    std::size_t tasks = 0;
    for (const auto& plan : spec_.plans)
      tasks += plan->tasks.size();
    const std::string name = spec_.name.empty() ? "Objective" : spec_.name;
    line(name + ": " + counted(spec_.plans.size(), "plan") + ", " + counted(tasks, "task")
         + (marks_.critical.empty() ? "" : "; * marks the critical path"));
    for (std::uint32_t p = 0; p < spec_.plans.size(); ++p) {
      if (p >= options_.plans_max) {
        line("");
        line(dots() + " " + counted(spec_.plans.size() - p, "more plan")
             + " (--format dot shows everything)");
        break;
      }
      plan(p);
    }
    return std::move(out_);
  }

private:
  void plan(std::uint32_t p) {
    const auto& spec = *spec_.plans[p];
    const auto& edges = edges_.plans[p];
    line("");
    std::string head = shown_name(spec, p) + " (" + counted(spec.tasks.size(), "task") + ")";
    std::vector<std::string> names;
    for (const auto d : edges.dependencies)
      names.push_back(shown_name(*spec_.plans[d], d));
    head += arrows(names);
    if (edges.alternative_of)
      head +=
          "  instead of " + shown_name(*spec_.plans[*edges.alternative_of], *edges.alternative_of);
    line(head);
    std::vector<std::vector<std::uint32_t>> layers;
    const auto layer = layers_of(spec, edges);
    for (std::uint32_t t = 0; t < layer.size(); ++t) {
      layers.resize(std::max<std::size_t>(layers.size(), layer[t] + 1));
      layers[layer[t]].push_back(t);
    }
    for (std::size_t l = 0; l < layers.size(); ++l) {
      if (l >= options_.layers_max) {
        line("   " + dots() + " " + counted(layers.size() - l, "more layer")
             + " (--format dot shows everything)");
        break;
      }
      draw_layer(p, l, layers[l]);
    }
  }

  void draw_layer(std::uint32_t p, std::size_t number, const std::vector<std::uint32_t>& tasks) {
    const std::size_t shown =
        tasks.size() > options_.layer_tasks_max ? options_.layer_tasks_max - 1 : tasks.size();
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& spec = spec_.plans[p]->tasks[tasks[i]];
      std::string text = lead(number, i, tasks.size()) + shown_name(spec, tasks[i]);
      if (marks_.is_critical(p, tasks[i]))
        text += " *";
      if (!spec.agent.empty())
        text += " [" + spec.agent + "]";
      if (const auto took = marks_.duration(p, tasks[i]); !took.empty())
        text += " " + took;
      line(text + arrows(dependencies_of(p, tasks[i])));
    }
    if (shown < tasks.size())
      line(lead(number, tasks.size() - 1, tasks.size()) + dots() + " "
           + std::to_string(tasks.size() - shown) + " more");
  }

  /// The layer's number and the bracket that joins its tasks.
  std::string lead(std::size_t number, std::size_t i, std::size_t n) const {
    std::string label = i == 0 ? std::to_string(number + 1) : "";
    label.insert(0, label.size() < 4 ? 4 - label.size() : 0, ' ');
    std::string_view bracket;
    if (options_.unicode)
      bracket = n == 1 ? " ─ " : i == 0 ? " ┬ " : i + 1 == n ? " └ " : " ├ ";
    else
      bracket = n == 1 ? " - " : " | ";
    return label + std::string(bracket);
  }

  std::vector<std::string> dependencies_of(std::uint32_t p, std::uint32_t t) const {
    std::vector<std::string> names;
    const auto& edges = edges_.plans[p];
    for (auto i = edges.dependency_offsets[t]; i < edges.dependency_offsets[t + 1]; ++i) {
      const auto [plan, task] = edges.dependency_positions[i];
      std::string name = shown_name(spec_.plans[plan]->tasks[task], task);
      if (plan != p)
        name = shown_name(*spec_.plans[plan], plan) + "/" + name;
      names.push_back(std::move(name));
    }
    return names;
  }

  std::string arrows(const std::vector<std::string>& names) const {
    if (names.empty())
      return {};
    std::string out = options_.unicode ? "  ← " : "  <- ";
    const std::size_t shown =
        names.size() > options_.arrows_max ? options_.arrows_max - 1 : names.size();
    for (std::size_t i = 0; i < shown; ++i)
      out += (i == 0 ? "" : ", ") + names[i];
    if (shown < names.size())
      out += ", " + dots() + " " + std::to_string(names.size() - shown) + " more";
    return out;
  }

  std::string dots() const { return options_.unicode ? "…" : "..."; }

  void line(const std::string& text) {
    std::string clean = clean_line(text);
    if (!options_.unicode)
      clean = to_ascii(clean);
    out_ += cut_to(clean, options_.width, options_.unicode ? "…" : "~");
    out_ += '\n';
  }

  const objective_spec& spec_;
  const resolved_objective& edges_;
  const text_graph_options& options_;
  const graph_marks& marks_;
  std::string out_;
};

/// A quoted string of dot.
std::string for_dot(std::string_view text) {
  std::string out;
  for (const char c : clean_line(text)) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

/// A quoted label of Mermaid, which reads HTML, Markdown and its own `#name;` in it.
std::string for_mermaid(std::string_view text) {
  constexpr std::string_view special = "\"#&<>`";
  std::string out;
  for (const char c : clean_line(text)) {
    if (special.find(c) != std::string_view::npos)
      out += '#' + std::to_string(static_cast<int>(c)) + ';';
    else
      out += c;
  }
  return out;
}

std::string node(std::size_t plan, std::size_t task) {
  return "p" + std::to_string(plan) + "t" + std::to_string(task);
}

/// The name of a task, and how long it took.
std::string labelled(const plan_spec& plan, std::size_t index, std::size_t task,
                     const graph_marks& marks) {
  const auto took = marks.duration(index, task);
  return shown_name(plan.tasks[task], task) + (took.empty() ? "" : ", " + took);
}

/// Calls `edge(from, to)` for every dependency between tasks, and `link(from, to)` for those
/// between plans.
template<class Edge, class Link>
void each_edge(const objective_spec& spec, const resolved_objective& edges, Edge edge, Link link) {
  for (std::size_t p = 0; p < spec.plans.size(); ++p) {
    const auto& plan = edges.plans[p];
    for (std::size_t t = 0; t < spec.plans[p]->tasks.size(); ++t)
      for (auto i = plan.dependency_offsets[t]; i < plan.dependency_offsets[t + 1]; ++i)
        edge(node(plan.dependency_positions[i].plan, plan.dependency_positions[i].task),
             node(p, t));
    for (const auto d : plan.dependencies)
      link(std::size_t{d}, p, false);
    for (const auto a : plan.alternatives)
      link(p, std::size_t{a}, true);
  }
}

} // namespace

std::string draw_text(const objective_spec& spec, const resolved_objective& edges,
                      const text_graph_options& options, const graph_marks& marks) {
  return text_drawing(spec, edges, options, marks).draw();
}

std::string draw_dot(const objective_spec& spec, const resolved_objective& edges,
                     const graph_marks& marks) {
  std::string out = "digraph troupe {\n  label=\"" + for_dot(spec.name)
                    + "\";\n"
                      "  labelloc=t;\n  rankdir=LR;\n  compound=true;\n  newrank=true;\n"
                      "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n";
  for (std::size_t p = 0; p < spec.plans.size(); ++p) {
    const auto& plan = *spec.plans[p];
    out += "  subgraph cluster_" + std::to_string(p) + " {\n    label=\""
           + for_dot(shown_name(plan, p)) + "\";\n";
    for (std::size_t t = 0; t < plan.tasks.size(); ++t)
      out += "    " + node(p, t) + " [label=\"" + for_dot(labelled(plan, p, t, marks)) + "\""
             + (marks.is_critical(p, t) ? ", penwidth=3" : "") + "];\n";
    if (plan.tasks.empty())
      out += "    " + node(p, 0) + " [style=invis, label=\"\"];\n";
    out += "  }\n";
  }
  each_edge(
      spec, edges,
      [&](const std::string& from, const std::string& to) {
        out += "  " + from + " -> " + to + ";\n";
      },
      [&](std::size_t from, std::size_t to, bool alternative) {
        const std::size_t last =
            spec.plans[from]->tasks.empty() ? 0 : spec.plans[from]->tasks.size() - 1;
        out += "  " + node(from, last) + " -> " + node(to, 0) + " [ltail=cluster_"
               + std::to_string(from) + ", lhead=cluster_" + std::to_string(to)
               + (alternative ? ", style=dashed, label=\"if it fails\"" : ", penwidth=2") + "];\n";
      });
  return out + "}\n";
}

std::string draw_mermaid(const objective_spec& spec, const resolved_objective& edges,
                         const graph_marks& marks) {
  std::string out = "flowchart LR\n";
  for (std::size_t p = 0; p < spec.plans.size(); ++p) {
    const auto& plan = *spec.plans[p];
    out += "  subgraph p" + std::to_string(p) + "[\"" + for_mermaid(shown_name(plan, p)) + "\"]\n";
    for (std::size_t t = 0; t < plan.tasks.size(); ++t)
      out += "    " + node(p, t) + "[\"" + for_mermaid(labelled(plan, p, t, marks)) + "\"]\n";
    out += "  end\n";
  }
  std::string critical;
  for (std::size_t p = 0; p < spec.plans.size(); ++p)
    for (std::size_t t = 0; t < spec.plans[p]->tasks.size(); ++t)
      if (marks.is_critical(p, t))
        critical += (critical.empty() ? "" : ",") + node(p, t);
  if (!critical.empty())
    out += "  classDef critical stroke-width:3px\n  class " + critical + " critical\n";
  each_edge(
      spec, edges,
      [&](const std::string& from, const std::string& to) {
        out += "  " + from + " --> " + to + "\n";
      },
      [&](std::size_t from, std::size_t to, bool alternative) {
        out += "  p" + std::to_string(from) + (alternative ? " -. if it fails .-> p" : " ==> p")
               + std::to_string(to) + "\n";
      });
  return out;
}

} // namespace troupe
