// Which dtypes a graph has.
#include "passes/representation.h"

#include <algorithm>

namespace gnomon {

bool has_dtype(const Graph& graph, bool (*is)(DType)) {
  const auto has = [is](const Type& t) { return is(t.dtype); };
  const auto in_body = [is](const Attribute& a) {
    return a.kind() == Attribute::Kind::body && has_dtype(*a.body(), is);
  };
  return std::ranges::any_of(graph.parameters, has, &Parameter::type) ||
         std::ranges::any_of(graph.topological_order(), [&](const Node* node) {
           return std::ranges::any_of(node->types(), has) ||
                  std::ranges::any_of(node->attributes(), in_body);
         });
}

}  // namespace gnomon
