#pragma once
// Units compiled with different instruction sets disagree about the size and alignment of vector types, and
// the linker would silently keep one of two different bodies of the same inline function. Each unit therefore
// puts a symbol named after its instruction set into one shared COMDAT group and refers to that symbol. The
// linker keeps the first group only: when another unit was built differently its symbol is gone, and the
// program does not link ("undefined reference to `formwork_built_for_avx512`").
#include <formwork/core/platform.hpp>

#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(__CUDACC__)
__asm__(
    ".pushsection .data.formwork_abi,\"awG\",@progbits,formwork_abi,comdat\n"
    ".globl formwork_built_for_" FORMWORK_TEXT(FORMWORK_ISA) "\n"
    "formwork_built_for_" FORMWORK_TEXT(FORMWORK_ISA) ": .byte 0\n"
    ".popsection\n"
    ".pushsection .data.rel.ro.formwork_abi_use,\"aw\",@progbits\n"
    ".quad formwork_built_for_" FORMWORK_TEXT(FORMWORK_ISA) "\n"
    ".popsection\n");
#endif
