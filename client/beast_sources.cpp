// The one file that compiles Boost.Beast (see BOOST_BEAST_SEPARATE_COMPILATION in
// net/CMakeLists.txt).
//
// Without its assertions: one of 1.81 (`n >= 5` in basic_parser::parse_chunk_header) does not hold
// when an empty chunked body comes byte by byte, which any client may send. The code behind it is
// right.
#define BOOST_DISABLE_ASSERTS
#include <boost/beast/src.hpp>
