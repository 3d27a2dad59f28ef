// The passes over LLVM's code and the code generator, for libgnomon-clang.
#include "codegen/clang/backend.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

namespace gnomon {
namespace {

using llvm::createFunctionToLoopPassAdaptor;
using llvm::FunctionPassManager;

llvm::InstCombinePass combine() {
  return llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false));
}

/// Stores and loads masks of fewer than 8 lanes as those of 8, which are a byte. Clang passes them
/// to functions by a store of their lanes and a load of 8, which SROA leaves in memory.
class WidenMasks : public llvm::PassInfoMixin<WidenMasks> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    for (llvm::Instruction& at : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
        llvm::Value* mask = store->getValueOperand();
        const int lanes = lanes_below_8(mask->getType());
        if (lanes == 0) continue;
        // What follows the lanes is the first of zeros.
        const auto from = first_lanes(8, lanes);
        llvm::Value* zeros = llvm::Constant::getNullValue(mask->getType());
        store->setOperand(0, llvm::IRBuilder<>(store).CreateShuffleVector(mask, zeros, from));
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&at)) {
        const int lanes = lanes_below_8(load->getType());
        if (lanes == 0) continue;
        llvm::IRBuilder<> builder(load);
        auto* byte = llvm::FixedVectorType::get(builder.getInt1Ty(), 8);
        llvm::Value* wide = builder.CreateAlignedLoad(byte, load->getPointerOperand(),
                                                      load->getAlign(), load->isVolatile());
        load->replaceAllUsesWith(builder.CreateShuffleVector(wide, first_lanes(lanes, lanes)));
        load->eraseFromParent();
      }
    }
    return llvm::PreservedAnalyses::none();
  }

 private:
  /// 0 if it is no such mask.
  static int lanes_below_8(const llvm::Type* type) {
    const auto* lanes = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (!lanes || !lanes->getElementType()->isIntegerTy(1)) return 0;
    return lanes->getNumElements() < 8 ? static_cast<int>(lanes->getNumElements()) : 0;
  }
  /// 0, 1, ... up to `last`, which repeats.
  static llvm::SmallVector<int, 8> first_lanes(int count, int last) {
    llvm::SmallVector<int, 8> lanes;
    for (int lane = 0; lane < count; ++lane) lanes.push_back(std::min(lane, last));
    return lanes;
  }
};

/// Has the unroller leave outer loops alone, and inner ones that are long. It goes by the size of
/// the processor's loop buffer, which for some is hundreds of instructions: it would write the loop
/// over blocks of a kernel out three times, with all that is in it.
class BoundUnrolling : public llvm::PassInfoMixin<BoundUnrolling> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    constexpr std::size_t longest = 32;  // instructions
    for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
      std::size_t length = 0;
      for (const llvm::BasicBlock* block : loop->blocks()) length += block->size();
      if (!loop->isInnermost() || length > longest) loop->setLoopAlreadyUnrolled();
    }
    return llvm::PreservedAnalyses::all();
  }
};

/// What makes a function small before it is inlined: nearly all of them are a handful of
/// instructions around variables in memory.
FunctionPassManager shrink() {
  FunctionPassManager passes;
  passes.addPass(WidenMasks());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

/// What the few functions left after inlining get. No loop is vectorised: kernels name their lanes.
FunctionPassManager refine() {
  FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(combine());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager hoist;
  hoist.addPass(llvm::LoopRotatePass());
  hoist.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(hoist), /*UseMemorySSA=*/true));
  llvm::LoopPassManager unroll;
  unroll.addPass(llvm::IndVarSimplifyPass());
  unroll.addPass(llvm::LoopDeletionPass());
  unroll.addPass(llvm::LoopFullUnrollPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(unroll)));
  // Arrays of chains, now indexed by constants, become values.
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::GVNPass());
  passes.addPass(combine());
  // A failed check and the choice of a harmless index are one test.
  passes.addPass(llvm::JumpThreadingPass());
  passes.addPass(combine());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(llvm::SLPVectorizerPass());  // makes gathers of loads lane by lane
  passes.addPass(llvm::VectorCombinePass());
  passes.addPass(BoundUnrolling());
  passes.addPass(llvm::LoopUnrollPass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(combine());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
}

/// Functions with bodies, each after those it names.
std::vector<llvm::Function*> callees_first(llvm::Module& module) {
  struct Visit {
    llvm::Function* function;
    llvm::inst_iterator at, end;
  };
  std::vector<llvm::Function*> order;
  llvm::DenseSet<llvm::Function*> seen;
  std::vector<Visit> open;
  const auto enter = [&](llvm::Function* f) {
    if (!f->isDeclaration() && seen.insert(f).second)
      open.push_back({f, llvm::inst_begin(f), llvm::inst_end(f)});
  };
  for (llvm::Function& root : module) {
    if (root.isDiscardableIfUnused()) continue;
    enter(&root);
    while (!open.empty()) {
      Visit& visit = open.back();
      if (visit.at == visit.end) {
        order.push_back(visit.function);
        open.pop_back();
        continue;
      }
      const llvm::Instruction& instruction = *visit.at++;
      for (llvm::Value* operand : instruction.operands())
        if (auto* f = llvm::dyn_cast<llvm::Function>(operand)) enter(f);
    }
  }
  return order;
}

/// Puts functions in the place of their calls: those that say so, as the prelude's do, and those
/// that are small or called once. Each is made small before it is copied. LLVM's inliner weighs
/// every call and took as long as all that follows. A function of some size that one other calls
/// many times, as a kernel of a hundred sines does, stays a function: copies of it would be most of
/// the code, and of the time.
class InlineCalls : public llvm::PassInfoMixin<InlineCalls> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& modules) {
    auto& analyses =
        modules.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    llvm::DenseSet<const llvm::Function*> done;
    FunctionPassManager passes = shrink();
    for (llvm::Function* function : callees_first(module)) {
      llvm::SmallVector<llvm::CallBase*, 32> calls;
      llvm::DenseMap<llvm::Function*, unsigned> counts;
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (!callee || !done.contains(callee) || !is_wanted(*callee)) continue;
        calls.push_back(call);
        ++counts[callee];
      }
      for (llvm::CallBase* call : calls) {
        llvm::Function* callee = call->getCalledFunction();
        if (stays(*callee, counts[callee])) {
          keep(*callee);
          continue;
        }
        llvm::InlineFunctionInfo info;
        llvm::InlineFunction(*call, info);
      }
      passes.run(*function, analyses);
      done.insert(function);
    }
    return llvm::PreservedAnalyses::none();
  }

 private:
  static constexpr unsigned few = 24;        // instructions
  static constexpr unsigned many = 32;       // calls from one function
  static constexpr unsigned long_body = 64;  // instructions that are worth a call

  static bool stays(const llvm::Function& f, unsigned calls) {
    return calls >= many && f.getInstructionCount() >= long_body && f.isDiscardableIfUnused();
  }
  /// Nobody but this unit calls it, so LLVM may pass its operands as it likes. Functions that call
  /// it less often take it in.
  static void keep(llvm::Function& f) {
    f.setComdat(nullptr);
    f.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  static bool is_wanted(const llvm::Function& f) {
    if (f.hasFnAttribute(llvm::Attribute::NoInline)) return false;
    return f.hasFnAttribute(llvm::Attribute::AlwaysInline) || f.getInstructionCount() < few ||
           (f.hasOneUse() && f.isDiscardableIfUnused());
  }
};

llvm::ModulePassManager lean_passes() {
  llvm::ModulePassManager passes;
  passes.addPass(InlineCalls());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(createModuleToFunctionPassAdaptor(refine(), /*EagerlyInvalidate=*/true));
  return passes;
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& target, int opt_level) {
  const llvm::TargetLibraryInfoImpl library(llvm::Triple(module.getTargetTriple()));
  llvm::PassBuilder builder(&target);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(createModuleToFunctionPassAdaptor(WidenMasks()));
      });
  auto passes = opt_level == 0 ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                : opt_level == 3
                    ? builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
                    : lean_passes();
  passes.run(module, modules);
}

bool emit(llvm::Module& module, llvm::TargetMachine& target, llvm::CodeGenFileType type,
          llvm::SmallVectorImpl<char>& bytes) {
  llvm::raw_svector_ostream stream(bytes);
  const llvm::TargetLibraryInfoImpl library(llvm::Triple(module.getTargetTriple()));
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  passes.add(llvm::createTargetTransformInfoWrapperPass(target.getTargetIRAnalysis()));
  if (target.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true)) {
    return false;
  }
  passes.run(module);
  return true;
}

}  // namespace gnomon
