// Pages that show functions: what their texts have. tests/python/test_view.py asks a browser.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "frontend/view/page.h"
#include "runtime/error.h"
#include "stdlib/lines/running.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

Closed closed_softplus(const std::string& name) {
  const Expr x = vector(name);
  return close_function({x}, {{{"y", log(1 + exp(x))}}, {}});
}

int count_of(std::string_view part, std::string_view text) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("a page has the captured graph, what passes made of it, and kernels with their text") {
  const std::string page = view_page(closed_softplus("x"), {}, {}, {});
  for (const char* part : {R"("name":"captured")", R"("name":"stabilize")", R"("name":"kernels")",
                           R"("op":"softplus")", R"("kind":"kernel")", "gnomon_"})
    CHECK_MESSAGE(count_of(part, page) > 0, part);
  CHECK(count_of("\"range\"", page) == 0);
  CHECK(page == view_page(closed_softplus("x"), {}, {}, {}));
}

TEST_CASE("names of users end no script") {
  ViewOptions options;
  options.name = "</script><b>";
  const std::string page = view_page(closed_softplus("</script><b>"), {}, options, {});
  CHECK(count_of("</script>", page) == 2);
  CHECK(count_of("<b>", page) == 0);
}

TEST_CASE("values have ranges where a page is made for arguments") {
  ViewOptions options;
  options.has_values = true;
  CHECK_THROWS_WITH_AS(view_page(closed_softplus("x"), {}, options, {}),
                       "view: expected 1 arguments, found 0", TypeError);
  options.arguments = {Array::from<double>({-1.5, 0, 4})};
  const std::string page = view_page(closed_softplus("x"), {}, options, {});
  CHECK(count_of("-1.5 to 4", page) == 1);
}
