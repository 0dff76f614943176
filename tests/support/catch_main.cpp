// The one place that compiles Catch2's runner.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
int main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
#else
// The reason for which a test was skipped stays one line: cmake/print_skipped.cmake reads lines.
#define CATCH_CONFIG_CONSOLE_WIDTH 1000
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
