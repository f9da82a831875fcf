# Some tests run compilers directly: the project's own one and, if it is there, the other of g++ and clang++.
# Sets formwork_compiler_names (gcc, clang), formwork_compiler_<name> and formwork_include_flags (one string).
set(formwork_compiler_names "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(formwork_compiler_gcc ${CMAKE_CXX_COMPILER})
else()
  set(formwork_compiler_clang ${CMAKE_CXX_COMPILER})
endif()
find_program(formwork_compiler_gcc g++)
find_program(formwork_compiler_clang clang++)
foreach(name IN ITEMS gcc clang)
  if(formwork_compiler_${name})
    list(APPEND formwork_compiler_names ${name})
  else()
    message(STATUS "formwork: no ${name} on this machine, its compile-only tests are left out")
  endif()
endforeach()

# -idirafter, since naming /usr/include earlier would break the standard library's own #include_next.
set(formwork_include_flags
    "-I${PROJECT_SOURCE_DIR}/include -idirafter $<JOIN:$<TARGET_PROPERTY:formwork,INTERFACE_INCLUDE_DIRECTORIES>, -idirafter >")
