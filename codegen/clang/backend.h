// LLVM module -> object: the passes that Gnomon's code needs, and LLVM's code generator.
#pragma once

#include <memory>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace gnomon {

/// Optimises. Levels 1 and 2 run passes chosen for generated code, whose lanes are explicit and
/// whose functions are all inlined; level 3 runs LLVM's own O3, level 0 only inlines.
void optimize(llvm::Module& module, llvm::TargetMachine& target, int opt_level);

/// Appends the object or the assembly text; false if the target cannot.
bool emit(llvm::Module& module, llvm::TargetMachine& target, llvm::CodeGenFileType type,
          llvm::SmallVectorImpl<char>& bytes);

}  // namespace gnomon
