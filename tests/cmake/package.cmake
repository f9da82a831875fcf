# Builds and runs a small project that uses the library. MODE (find_package, subdirectory, fetchcontent), ROOT (source
# tree), BUILD (its build tree), WORK (a folder of this test), COMPILER.
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
if(MODE STREQUAL "find_package")
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE package ${prefix}/share/cmake/formwork/*.cmake)
  if(NOT package)
    message(FATAL_ERROR "no config package was installed")
  endif()
  foreach(file IN LISTS package)
    file(STRINGS ${file} paths REGEX "${ROOT}|${BUILD}")
    if(paths)
      message(FATAL_ERROR "${file} names the tree it was built from: ${paths}")
    endif()
  endforeach()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${ROOT}/tests/package -B ${WORK}/build -DMODE=${MODE} -DFORMWORK_ROOT=${ROOT}
                        -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Debug
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/build/consumer COMMAND_ERROR_IS_FATAL ANY)
