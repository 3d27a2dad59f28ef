# Writes OUTPUT: the texts of FOLDER/page.css, page.html and page.js as functions.
# A string literal may hold 64 KiB at the least, and adjacent ones join: each file is cut in pieces.
function(literal path result)
  file(READ ${path} text)
  set(pieces "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND pieces "R\"~~(${piece})~~\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  set(${result} "${pieces}" PARENT_SCOPE)
endfunction()

literal(${FOLDER}/page.css style)
literal(${FOLDER}/page.html body)
literal(${FOLDER}/page.js script)
file(WRITE ${OUTPUT}
"// Generated: the constant parts of pages that show functions.
#include \"frontend/view/page_parts.h\"

namespace gnomon {
std::string_view view_style() {
  return ${style};
}
std::string_view view_body() {
  return ${body};
}
std::string_view view_script() {
  return ${script};
}
}  // namespace gnomon
")
