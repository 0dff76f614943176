// Runs a fuzz target over the files of a folder: the ordinary test of its corpus, and the way to
// repeat a find.
#include "tests/fuzz/fuzz_target.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

namespace {

std::vector<std::filesystem::path> inputs_in(const std::filesystem::path& place) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_regular_file(place))
    files.push_back(place);
  else if (std::filesystem::is_directory(place))
    for (const auto& entry : std::filesystem::directory_iterator(place))
      if (entry.is_regular_file())
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " FILE-OR-FOLDER\n";
    return 2;
  }
  const auto files = inputs_in(argv[1]);
  for (const auto& file : files) {
    std::cout << file.filename().string() << std::endl; // Known before it ends the process.
    std::ifstream in(file, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::cout << files.size() << " inputs\n";
  return files.empty() ? 1 : 0;
}
