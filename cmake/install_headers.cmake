# Installs the headers with their includes spelled <gnomon/...>, so that a folder of a user's own which
# is called `runtime` or `ir` is never looked into. Wants source, build, floors and destination.
string(RANDOM LENGTH 12 suffix)  # several installations may run at once
set(stage "${build}/headers-${suffix}")
string(REPLACE ";" "|" any_floor "${floors}")
foreach(floor IN LISTS floors)
  file(GLOB_RECURSE headers RELATIVE "${source}" "${source}/${floor}/*.h")
  list(FILTER headers EXCLUDE REGEX "/(examples|python)/")
  foreach(header IN LISTS headers)
    file(READ "${source}/${header}" text)
    string(REGEX REPLACE "#include \"((${any_floor})/[^\"]+)\"" "#include <gnomon/\\1>" text
           "${text}")
    file(WRITE "${stage}/gnomon/${header}" "${text}")
  endforeach()
endforeach()
foreach(name IN ITEMS gnomon fwd eigen)
  file(WRITE "${stage}/gnomon/${name}.h"
       "// What frontend/${name}.h has.\n#pragma once\n#include <gnomon/frontend/${name}.h>\n")
endforeach()
file(INSTALL DESTINATION "${destination}" TYPE DIRECTORY FILES "${stage}/gnomon")
file(REMOVE_RECURSE "${stage}")
