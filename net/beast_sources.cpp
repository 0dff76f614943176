// The one file that compiles Boost.Beast (see BOOST_BEAST_SEPARATE_COMPILATION in net/CMakeLists.txt).
#include <boost/beast/src.hpp>
