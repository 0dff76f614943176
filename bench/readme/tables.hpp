// The tables of figures in a document, filled from what the benchmarks wrote.
//
// A table stands between two comments. The first names a benchmark, the rows and the cells; `$` in
// a cell stands for the row, and a cell that ends in ` ratio` is the ratio to the baseline:
//
//   <!-- figures http_send; rows 64 | 256; cells bare/$ | memory/$ | memory/$ ratio -->
//   | connections | bare | memory | |
//   | --- | --- | --- | --- |
//   ...
//   <!-- end of figures -->
//
// The head of the table stays; rows and the line below them, with date, machine and commit, are
// made anew.
#pragma once

#include "bench/support/figure_lines.hpp"

#include <string>
#include <vector>

namespace troupe::bench {

/// `document` with every table of this benchmark filled. The figures are those of the last commit
/// and machine of the lines, the median if there are several of a case; lines of smoke size do not
/// count. A cell whose case is not there is empty. Throws wrong_result: a comment that is not as
/// above (the message names the line), or no figures.
[[nodiscard]] std::string fill_tables(const std::string& document, const std::string& bench,
                                      const std::vector<figure_line>& lines);

} // namespace troupe::bench
