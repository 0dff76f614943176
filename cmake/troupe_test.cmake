# troupe_test(ROOM SOURCES ... LINK ...): the executable troupe_ROOM_tests, run as the CTest `ROOM`.
#
# Label `unit` and target troupe_unit_tests: all of them; CI runs these under ASan + UBSan too. Rooms with threads of their own
# (actors, store, net) have the label `threads` and the target troupe_threaded_tests; CI runs these under TSan.
set(troupe_threaded_rooms store actors net)

if(NOT TARGET troupe_catch_main)
  add_library(troupe_catch_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/catch_main.cpp)
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
  "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp:halt_on_error=0:second_deadlock_stack=1:exitcode=66")

function(troupe_test room)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINK" ${ARGN})
  set(target troupe_${room}_tests)
  add_executable(${target} ${TEST_SOURCES})
  target_link_libraries(${target} PRIVATE troupe_catch_main troupe_compile_options ${TEST_LINK})
  add_test(NAME ${room} COMMAND ${target})
  set(labels unit)
  add_dependencies(troupe_unit_tests ${target})
  if(room IN_LIST troupe_threaded_rooms)
    list(APPEND labels threads)
    add_dependencies(troupe_threaded_tests ${target})
  endif()
  set_tests_properties(${room} PROPERTIES TIMEOUT 300 LABELS "${labels}" ENVIRONMENT "${troupe_test_environment}")
endfunction()
