# Everything Troupe links against, found in one place. All of it comes from Debian 12's packages; the list with the
# reasons stands in docs/decisions/001-dependencies.md.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json system)
find_package(OpenSSL REQUIRED)
find_package(spdlog REQUIRED)
find_package(RocksDB REQUIRED)
find_package(tomlplusplus REQUIRED)

# CAF: Debian ships 0.17.6 without CMake files, CAF 1.x brings its own (CAFConfig.cmake).
find_package(CAF QUIET COMPONENTS core)
if(TARGET CAF::core)
  add_library(troupe_caf INTERFACE)
  target_link_libraries(troupe_caf INTERFACE CAF::core)
else()
  find_path(CAF_CORE_INCLUDE_DIR caf/all.hpp REQUIRED)
  find_library(CAF_CORE_LIBRARY caf_core REQUIRED)
  add_library(troupe_caf INTERFACE)
  target_include_directories(troupe_caf SYSTEM INTERFACE ${CAF_CORE_INCLUDE_DIR})
  target_link_libraries(troupe_caf INTERFACE ${CAF_CORE_LIBRARY} Threads::Threads)
endif()
add_library(troupe::caf ALIAS troupe_caf)
