# Checks of the source tree, of the package, and of what a header may do to its user's program.
set(scripts ${CMAKE_CURRENT_SOURCE_DIR}/cmake)

foreach(check IN ITEMS layers style umbrella)
  add_test(NAME style.${check} COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${scripts}/${check}.cmake)
  set_tests_properties(style.${check} PROPERTIES LABELS style)
endforeach()
add_test(NAME style.planted_faults COMMAND ${CMAKE_COMMAND} -DSCRIPTS=${scripts} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/planted
                                           -P ${scripts}/planted.cmake)
set_tests_properties(style.planted_faults PROPERTIES LABELS style)

# Each header alone. The unit tests include theirs first and are built by the project's compiler and flags; what is left
# is the other compiler, and a processor without the newer vector instructions.
set(folders ${formwork_headers})
list(TRANSFORM folders REPLACE "^.*/include/formwork/" "")
list(FILTER folders EXCLUDE REGEX "^[^/]*$")
list(TRANSFORM folders REPLACE "/.*" "")
list(REMOVE_DUPLICATES folders)
set(flags_gcc "")
set(flags_clang -march=native)
foreach(folder IN LISTS folders)
  set(headers ${formwork_headers})
  list(FILTER headers INCLUDE REGEX "/include/formwork/${folder}/.*\\.hpp$")
  list(FILTER headers EXCLUDE REGEX "/kernels/thrust/|/parallel/(mpi|nccl)")
  list(JOIN headers " " headers)
  foreach(name IN LISTS formwork_compiler_names)
    add_test(NAME header.${folder}.${name}
             COMMAND ${CMAKE_COMMAND} -DCOMPILER=${formwork_compiler_${name}} "-DINCLUDES=${formwork_include_flags}"
                     "-DFLAGS=${flags_${name}}" "-DFILES=${headers}" -P ${scripts}/syntax.cmake)
    set_tests_properties(header.${folder}.${name} PROPERTIES LABELS header)
  endforeach()
endforeach()

# Everything at once: in two units of one program, and among other people's macros.
add_executable(umbrella umbrella/one.cpp umbrella/two.cpp)
target_link_libraries(umbrella PRIVATE formwork formwork_warnings)
add_test(NAME umbrella.two_units COMMAND umbrella)
set_tests_properties(umbrella.two_units PROPERTIES LABELS package)
# In another order too: what a header means must not depend on what was included before it.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/formwork/formwork.hpp reversed REGEX "^#include")
list(REVERSE reversed)
list(JOIN reversed "\n" reversed)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/umbrella_reversed.cpp "${reversed}\n")
foreach(name IN LISTS formwork_compiler_names)
  add_test(NAME umbrella.reversed.${name}
           COMMAND ${CMAKE_COMMAND} -DCOMPILER=${formwork_compiler_${name}} "-DINCLUDES=${formwork_include_flags}"
                   -DFILES=${CMAKE_CURRENT_BINARY_DIR}/umbrella_reversed.cpp -P ${scripts}/syntax.cmake)
  set_tests_properties(umbrella.reversed.${name} PROPERTIES LABELS package)
endforeach()
foreach(name IN LISTS formwork_compiler_names)
  add_test(NAME umbrella.macros.${name}
           COMMAND ${CMAKE_COMMAND} -DCOMPILER=${formwork_compiler_${name}} "-DINCLUDES=${formwork_include_flags}"
                   -DFILES=${CMAKE_CURRENT_SOURCE_DIR}/umbrella/macros.cpp -P ${scripts}/syntax.cmake)
  set_tests_properties(umbrella.macros.${name} PROPERTIES LABELS package)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    add_test(NAME abi_guard.${name}
             COMMAND ${CMAKE_COMMAND} -DCOMPILER=${formwork_compiler_${name}} "-DINCLUDES=${formwork_include_flags}"
                     -DWORK=${CMAKE_CURRENT_BINARY_DIR}/abi_guard_${name} -P ${scripts}/abi_guard.cmake)
    set_tests_properties(abi_guard.${name} PROPERTIES LABELS package)
  endif()
endforeach()

foreach(mode IN ITEMS find_package subdirectory fetchcontent)
  if(mode STREQUAL "find_package" AND NOT FORMWORK_INSTALL)
    continue()
  endif()
  add_test(NAME package.${mode}
           COMMAND ${CMAKE_COMMAND} -DMODE=${mode} -DROOT=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}
                   -DWORK=${CMAKE_CURRENT_BINARY_DIR}/package_${mode} -DCOMPILER=${CMAKE_CXX_COMPILER}
                   -P ${scripts}/package.cmake)
  set_tests_properties(package.${mode} PROPERTIES LABELS package)
endforeach()
