// The SVG drawing of graph_text.hpp: layers left to right, a band per plan. Layering by longest
// path, order within a layer by the median of the neighbours (Sugiyama's method, its two middle
// steps), a few sweeps.
#include "apps/draw/critical_path.hpp"
#include "apps/draw/graph_text.hpp"
#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/text/xml.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <string_view>
#include <vector>

namespace troupe {

namespace {

// Sizes in SVG user units (CSS pixels).
constexpr int box_width = 150;
constexpr int box_height = 30;
constexpr int gap_x = 60;
constexpr int gap_y = 14;
constexpr int margin = 20;
constexpr int band_head = 30;
constexpr std::size_t svg_label_columns = 20;
constexpr int sweeps = 6;

struct place {
  int x = 0;
  int y = 0;
};

/// A plan's tasks in layers and rows, and where its band lies.
struct band {
  std::vector<std::uint32_t> layer;
  std::vector<std::vector<std::uint32_t>> columns;
  std::vector<place> places;
  place at;
  int width = 0;
  int height = 0;
};

/// Moves each task of `column` to the median row of its neighbours in the column next to it.
void order_by_median(std::vector<std::uint32_t>& column,
                     const std::vector<std::vector<std::uint32_t>>& neighbours,
                     std::vector<double>& row) {
  std::vector<std::pair<double, std::uint32_t>> keyed;
  keyed.reserve(column.size());
  for (const auto task : column) {
    std::vector<double> rows;
    for (const auto other : neighbours[task])
      rows.push_back(row[other]);
    double key = row[task];
    if (!rows.empty()) {
      const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
      std::nth_element(rows.begin(), middle, rows.end());
      key = *middle;
    }
    keyed.emplace_back(key, task);
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    column[i] = keyed[i].second;
    // Rows relative to the column's middle, so that columns of different length compare.
    row[column[i]] = static_cast<double>(i) - static_cast<double>(keyed.size()) / 2.0;
  }
}

band lay_out_band(const plan_spec& plan, const resolved_plan& edges) {
  band out;
  out.layer = layers_of(plan, edges);
  for (std::uint32_t t = 0; t < out.layer.size(); ++t) {
    out.columns.resize(std::max<std::size_t>(out.columns.size(), out.layer[t] + 1));
    out.columns[out.layer[t]].push_back(t);
  }
  std::vector<std::vector<std::uint32_t>> before(plan.tasks.size());
  std::vector<std::vector<std::uint32_t>> after(plan.tasks.size());
  for (const auto& edge : edges.edges) {
    before[edge.to].push_back(edge.from);
    after[edge.from].push_back(edge.to);
  }
  std::vector<double> row(plan.tasks.size(), 0);
  for (const auto& column : out.columns)
    for (std::size_t i = 0; i < column.size(); ++i)
      row[column[i]] = static_cast<double>(i) - static_cast<double>(column.size()) / 2.0;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (auto& column : out.columns)
      order_by_median(column, before, row);
    if (sweep + 1 < sweeps)
      for (auto column = out.columns.rbegin(); column != out.columns.rend(); ++column)
        order_by_median(*column, after, row);
  }
  std::size_t tallest = 1;
  for (const auto& column : out.columns)
    tallest = std::max(tallest, column.size());
  const int columns = std::max(1, static_cast<int>(out.columns.size()));
  out.width = columns * (box_width + gap_x) - gap_x + 2 * margin;
  const int inner = static_cast<int>(tallest) * (box_height + gap_y) - gap_y;
  out.height = inner + band_head + margin;
  out.places.resize(plan.tasks.size());
  for (std::size_t c = 0; c < out.columns.size(); ++c) {
    const int used = static_cast<int>(out.columns[c].size()) * (box_height + gap_y) - gap_y;
    for (std::size_t i = 0; i < out.columns[c].size(); ++i)
      out.places[out.columns[c][i]] = {margin + static_cast<int>(c) * (box_width + gap_x),
                                       band_head + (inner - used) / 2
                                           + static_cast<int>(i) * (box_height + gap_y)};
  }
  return out;
}

std::string curve(place from, place to, std::string_view kind) {
  const int reach = std::max(gap_x / 2, std::abs(to.x - from.x) / 2);
  std::array<char, 256> buffer{};
  std::snprintf(buffer.data(), buffer.size(),
                "<path class=\"%.*s\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n",
                static_cast<int>(kind.size()), kind.data(), from.x, from.y, from.x + reach, from.y,
                to.x - reach, to.y, to.x, to.y);
  return buffer.data();
}

/// From the bottom of one band down to the side of another, outside of all bands.
std::string link(const band& from, const band& to, int lane, std::string_view kind) {
  const int y1 = from.at.y + from.height / 2;
  const int y2 = to.at.y + to.height / 2;
  const int x1 = from.at.x;
  std::array<char, 256> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "<path class=\"%.*s\" d=\"M%d %dH%dV%dH%d\"/>\n",
                static_cast<int>(kind.size()), kind.data(), x1, y1, x1 - lane, y2, to.at.x - 2);
  return buffer.data();
}

constexpr std::string_view look =
    "<style>text{font:13px "
    "sans-serif;fill:#222}.n{fill:#fff;stroke:#57768f;rx:6}.b{fill:#eef3f7;stroke:#b8c7d3;rx:8}"
    ".c{stroke:#a8321c;stroke-width:3}"
    ".h{font-weight:bold}.e{fill:none;stroke:#57768f;stroke-width:1.3;marker-end:url(#e)}"
    ".x{fill:none;stroke:#a8641c;stroke-width:1.3;marker-end:url(#x)}"
    ".p{fill:none;stroke:#333;stroke-width:2;marker-end:url(#p)}"
    ".f{fill:none;stroke:#333;stroke-width:2;stroke-dasharray:6 4;marker-end:url(#p)}</style>\n";

std::string arrow_head(std::string_view id, std::string_view colour) {
  return "<marker id=\"" + std::string(id)
         + "\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerUnits=\"userSpaceOnUse\" "
           "markerWidth=\"9\" "
           "markerHeight=\"9\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\""
         + std::string(colour) + "\"/></marker>\n";
}

std::string attribute(std::string_view name, int value) {
  return " " + std::string(name) + "=\"" + std::to_string(value) + "\"";
}

void draw_band(std::string& out, const band& where, const plan_spec& plan, std::size_t index) {
  out += "<rect class=\"b\"" + attribute("x", where.at.x) + attribute("y", where.at.y)
         + attribute("width", where.width) + attribute("height", where.height)
         + "/>\n<text class=\"h\"" + attribute("x", where.at.x + margin)
         + attribute("y", where.at.y + 20) + ">"
         + xml_escaped(cut_to(clean_line(shown_name(plan, index)), 80, "…")) + "</text>\n";
}

void draw_boxes(std::string& out, const band& where, const plan_spec& plan, std::size_t index,
                const graph_marks& marks) {
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    const int x = where.at.x + where.places[t].x;
    const int y = where.at.y + where.places[t].y;
    const auto took = marks.duration(index, t);
    const std::string name =
        clean_line(shown_name(plan.tasks[t], t)) + (took.empty() ? "" : ", " + took);
    out += "<g><title>" + xml_escaped(name) + "</title><rect class=\""
           + (marks.is_critical(index, t) ? "n c" : "n") + "\"" + attribute("x", x)
           + attribute("y", y) + attribute("width", box_width) + attribute("height", box_height)
           + "/><text" + attribute("x", x + box_width / 2) + attribute("y", y + box_height / 2 + 4)
           + " text-anchor=\"middle\">" + xml_escaped(cut_to(name, svg_label_columns, "…"))
           + "</text></g>\n";
  }
}

void draw_edges(std::string& out, const std::vector<band>& bands, const resolved_objective& edges) {
  const auto right_of = [&](task_position at) {
    const auto& where = bands[at.plan];
    return place{where.at.x + where.places[at.task].x + box_width,
                 where.at.y + where.places[at.task].y + box_height / 2};
  };
  const auto left_of = [&](task_position at) {
    const auto& where = bands[at.plan];
    return place{where.at.x + where.places[at.task].x,
                 where.at.y + where.places[at.task].y + box_height / 2};
  };
  for (std::uint32_t p = 0; p < bands.size(); ++p) {
    const auto& plan = edges.plans[p];
    for (std::uint32_t t = 0; t < bands[p].places.size(); ++t)
      for (auto i = plan.dependency_offsets[t]; i < plan.dependency_offsets[t + 1]; ++i) {
        const auto from = plan.dependency_positions[i];
        out += curve(right_of(from), left_of({p, t}), from.plan == p ? "e" : "x");
      }
  }
}

} // namespace

result<std::string> draw_svg(const objective_spec& spec, const resolved_objective& edges,
                             const graph_marks& marks) {
  std::size_t tasks = 0;
  std::size_t links = 0;
  for (std::size_t p = 0; p < spec.plans.size(); ++p) {
    tasks += spec.plans[p]->tasks.size();
    links += edges.plans[p].dependencies.size() + edges.plans[p].alternatives.size();
  }
  if (tasks > svg_tasks_max)
    return make_error(errc::limit_exceeded,
                      "the plan has " + std::to_string(tasks) + " tasks; an SVG of more than "
                          + std::to_string(svg_tasks_max) + " cannot be read, use --format dot");
  std::vector<band> bands;
  // Links between plans run in lanes to the left of the bands.
  const int lanes = links == 0 ? 0 : static_cast<int>(std::min<std::size_t>(links, 12)) * 8 + 12;
  int y = margin + band_head;
  int width = 0;
  for (std::size_t p = 0; p < spec.plans.size(); ++p) {
    bands.push_back(lay_out_band(*spec.plans[p], edges.plans[p]));
    bands.back().at = {margin + lanes, y};
    y += bands.back().height + margin;
    width = std::max(width, bands.back().width);
  }
  for (auto& each : bands)
    each.width = width;
  const std::string w = std::to_string(width + lanes + 2 * margin);
  const std::string h = std::to_string(y);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h
                    + "\" viewBox=\"0 0 " + w + " " + h
                    + "\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  out += look;
  out += "<defs>" + arrow_head("e", "#57768f") + arrow_head("x", "#a8641c")
         + arrow_head("p", "#333") + "</defs>\n";
  out += "<text class=\"h\" x=\"" + std::to_string(margin) + "\" y=\"" + std::to_string(margin + 8)
         + "\">" + xml_escaped(clean_line(spec.name)) + "</text>\n";
  for (std::size_t p = 0; p < bands.size(); ++p)
    draw_band(out, bands[p], *spec.plans[p], p);
  draw_edges(out, bands, edges);
  for (std::size_t p = 0; p < bands.size(); ++p)
    draw_boxes(out, bands[p], *spec.plans[p], p, marks);
  int lane = 0;
  for (std::size_t p = 0; p < bands.size(); ++p) {
    for (const auto d : edges.plans[p].dependencies)
      out += link(bands[d], bands[p], 12 + 8 * (lane++ % 12), "p");
    for (const auto a : edges.plans[p].alternatives)
      out += link(bands[p], bands[a], 12 + 8 * (lane++ % 12), "f");
  }
  return out + "</svg>\n";
}

} // namespace troupe
