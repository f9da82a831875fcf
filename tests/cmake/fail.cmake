# Compile-fail tests. A file in tests/fail/ starts with lines such as
#     // expect[1]: "schedule: return a number"
# and picks its broken variant by the macro CASE. Test k compiles the file with -DCASE=k: that must fail, and the
# sentence must belong to the first error that the compiler prints. The twin with -DCASE=0 must compile, so that no
# test can pass because of a mistake in the common part.

function(formwork_fail_tests source compiler_name compiler)
  cmake_path(GET source STEM name)
  file(STRINGS ${source} expectations REGEX "^// expect\\[[0-9]+\\]: \".*\"$" ENCODING UTF-8)
  if(NOT expectations)
    message(FATAL_ERROR "${source}: no line of the form // expect[1]: \"sentence\"")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  set(base ${CMAKE_COMMAND} -DCOMPILER=${compiler} "-DINCLUDES=${formwork_include_flags}" -DSOURCE=${source})
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/cmake/run_fail.cmake)
  add_test(NAME fail.${name}.0.${compiler_name} COMMAND ${base} -DCASE=0 -P ${script})
  set_tests_properties(fail.${name}.0.${compiler_name} PROPERTIES LABELS fail)
  foreach(line IN LISTS expectations)
    string(REGEX REPLACE "^// expect.([0-9]+).*" "\\1" case "${line}")
    string(REGEX REPLACE "^[^\"]*\"(.*)\"$" "\\1" sentence "${line}")
    set(test fail.${name}.${case}.${compiler_name})
    add_test(NAME ${test} COMMAND ${base} -DCASE=${case} "-DSENTENCE=${sentence}" -P ${script})
    set_tests_properties(${test} PROPERTIES LABELS fail)
  endforeach()
endfunction()

file(GLOB fail_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fail/*.cpp)
foreach(source IN LISTS fail_sources)
  foreach(name IN LISTS formwork_compiler_names)
    formwork_fail_tests(${source} ${name} ${formwork_compiler_${name}})
  endforeach()
endforeach()
