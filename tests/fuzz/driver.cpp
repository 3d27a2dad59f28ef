// Runs a fuzzing target without libFuzzer: over its corpus, then over mutants of it for some time.
//
//   fuzz_<target> CORPUS [SECONDS [SEED]]
//
// What ends the process is left in the file fuzz_<target>.crash.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::string current, crash_file;

// A stack overflow is a crash too: the handler has a stack of its own.
void keep_current(int signal_number) {
  const int file = ::open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0) {
    (void)!::write(file, current.data(), current.size());
    ::close(file);
  }
  ::signal(signal_number, SIG_DFL);
  ::raise(signal_number);
}

void watch() {
  static char stack[1 << 16];
  const stack_t own{stack, 0, sizeof stack};
  ::sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_handler = keep_current;
  action.sa_flags = SA_ONSTACK;
  for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::sigaction(signal_number, &action, nullptr);
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, std::uint64_t seed)
      : corpus_(corpus), random_(seed) {}

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    for (std::size_t n = 1 + below(4); n > 0; --n) change(text);
    if (text.size() > most_bytes) text.resize(most_bytes);
    return text;
  }

 private:
  static constexpr std::size_t most_bytes = 1 << 17;

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  // [first, last): a run of digits, of letters or of one other character around a random place.
  std::pair<std::size_t, std::size_t> token(const std::string& text) {
    std::size_t first = below(text.size()), last = first;
    const auto kind = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(text[i]);
      return std::isdigit(c) != 0 ? 1 : std::isalpha(c) != 0 || c == '_' ? 2 : 0;
    };
    while (first > 0 && kind(first) != 0 && kind(first - 1) == kind(first)) --first;
    do {
      ++last;
    } while (last < text.size() && kind(first) != 0 && kind(last) == kind(first));
    return {first, last};
  }

  std::pair<std::size_t, std::size_t> line(const std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t first = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return {first, std::min(text.find('\n', at), text.size() - 1) + 1};
  }

  void change(std::string& text) {
    static const std::vector<std::string> numbers = {"0",
                                                     "1",
                                                     "2",
                                                     "3",
                                                     "7",
                                                     "16",
                                                     "17",
                                                     "2147483648",
                                                     "4294967296",
                                                     "-1",
                                                     "-2",
                                                     "-3",
                                                     "100",
                                                     "1e400",
                                                     "65536",
                                                     "0.5",
                                                     "nan",
                                                     "1152921504606846976",
                                                     "9223372036854775807",
                                                     "-9223372036854775808",
                                                     "18446744073709551615"};
    if (text.empty()) return;
    const auto [first, last] = token(text);
    switch (below(9)) {
      case 0: text[below(text.size())] = static_cast<char>(random_()); break;
      case 1: text.replace(first, last - first, numbers[below(numbers.size())]); break;
      case 2: {
        const std::string& other = corpus_[below(corpus_.size())];
        if (other.empty()) break;
        const auto [from, to] = token(other);
        text.replace(first, last - first, other, from, to - from);
        break;
      }
      case 3: {
        const auto [from, to] = token(text);
        text.replace(first, last - first, std::string(text, from, to - from));
        break;
      }
      case 4: text.erase(first, below(30) == 0 ? below(text.size()) : last - first); break;
      case 5: {
        const auto [from, to] = line(text);
        text.erase(from, to - from);
        break;
      }
      case 6: {
        const std::string& other = corpus_[below(corpus_.size())];
        if (other.empty()) break;
        const auto [from, to] = line(other);
        text.insert(line(text).first, other, from, to - from);
        break;
      }
      case 7: text.insert(first, text.substr(first, last - first)); break;
      default: {
        static constexpr const char* parts[] = {"(", "[", "{", "%0+", "9", "-(", " ", "#", "\""};
        const std::string part = parts[below(std::size(parts))];
        const std::size_t times = below(20) == 0 ? 20000 : 1 + below(12);
        for (std::size_t i = 0; i < times && text.size() < most_bytes; ++i)
          text.insert(first, part);
      }
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_;
};

void run(std::string input) {
  current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS [SECONDS [SEED]]\n", argv[0]);
    return 2;
  }
  crash_file = fs::path(argv[0]).filename().string() + ".crash";
  watch();
  std::vector<fs::path> files;
  if (fs::is_directory(argv[1])) {
    for (const auto& file : fs::directory_iterator(argv[1])) files.push_back(file.path());
  } else {
    files.emplace_back(argv[1]);
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    run(corpus.back());
  }
  const double seconds = argc > 2 ? std::atof(argv[2]) : 0;
  Mutator mutator(corpus, argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  long mutants = 0;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <
         seconds) {
    run(mutator.next());
    ++mutants;
  }
  std::printf("%zu files, %ld mutants\n", corpus.size(), mutants);
  return corpus.empty() ? 1 : 0;
}
