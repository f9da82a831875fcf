# Checks that include/formwork/formwork.hpp includes every public CPU header:  cmake -DROOT=<source tree> -P umbrella.cmake
# With -DWRITE=ON it writes the file instead.
cmake_minimum_required(VERSION 3.25)
cmake_path(ABSOLUTE_PATH ROOT)

set(order core tensor kernels/cpu graph ops policy model data decode metric io train parallel)

# Not in the umbrella: they need a library that a user of the CPU part may not have, or cost much to include.
set(optional "^(tensor/xtensor|thrust|mpi|parallel/mpi|parallel/nccl)[a-z_]*\\.hpp$|^kernels/thrust/|\\.cuh$")

set(text "#pragma once\n/// Everything for the CPU. Optional beside it: formwork/tensor/xtensor.hpp.\n")
string(APPEND text "// Written by tests/cmake/umbrella.cmake, which also checks that no header is missing.\n")
file(GLOB_RECURSE all RELATIVE ${ROOT}/include/formwork ${ROOT}/include/formwork/*.hpp)
if(NOT all)
  message(FATAL_ERROR "umbrella: no headers found below ${ROOT}/include/formwork")
endif()
foreach(folder IN LISTS order)
  set(headers ${all})
  list(FILTER headers INCLUDE REGEX "^${folder}/")
  list(FILTER headers EXCLUDE REGEX "${optional}")
  list(SORT headers)
  foreach(header IN LISTS headers)
    string(APPEND text "#include <formwork/${header}>\n")
  endforeach()
endforeach()

set(umbrella ${ROOT}/include/formwork/formwork.hpp)
if(WRITE)
  file(WRITE ${umbrella} "${text}")
  return()
endif()
set(found "")
if(EXISTS ${umbrella})
  file(READ ${umbrella} found)
endif()
if(NOT found STREQUAL text)
  message(NOTICE "${text}")
  message(FATAL_ERROR "umbrella: formwork.hpp must read as above; run cmake -DROOT=. -DWRITE=ON -P tests/cmake/umbrella.cmake")
endif()
