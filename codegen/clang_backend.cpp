// The passes over LLVM's code and the code generator, for libgnomon-clang.
#include "codegen/clang_backend.h"

#include <utility>

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
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
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

namespace gnomon {
namespace {

using llvm::createFunctionToLoopPassAdaptor;
using llvm::FunctionPassManager;

llvm::InstCombinePass combine() {
  return llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false));
}

/// What makes a function small before it is inlined: nearly all of them are a handful of
/// instructions around variables in memory.
FunctionPassManager shrink() {
  FunctionPassManager passes;
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
  passes.addPass(llvm::LoopUnrollPass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(combine());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
}

llvm::ModulePassManager lean_passes() {
  llvm::ModulePassManager passes;
  llvm::ModuleInlinerWrapperPass inliner(llvm::getInlineParams());
  inliner.getPM().addPass(createCGSCCToFunctionPassAdaptor(shrink(), /*EagerlyInvalidate=*/true));
  passes.addPass(std::move(inliner));
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
