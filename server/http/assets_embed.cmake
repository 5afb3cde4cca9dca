# Writes a C file with every file of a folder in it, taken up by the assembler: no other program is
# needed, and a large page costs no compile time. The file is left alone where nothing changed.
#   cmake -DFOLDER=page/dist -DOUT=assets_files.c -P assets_embed.cmake
# SPDX-License-Identifier: Apache-2.0
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(symbols "")
set(rows "")
set(n 0)
foreach(file ${files})
  if(NOT file MATCHES "^[A-Za-z0-9_./-]+$")
    message(FATAL_ERROR "page/dist/${file}: names of the page are letters, digits and _ . / -")
  endif()
  string(APPEND symbols
    "__asm__(\".section .rodata\\n\"\n"
    "        \".global asset_${n}, asset_${n}_end\\n\"\n"
    "        \".hidden asset_${n}, asset_${n}_end\\n\"\n"
    "        \"asset_${n}: .incbin \\\"${FOLDER}/${file}\\\"\\n\"\n"
    "        \"asset_${n}_end: .byte 0\\n\"\n"
    "        \".previous\\n\");\n"
    "extern const unsigned char asset_${n}[], asset_${n}_end[];\n")
  string(APPEND rows "    {\"/${file}\", asset_${n}, asset_${n}_end},\n")
  math(EXPR n "${n} + 1")
endforeach()
file(CONFIGURE OUTPUT ${OUT} CONTENT
  "#include <stddef.h>\n#include \"http/assets.h\"\n\n${symbols}\nconst asset_file asset_files[] = {\n${rows}    {NULL, NULL, NULL},\n};\n"
  @ONLY)
