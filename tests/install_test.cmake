# Run by the CTest `install`: installs BUILD below WORK, configures and builds EXAMPLES against it, runs them and the binary.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect wanted)
  if(NOT output STREQUAL wanted)
    message(FATAL_ERROR "expected:\n${wanted}\ngot:\n${output}")
  endif()
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}") # a list, which ARGN would take apart
run(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${prefix}
  -D CMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/example_library)
expect("hello, world!\n")
run(${WORK}/build/example_custom_agent)
expect("5 words\n")
run(${WORK}/build/example_custom_planner)
expect("wash, dry, fold\n")
run(${prefix}/bin/troupe --version)
