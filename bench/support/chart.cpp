#include "bench/support/chart.hpp"

#include "protocol/text/xml.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace troupe::bench {

namespace {

// Sizes in SVG user units (CSS pixels).
constexpr double plot_left = 50;
constexpr double plot_top = 40;
constexpr double plot_width = 430;
constexpr double plot_height = 260;
constexpr double chart_width = 720;
constexpr double chart_height = 350;
constexpr double legend_left = plot_left + plot_width + 20;

// Told apart by people who see few colours, too (Okabe and Ito).
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

/// 100000 as "100,000".
std::string whole(double value) {
  auto digits = std::to_string(std::llround(value));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
  return "<text x=\"" + rounded(x) + "\" y=\"" + rounded(y) + "\" text-anchor=\"" + anchor + "\">"
         + xml_escaped(text) + "</text>\n";
}

std::string rule(double x1, double y1, double x2, double y2) {
  return "<line x1=\"" + rounded(x1) + "\" y1=\"" + rounded(y1) + "\" x2=\"" + rounded(x2)
         + "\" y2=\"" + rounded(y2) + "\" stroke=\"#ccc\"/>\n";
}

/// From sizes and costs to places.
struct growth_axes {
  double least = 1; ///< Decimal logarithms of the sizes.
  double most = 1;
  double highest = 2; ///< Cost.

  explicit growth_axes(const std::vector<growth_line>& lines) {
    bool is_first = true;
    for (const auto& line : lines)
      for (const auto& [size, cost] : line.points) {
        const auto place = std::log10(size);
        least = is_first ? place : std::min(least, place);
        most = is_first ? place : std::max(most, place);
        highest = std::max(highest, std::ceil(cost));
        is_first = false;
      }
    if (most <= least)
      most = least + 1;
  }

  [[nodiscard]] double x(double size) const {
    return plot_left + plot_width * (std::log10(size) - least) / (most - least);
  }
  [[nodiscard]] double y(double cost) const {
    return plot_top + plot_height * (1 - cost / highest);
  }
};

std::string draw_axes(const growth_axes& axes, const std::string& axis) {
  std::string out = "<rect x=\"" + rounded(plot_left) + "\" y=\"" + rounded(axes.y(1.2))
                    + "\" width=\"" + rounded(plot_width) + "\" height=\""
                    + rounded(axes.y(0.8) - axes.y(1.2)) + "\" fill=\"#eee\"/>\n";
  const auto step = std::max(0.5, axes.highest / 8);
  for (double cost = 0; cost <= axes.highest; cost += step) {
    out += rule(plot_left, axes.y(cost), plot_left + plot_width, axes.y(cost));
    out += text_at(plot_left - 6, axes.y(cost) + 4, "end", rounded(cost));
  }
  for (auto power = std::ceil(axes.least); power <= axes.most; ++power) {
    const auto x = axes.x(std::pow(10, power));
    out += rule(x, plot_top, x, plot_top + plot_height);
    out += text_at(x, plot_top + plot_height + 18, "middle", whole(std::pow(10, power)));
  }
  return out + text_at(plot_left + plot_width / 2, plot_top + plot_height + 38, "middle", axis);
}

std::string draw_line(const growth_axes& axes, const growth_line& line, std::size_t number) {
  const std::string colour = colours[number % colours.size()];
  std::string path;
  std::string out;
  for (const auto& [size, cost] : line.points) {
    const auto x = rounded(axes.x(size));
    const auto y = rounded(axes.y(cost));
    path += (path.empty() ? "M" : "L") + x + ' ' + y;
    out += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\" fill=\"" + colour + "\"/>\n";
  }
  const auto legend = plot_top + 12 + 20 * static_cast<double>(number);
  return "<path d=\"" + path + "\" fill=\"none\" stroke-width=\"2\" stroke=\"" + colour + "\"/>\n"
         + out + "<circle cx=\"" + rounded(legend_left) + "\" cy=\"" + rounded(legend - 4)
         + "\" r=\"5\" fill=\"" + colour + "\"/>\n"
         + text_at(legend_left + 12, legend, "start", line.name);
}

} // namespace

std::string draw_growth(const std::string& title, const std::string& axis,
                        const std::vector<growth_line>& lines) {
  const growth_axes axes(lines);
  auto out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + rounded(chart_width) + ' '
             + rounded(chart_height)
             + "\">\n<style>text{font:12px sans-serif;fill:#222}</style>\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
             + text_at(plot_left, 22, "start", title) + draw_axes(axes, axis);
  std::size_t number = 0;
  for (const auto& line : lines)
    if (!line.points.empty())
      out += draw_line(axes, line, number++);
  return out + "</svg>\n";
}

} // namespace troupe::bench
