# Units built for different instruction sets must not link, and the linker must name the reason. COMPILER, INCLUDES, WORK.
set(ENV{LC_ALL} C)
separate_arguments(INCLUDES UNIX_COMMAND "${INCLUDES}")
file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/one.cpp "#include <formwork/core/types.hpp>\nint two();\nint main() { return two(); }\n")
file(WRITE ${WORK}/two.cpp "#include <formwork/core/types.hpp>\nint two() { return 0; }\n")

function(compile source flags)
  execute_process(COMMAND ${COMPILER} -std=c++20 ${flags} ${INCLUDES} -c ${WORK}/${source}.cpp -o ${WORK}/${source}${flags}.o
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()
foreach(flags IN ITEMS -march=x86-64 -march=x86-64-v3)
  compile(one ${flags})
  compile(two ${flags})
  execute_process(COMMAND ${COMPILER} ${WORK}/one${flags}.o ${WORK}/two${flags}.o -o ${WORK}/same COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${COMPILER} ${WORK}/one-march=x86-64.o ${WORK}/two-march=x86-64-v3.o -o ${WORK}/mixed
                RESULT_VARIABLE status ERROR_VARIABLE message)
if(status EQUAL 0)
  message(FATAL_ERROR "units for sse2 and avx2 were linked")
endif()
if(NOT message MATCHES "formwork_built_for_avx2_fma")
  message(FATAL_ERROR "the linker does not name the symbol of the instruction set:\n${message}")
endif()
