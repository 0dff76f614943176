# troupe_test(ROOM SOURCES ... LINK ... [APART TAG ...]): the executable troupe_ROOM_tests, run as the CTest `ROOM`. The tests with a
# TAG are run as the CTest `ROOM_TAG` instead, at the same time as the others: for rooms whose tests take long. A test has one TAG.
#
# Label `unit` and target troupe_unit_tests: all of them; CI runs these under ASan + UBSan too. Rooms with threads of their own
# (actors, store, net) have the label `threads` and the target troupe_threaded_tests; CI runs these under TSan.
set(troupe_threaded_rooms store actors net)
# CTest begins with these, which take longest: the last one that runs has nothing beside it.
set(troupe_long_rooms sim store net)

if(NOT TARGET troupe_catch_main)
  add_library(troupe_catch_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/catch_main.cpp ${PROJECT_SOURCE_DIR}/tests/support/source_dir.cpp)
  target_compile_definitions(troupe_catch_main PRIVATE TROUPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(troupe_catch_main PUBLIC ${PROJECT_SOURCE_DIR})
  find_package(Catch2 REQUIRED)
  target_link_libraries(troupe_catch_main PUBLIC Catch2::Catch2)
  target_compile_features(troupe_catch_main PUBLIC cxx_std_20)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    target_sources(troupe_catch_main INTERFACE ${PROJECT_SOURCE_DIR}/tests/support/tsan_heap.cpp)
  endif()
endif()
if(NOT TARGET troupe_unit_tests)
  add_custom_target(troupe_unit_tests)
  add_custom_target(troupe_threaded_tests)
endif()

# What the sanitizers are told, see tests/support/tsan.supp; harmless without them.
set(troupe_test_environment
  "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1"
  "UBSAN_OPTIONS=print_stacktrace=1"
  "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp:halt_on_error=0:second_deadlock_stack=1:history_size=2:exitcode=66")

# For unity builds. Test files often give different helpers the same name, so each gets a namespace of its own. The headers that they
# include come first and outside of it: `#include` within the namespace then does nothing. Other files of a test are compiled alone.
function(troupe_unity_tests target sources)
  list(FILTER sources INCLUDE REGEX "_test\\.cpp$")
  get_target_property(others ${target} SOURCES)
  list(REMOVE_ITEM others ${sources})
  list(APPEND others ${PROJECT_SOURCE_DIR}/tests/support/tsan_heap.cpp)
  set_source_files_properties(${others} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(includes "#pragma once")
  foreach(source ${sources})
    file(STRINGS ${source} lines REGEX "^#include")
    list(APPEND includes ${lines})
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  set(headers ${CMAKE_CURRENT_BINARY_DIR}/${target}_headers.hpp)
  file(CONFIGURE OUTPUT ${headers} CONTENT "${includes}\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_UNIQUE_ID troupe_test_file
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#include \"${headers}\"\nnamespace troupe_test_file {"
    UNITY_BUILD_CODE_AFTER_INCLUDE "}")
endfunction()

function(troupe_test room)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINK;APART" ${ARGN})
  set(target troupe_${room}_tests)
  add_executable(${target} ${TEST_SOURCES})
  target_link_libraries(${target} PRIVATE troupe_catch_main troupe_compile_options ${TEST_LINK})
  # Catch2 says with __FILE__ where a test is. Without the place of the checkout in it, two checkouts share a compiler cache.
  target_compile_options(${target} PRIVATE "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
  if(TROUPE_UNITY_TESTS)
    troupe_unity_build(${target})
    troupe_unity_tests(${target} "${TEST_SOURCES}")
  endif()
  set(slow_cases --min-duration 10) # seconds; a test that is killed has told where its time went
  set(tests ${room})
  set(filter "")
  foreach(tag ${TEST_APART})
    add_test(NAME ${room}_${tag} COMMAND ${target} "[${tag}]" ${slow_cases})
    list(APPEND tests ${room}_${tag})
    string(APPEND filter "~[${tag}]")
  endforeach()
  add_test(NAME ${room} COMMAND ${target} ${filter} ${slow_cases})
  set(labels unit)
  add_dependencies(troupe_unit_tests ${target})
  if(room IN_LIST troupe_threaded_rooms)
    list(APPEND labels threads)
    add_dependencies(troupe_threaded_tests ${target})
  endif()
  if(room IN_LIST troupe_long_rooms)
    set_tests_properties(${room} PROPERTIES COST 1000)
  endif()
  set_tests_properties(${tests} PROPERTIES TIMEOUT 1200 LABELS "${labels}" ENVIRONMENT "${troupe_test_environment}")
endfunction()
