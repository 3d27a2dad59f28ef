// Clang, LLVM and lld in this process: one unit to one object, objects to one shared object.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Basic/Version.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "codegen/clang/backend.h"
#include "codegen/clang/entry.h"
#include "codegen/clang/precompiled.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "llvm/Transforms/Utils/Cloning.h"

LLD_HAS_DRIVER(elf)

#ifdef GNOMON_REMOVE_FILE_ON_SIGNAL
// Linked in place of llvm::sys::RemoveFileOnSignal (cmake/clang.cmake), which would catch the
// signals of the user's process, and give the calling thread another signal stack, for one
// temporary file.
extern "C" bool gnomon_keep_file_on_signal(llvm::StringRef, std::string*) __asm__(
    "__wrap_" GNOMON_REMOVE_FILE_ON_SIGNAL);
bool gnomon_keep_file_on_signal(llvm::StringRef, std::string*) { return false; }
#endif

namespace gnomon {
namespace {

// Values of Diagnostic::Severity.
enum Severity { note, remark, warning, error };

/// Sends messages on and remembers whether one was an error.
class Messages {
 public:
  explicit Messages(const ClangSink& sink) : sink_(sink) {}

  void send(Severity severity, const std::string& text, const std::string& file = {}, int line = 0,
            int column = 0, const std::string& source_line = {}) {
    failed_ = failed_ || severity == error;
    sink_.message(sink_.user,
                  {severity, file.c_str(), line, column, text.c_str(), source_line.c_str()});
  }
  bool failed() const { return failed_; }

 private:
  const ClangSink& sink_;
  bool failed_ = false;
};

/// Text of the line of the file that `place` points into.
std::string line_at(const clang::SourceManager& sources, clang::SourceLocation place) {
  auto [file, offset] = sources.getDecomposedExpansionLoc(place);
  bool invalid = false;
  const llvm::StringRef text = sources.getBufferData(file, &invalid);
  if (invalid || offset > text.size()) return {};
  const std::size_t newline = text.rfind('\n', offset ? offset - 1 : 0);
  const bool first = offset == 0 || newline == llvm::StringRef::npos;
  const llvm::StringRef line = text.substr(first ? 0 : newline + 1);
  return line.take_until([](char c) { return c == '\n'; }).str();
}

/// Clang's messages.
class FrontendMessages final : public clang::DiagnosticConsumer {
 public:
  explicit FrontendMessages(Messages& messages) : messages_(messages) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);  // counts errors
    using Level = clang::DiagnosticsEngine::Level;
    const Severity severity = level >= Level::Error     ? error
                              : level == Level::Warning ? warning
                              : level == Level::Remark  ? remark
                                                        : note;
    llvm::SmallString<256> text;
    info.FormatDiagnostic(text);
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      const auto place = info.getSourceManager().getPresumedLoc(info.getLocation());
      if (place.isValid()) {
        messages_.send(severity, text.str().str(), place.getFilename(),
                       static_cast<int>(place.getLine()), static_cast<int>(place.getColumn()),
                       line_at(info.getSourceManager(), info.getLocation()));
        return;
      }
    }
    messages_.send(severity, text.str().str());
  }

 private:
  Messages& messages_;
};

/// LLVM's messages. Without this handler LLVM prints them; an error among them (bad inline
/// assembly) does not stop it from producing an object.
class BackendMessages final : public llvm::DiagnosticHandler {
 public:
  explicit BackendMessages(Messages& messages) : messages_(messages) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Remark || info.getSeverity() == llvm::DS_Note) return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    messages_.send(info.getSeverity() == llvm::DS_Error ? error : warning, stream.str());
    return true;
  }

 private:
  Messages& messages_;
};

struct Processor {
  llvm::Triple triple;
  std::string cpu;
  std::vector<std::string> features;  // "+avx2", sorted
  int scale = 0;  // vectors have this times 128 bits at least; 0: what the features say

  /// How numbers are passed; empty: the only way.
  std::string abi() const { return triple.isRISCV64() ? "lp64d" : ""; }
};

const Processor& host() {
  static const Processor found = [] {
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
    Processor p{
        llvm::Triple(llvm::sys::getProcessTriple()), llvm::sys::getHostCPUName().str(), {}, 0};
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      // AVX10 says over again what AVX-512's own features say, and Clang warns that it does.
      if (feature.first().starts_with("avx10")) continue;
      std::string text(1, feature.second ? '+' : '-');
      text += feature.first();
      p.features.push_back(std::move(text));
    }
    std::sort(p.features.begin(), p.features.end());
    return p;
  }();
  return found;
}

/// The architecture that a name is of, as "x86-64-v3" or "aarch64+sve"; else this machine's.
llvm::Triple triple_of(llvm::StringRef name) {
  const auto named = llvm::StringSwitch<llvm::Triple::ArchType>(name.split('+').first)
                         .StartsWith("x86-64", llvm::Triple::x86_64)
                         .Case("aarch64", llvm::Triple::aarch64)
                         .Case("riscv64", llvm::Triple::riscv64)
                         .StartsWith("sm_", llvm::Triple::nvptx64)
                         .Default(host().triple.getArch());
  if (named == host().triple.getArch()) return host().triple;
  if (named == llvm::Triple::nvptx64) return llvm::Triple("nvptx64-nvidia-cuda");
  return llvm::Triple(llvm::Triple::getArchTypeName(named), "unknown", "linux", "gnu");
}

Processor processor(const ClangSettings& settings) {
  const llvm::StringRef name = settings.cpu;
  if (name == "native") return host();
  Processor p{triple_of(name), name.str(), {}, 0};
  llvm::SmallVector<llvm::StringRef, 64> features;
  if (p.triple.isX86()) {
    if (llvm::X86::parseArchX86(p.cpu) != llvm::X86::CK_None)  // Clang reports the others
      llvm::X86::getFeaturesForCPU(p.cpu, features, /*NeedPlus=*/true);
  } else if (name.starts_with("aarch64")) {
    p.cpu = "generic";
  } else if (name.starts_with("riscv64")) {
    p.cpu = "generic-rv64";  // rv64gc: what Linux on this architecture has at least
    features = {"+a", "+c", "+d", "+f", "+m", "+zicsr", "+zifencei"};
  }
  for (const llvm::StringRef feature : features) p.features.push_back(feature.str());
  // Extensions stand behind the name of the architecture.
  llvm::StringRef extension = name.split('+').second;
  if (extension.consume_back("256")) p.scale = 2;
  if (!extension.empty()) p.features.push_back(("+" + extension).str());
  std::sort(p.features.begin(), p.features.end());
  return p;
}

/// Arguments of the compiler proper; -fno-math-errno is its default.
std::vector<std::string> arguments(const Processor& p, const ClangSettings& settings) {
  std::vector<std::string> args = {
      "-triple", p.triple.str(), "-target-cpu", p.cpu, "-std=c++20",
      // Contraction would make a result depend on what it is fused with.
      "-ffp-contract=off", "-ffp-exception-behavior=ignore", "-fno-rtti", "-mframe-pointer=none",
      "-fno-threadsafe-statics", "-Qn", "-ferror-limit", "20", "-fbracket-depth", "4096",
      "-nostdsysteminc", "-nobuiltininc", "-I", ".", "-internal-isystem", "include"};
  if (p.triple.isNVPTX()) {
    args.insert(args.end(), {"-x", "cuda", "-fcuda-is-device", "-aux-triple",
                             llvm::sys::getProcessTriple(), "-O3"});
    return args;
  }
  args.insert(args.end(),
              {"-x", "c++", "-mrelocation-model", "pic", "-pic-level", "2", "-fvisibility=hidden",
               // Kernels name their vectors; a preference for narrow ones would split them.
               "-mprefer-vector-width=512"});
  for (const std::string& feature : p.features) {
    args.insert(args.end(), {"-target-feature", feature});
  }
  if (!p.abi().empty()) args.insert(args.end(), {"-target-abi", p.abi()});
  if (p.scale != 0)
    args.insert(args.end(), {"-mvscale-min=" + std::to_string(p.scale), "-mvscale-max=16"});
  args.push_back("-O" + std::to_string(settings.opt_level));
  if (settings.opt_level >= 2) args.insert(args.end(), {"-vectorize-loops", "-vectorize-slp"});
  return args;
}

constexpr llvm::StringLiteral root = "/gnomon";
constexpr llvm::StringLiteral precompiled_path = "/gnomon/all.pch";
constexpr llvm::StringLiteral stdint_text = R"(#pragma once
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
)";
constexpr llvm::StringLiteral stddef_text = R"(#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
)";

using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>;

/// Adds a text that outlives the file system.
void add_file(llvm::vfs::InMemoryFileSystem& files, llvm::StringRef path, llvm::StringRef text) {
  files.addFile(llvm::Twine(root) + "/" + path, 0,
                llvm::MemoryBuffer::getMemBuffer(text, path, /*RequiresNullTerminator=*/false));
}

/// The only files a unit can see. Nothing touches the disk.
Files file_system(const ClangSettings& settings) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->setCurrentWorkingDirectory(root);
  const auto add = [&](llvm::StringRef path, llvm::StringRef text) {
    add_file(*files, path, text);
  };
  add("include/stdint.h", stdint_text);
  add("include/stddef.h", stddef_text);
  for (std::size_t i = 0; i < settings.header_count; ++i) {
    add(settings.headers[i].name, {settings.headers[i].data, settings.headers[i].size});
  }
  return files;
}

std::unique_ptr<clang::CompilerInstance> compiler(std::vector<std::string> args, Files files,
                                                  clang::DiagnosticConsumer& consumer) {
  auto instance = std::make_unique<clang::CompilerInstance>();
  std::vector<const char*> argv;
  for (const std::string& arg : args) argv.push_back(arg.c_str());
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> engine(new clang::DiagnosticsEngine(
      new clang::DiagnosticIDs, new clang::DiagnosticOptions, &consumer, false));
  auto& invocation = instance->getInvocation();
  if (!clang::CompilerInvocation::CreateFromArgs(invocation, argv, *engine)) return nullptr;
  // The process lives on: give the memory back.
  invocation.getFrontendOpts().DisableFree = false;
  invocation.getCodeGenOpts().DisableFree = false;
  invocation.getDiagnosticOpts().ShowCarets = false;  // else it prints how many there were
  instance->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  instance->createFileManager(std::move(files));
  instance->createSourceManager(instance->getFileManager());
  return instance;
}

/// Serialises what it parses into memory; Clang's own action insists on writing a file.
class Precompile final : public clang::ASTFrontendAction {
 public:
  std::shared_ptr<clang::PCHBuffer> buffer = std::make_shared<clang::PCHBuffer>();

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(
        instance.getPreprocessor(), instance.getModuleCache(), precompiled_path, "", buffer,
        instance.getFrontendOpts().ModuleFileExtensions, /*AllowASTWithErrors=*/false,
        /*IncludeTimestamps=*/false);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }
};

/// A header that includes all headers.
std::string all_headers(const ClangSettings& settings) {
  std::string text;
  for (std::size_t i = 0; i < settings.header_count; ++i) {
    text += "#include \"";
    text += settings.headers[i].name;
    text += "\"\n";
  }
  return text;
}

/// What a precompiled prelude must agree with: the texts of the headers and Clang.
std::uint64_t prelude_hash(const ClangSettings& settings) {
  std::uint64_t hash = llvm::xxh3_64bits(llvm::StringRef(clang::getClangFullVersion()));
  for (std::size_t i = 0; i < settings.header_count; ++i) {
    const ClangText& header = settings.headers[i];
    hash = hash * 31 + llvm::xxh3_64bits(llvm::StringRef(header.name));
    hash = hash * 31 + llvm::xxh3_64bits(llvm::StringRef(header.data, header.size));
  }
  return hash;
}

/// The prelude precompiled for a level that says the same to the preprocessor as the processor
/// does, if there is one: the headers test no features but those of levels.
const PrecompiledPrelude* precompiled(const Processor& p, const ClangSettings& settings) {
  const auto has = [&](llvm::StringRef feature) {
    return std::binary_search(p.features.begin(), p.features.end(), ("+" + feature).str());
  };
  if (!p.triple.isX86() || settings.own_prelude) return nullptr;
  static const std::uint64_t hash = prelude_hash(settings);
  for (const PrecompiledPrelude& prelude : precompiled_preludes()) {
    const bool wide = llvm::StringRef(prelude.cpu) == "x86-64-v4";
    bool fits = prelude.hash == hash;
    for (const char* feature : {"avx512f", "avx512bw", "avx512dq", "avx512vl"})
      fits = fits && has(feature) == wide;
    for (const char* feature : {"avx", "avx2", "fma", "f16c"})
      fits = fits && has(feature) == (wide || llvm::StringRef(prelude.cpu) == "x86-64-v3");
    if (fits) return &prelude;
  }
  return nullptr;
}

std::unique_ptr<llvm::TargetMachine> machine(const Processor& p, int opt_level) {
  std::string reason;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(p.triple.str(), reason);
  if (!target) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.NoTrappingFPMath = true;
  options.MCOptions.ABIName = p.abi();
  std::string features;
  for (const std::string& feature : p.features) {
    if (!features.empty()) features += ',';
    features += feature;
  }
  const auto level = opt_level >= 2   ? llvm::CodeGenOptLevel::Default
                     : opt_level == 1 ? llvm::CodeGenOptLevel::Less
                                      : llvm::CodeGenOptLevel::None;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      p.triple.str(), p.cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
}

/// Sends the object and the texts that were asked for.
bool emit_all(llvm::Module& module, llvm::TargetMachine& target, const ClangSettings& settings,
              const ClangSink& sink, Messages& messages) {
  if (settings.llvm_ir) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    sink.output(sink.user, ClangOutput::llvm_ir, stream.str().data(), stream.str().size());
  }
  llvm::SmallVector<char, 0> bytes;
  if (target.getTargetTriple().isNVPTX()) {  // whose assembler is NVIDIA's
    if (!emit(module, target, llvm::CodeGenFileType::AssemblyFile, bytes) || messages.failed())
      return false;
    sink.output(sink.user, ClangOutput::assembly, bytes.data(), bytes.size());
    return true;
  }
  if (settings.assembly) {  // emission changes the module, so the text comes from a copy
    auto copy = llvm::CloneModule(module);
    if (emit(*copy, target, llvm::CodeGenFileType::AssemblyFile, bytes)) {
      sink.output(sink.user, ClangOutput::assembly, bytes.data(), bytes.size());
    }
    bytes.clear();
  }
  if (!emit(module, target, llvm::CodeGenFileType::ObjectFile, bytes)) {
    messages.send(error, "the target emits no objects");
  }
  if (messages.failed()) return false;
  sink.output(sink.user, ClangOutput::object, bytes.data(), bytes.size());
  return true;
}

/// Parses a unit into an LLVM module, and stops there: Clang's own action would run its back end.
class Translate final : public clang::ASTFrontendAction {
 public:
  explicit Translate(llvm::LLVMContext& context) : context_(context) {}
  std::unique_ptr<llvm::Module> take() { return std::move(module_); }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef name) override {
    std::unique_ptr<clang::CodeGenerator> generator(
        clang::CreateLLVMCodeGen(instance.getDiagnostics(), name, &instance.getVirtualFileSystem(),
                                 instance.getHeaderSearchOpts(), instance.getPreprocessorOpts(),
                                 instance.getCodeGenOpts(), context_));
    generator_ = generator.get();
    return generator;
  }
  void ExecuteAction() override {
    forget_features(getCompilerInstance().getTarget().getTargetOpts());
    ASTFrontendAction::ExecuteAction();
  }
  void EndSourceFileAction() override { module_.reset(generator_->ReleaseModule()); }

 private:
  /// Clang writes the processor and its features on each function and copies their table at each
  /// call that passes vectors. All functions are for one processor, which the code generator is
  /// told; what must stay in the table are the features of the builtins of the prelude.
  static void forget_features(clang::TargetOptions& target) {
    target.CPU.clear();
    target.TuneCPU.clear();
    target.Features.clear();
    constexpr std::array<llvm::StringRef, 9> wanted = {
        "sse", "avx", "avx2", "fma", "avx512f", "avx512vl", "avx512bw", "avx512dq", "evex512"};
    llvm::StringMap<bool> kept;
    for (const llvm::StringRef feature : wanted)
      if (target.FeatureMap.lookup(feature)) kept[feature] = true;
    target.FeatureMap = std::move(kept);
  }

  llvm::LLVMContext& context_;
  clang::CodeGenerator* generator_ = nullptr;
  std::unique_ptr<llvm::Module> module_;
};

/// Vectors of any width the processor has are fine anywhere; told function by function, LLVM would
/// describe the processor to itself once for each width.
void unite_functions(llvm::Module& module) {
  for (llvm::Function& function : module) {
    function.removeFnAttr("min-legal-vector-width");
    function.removeFnAttr("prefer-vector-width");
  }
}

/// What several units have of the prelude is one function for the linker, whatever processor each
/// unit was compiled for. Here each unit keeps its own.
void keep_apart(llvm::Module& module) {
  for (llvm::GlobalObject& object : module.global_objects()) {
    if (!object.hasLinkOnceLinkage() && !object.hasWeakLinkage()) continue;
    if (object.isDeclaration()) continue;
    object.setComdat(nullptr);
    object.setVisibility(llvm::GlobalValue::DefaultVisibility);
    object.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

bool compile(const ClangText& unit, const ClangSettings& settings, const ClangSink& sink) {
  Messages messages(sink);
  FrontendMessages frontend(messages);
  const Processor p = processor(settings);
  auto args = arguments(p, settings);
  Files files = file_system(settings);
  const std::string all = all_headers(settings);
  if (const PrecompiledPrelude* prelude = precompiled(p, settings)) {
    add_file(*files, "all.h", all);
    add_file(*files, "all.pch", {prelude->data, prelude->size});
    // It is for any processor of its level, and for any level of optimisation.
    args.insert(args.end(), {"-include-pch", precompiled_path.str(), "-fno-validate-pch"});
  }
  if (!settings.llvm_ir) args.push_back("-discard-value-names");
  add_file(*files, unit.name, {unit.data, unit.size});
  args.push_back(unit.name);
  auto instance = compiler(std::move(args), std::move(files), frontend);
  if (!instance) return false;
  llvm::LLVMContext context;
  Translate action(context);
  if (!instance->ExecuteAction(action) || messages.failed()) return false;
  std::unique_ptr<llvm::Module> module = action.take();
  if (!module) return false;
  instance.reset();
  // After the front end: that one reports an unknown processor, LLVM would print it.
  auto target = machine(p, settings.opt_level);
  if (!target) {
    messages.send(error, "no LLVM target for " + p.triple.str());
    return false;
  }
  context.setDiagnosticHandler(std::make_unique<BackendMessages>(messages));
  module->setDataLayout(target->createDataLayout());
  unite_functions(*module);
  if (settings.apart) keep_apart(*module);
  optimize(*module, *target, settings.opt_level);
  return emit_all(*module, *target, settings, sink, messages);
}

void identify(const ClangSettings& settings, const ClangSink& sink) {
  std::string text = clang::getClangFullVersion();
  for (const std::string& arg : arguments(processor(settings), settings)) text += " " + arg;
  sink.output(sink.user, ClangOutput::identity, text.data(), text.size());
}

bool link(const char* const* objects, std::size_t count, bool shared, const char* output,
          const ClangSink& sink) {
  static std::mutex one_at_a_time;  // lld has global state
  static bool usable = true;
  const std::lock_guard lock(one_at_a_time);
  Messages messages(sink);
  if (!usable) {
    messages.send(error, "an earlier failure left the linker unusable in this process");
    return false;
  }
  std::vector<const char*> args = {
      "ld.lld", "--build-id=none", "--threads=1", "--no-mmap-output-file", "-o", output};
  if (shared)
    args.insert(args.end(), {"-shared", "--hash-style=gnu", "-z", "now"});
  else
    args.push_back("-r");
  args.insert(args.end(), objects, objects + count);
  std::string out, log;
  llvm::raw_string_ostream out_stream(out), log_stream(log);
  const lld::Result result =
      lld::lldMain(args, out_stream, log_stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode == 0) return true;
  messages.send(error, log_stream.str());
  return false;
}

bool archive(const ClangText& object, const ClangSink& sink) {
  llvm::NewArchiveMember member(llvm::MemoryBufferRef({object.data, object.size}, object.name));
  auto bytes = llvm::writeArchiveToBuffer(member, llvm::SymtabWritingMode::NormalSymtab,
                                          llvm::object::Archive::K_GNU, /*Deterministic=*/true,
                                          /*Thin=*/false);
  if (!bytes) {
    Messages(sink).send(error, llvm::toString(bytes.takeError()));
    return false;
  }
  const llvm::StringRef text = (*bytes)->getBuffer();
  sink.output(sink.user, ClangOutput::object, text.data(), text.size());
  return true;
}

constexpr ClangTable table{clang_entry_version, identify, compile, link, archive};

}  // namespace

bool precompile_prelude(const ClangSettings& settings, const ClangSink& sink, std::uint64_t* hash) {
  *hash = prelude_hash(settings);
  Messages messages(sink);
  FrontendMessages frontend(messages);
  std::vector<std::string> args = arguments(processor(settings), settings);
  std::replace(args.begin(), args.end(), std::string("c++"), std::string("c++-header"));
  // What the headers use of their templates is made here, and not at the end of each unit.
  args.insert(args.end(), {"-emit-pch", "-fpch-instantiate-templates", "all.h"});
  Files files = file_system(settings);
  const std::string text = all_headers(settings);
  add_file(*files, "all.h", text);
  auto instance = compiler(std::move(args), std::move(files), frontend);
  Precompile action;
  if (!instance || !instance->ExecuteAction(action) || !action.buffer->IsComplete) return false;
  const auto& bytes = action.buffer->Data;
  sink.output(sink.user, ClangOutput::object, bytes.data(), bytes.size());
  return !messages.failed();
}

}  // namespace gnomon

extern "C" __attribute__((visibility("default"))) const gnomon::ClangTable* gnomon_clang_entry() {
  return &gnomon::table;
}
