#include <troupe/protocol/time_source.hpp>

namespace troupe {

namespace {

class system_time_source final : public time_source {
public:
  timestamp now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }
  steady_point steady() const override { return std::chrono::steady_clock::now(); }
};

} // namespace

const time_source& system_time() {
  static const system_time_source one;
  return one;
}

} // namespace troupe
