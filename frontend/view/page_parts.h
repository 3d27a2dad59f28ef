// The constant parts of pages; the build makes the texts of the files page.css, page.html, page.js.
#pragma once

#include <string_view>

namespace gnomon {

std::string_view view_style();
std::string_view view_body();
std::string_view view_script();

}  // namespace gnomon
