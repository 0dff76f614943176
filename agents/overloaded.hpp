// A visitor of a variant, made of one function for each alternative.
#pragma once

namespace troupe {

template<class... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
template<class... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

} // namespace troupe
