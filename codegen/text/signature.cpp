// Writes the signature of a compiled function.
#include "codegen/text/signature.h"

#include <nlohmann/json.hpp>

namespace gnomon {

std::string signature_json(const Module& module, int plan_size) {
  using nlohmann::json;
  json inputs = json::array(), outputs = json::array(), failures = json::array();
  for (const Buffer& b : module.buffers)
    if (b.role == Buffer::Role::parameter)
      inputs.push_back({{"name", b.name}, {"dtype", name_of(b.dtype)}, {"rank", b.shape.size()}});
  int at = plan_size;
  for (const int b : module.outputs) at -= static_cast<int>(module.buffers[b].shape.size());
  for (const int b : module.outputs) {
    const Buffer& o = module.buffers[b];
    outputs.push_back({{"name", o.name},
                       {"dtype", name_of(o.dtype)},
                       {"rank", o.shape.size()},
                       {"shape_at", at},
                       {"late", module.is_late(o.shape)},
                       {"over", module.over[outputs.size()]}});
    at += static_cast<int>(o.shape.size());
  }
  for (const FailureText& f : module.failures)
    failures.push_back({{"text", f.text},
                        {"nodes", f.captured},
                        {"entry", f.entry_check},
                        {"parameter", f.parameter},
                        {"of", f.of},
                        {"index", f.is_index}});
  json signature{{"inputs", inputs},
                 {"outputs", outputs},
                 {"failures", failures},
                 {"messages", module.messages},
                 {"kernels", module.kernel_calls()},
                 {"products", module.products()},
                 {"extent_parameters", module.extent_parameters}};
  if (!module.memory_table.empty()) signature["memory_table"] = module.memory_table;
  return signature.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace gnomon
