// Fills the tables of a document with the figures that the benchmarks wrote: scripts/bench
// --readme.
#include "bench/readme/tables.hpp"
#include "bench/support/harness.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace troupe::bench;

std::string read_document(const std::string& path) {
  std::ifstream in{path};
  check(in.is_open(), "cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_document(const std::string& path, const std::string& text) {
  std::ofstream out{path};
  out << text << std::flush;
  check(out.good(), "cannot write " + path);
}

} // namespace

int main(int argc, char** argv) {
  std::string document;
  std::vector<std::string> files;
  std::string out;
  CLI::App app{"Fills the tables of a document with the figures of benchmarks.", "bench_readme"};
  app.add_option("DOCUMENT", document, "a document with tables of figures")->required();
  app.add_option("LINES", files, "JSON lines of benchmarks: NAME.jsonl")->required();
  app.add_option("--out", out, "where the document goes; default: it is replaced");
  CLI11_PARSE(app, argc, argv);
  try {
    auto text = read_document(document);
    for (const auto& file : files)
      text =
          fill_tables(text, std::filesystem::path(file).stem().string(), read_figure_lines(file));
    write_document(out.empty() ? document : out, text);
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "bench_readme: " << failure.what() << '\n';
    return 1;
  }
}
