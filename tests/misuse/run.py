"""Compiles uses of the library that must not compile, and looks for what the compiler must say.

    run.py SOURCE BUILD COMPILER FLAGS

The header is precompiled once; each snippet is the body of a function and is only parsed.
"""

import pathlib
import shutil
import subprocess
import sys
import textwrap

TRUTH = "neither true nor false"
CHAIN = "a < b && b < c"
NAME = "give it a name"
OPERAND = "an operand is no expression, array or number"
UPDATE = "give compile() the update"
TYPED = "arguments and results of a typed function are"

# Variables that snippets may use.
PARAMETERS = ("gnomon::Expr x, gnomon::Expr y, gnomon::Expr z, gnomon::Array v, "
              "gnomon::Function f, gnomon::SharedVariable w, gnomon::Results r, bool flag, int n")

# What must be refused, and with which words; "" where the compiler's own will do.
WRONG = [
    ("if (x > 0.0) std::abort();", TRUTH),
    ("if (x) std::abort();", TRUTH),
    ("if (!x) std::abort();", TRUTH),
    ("while (x < y) std::abort();", TRUTH),
    ("if (x && flag) std::abort();", TRUTH),
    ("if (x == y) std::abort();", TRUTH),
    ("if (x != y) std::abort();", TRUTH),
    ("if (w) std::abort();", TRUTH),
    ("bool b = x > 0; static_cast<void>(b);", ""),
    ("bool b(x); static_cast<void>(b);", TRUTH),
    ("gnomon::Expr e = x > 0 ? x : x * 0;", TRUTH),
    ("gnomon::Expr e = std::max(x, y);", TRUTH),
    ("gnomon::Expr e = std::min({x, y, z});", ""),
    ("gnomon::Expr e = std::clamp(x, y, z);", TRUTH),
    ("std::vector<gnomon::Expr> l{x, y}; std::sort(l.begin(), l.end());", ""),
    ("std::vector<gnomon::Expr> l{x, y}; std::find(l.begin(), l.end(), x);", ""),
    ("if (v == v) std::abort();", TRUTH),
    ("gnomon::Expr e = 0.0 < x < 1.0;", CHAIN),
    ("gnomon::Expr e = 0 <= x <= y;", CHAIN),
    ("gnomon::Expr e = x > y > z;", CHAIN),
    ("gnomon::Expr e = !x < y;", CHAIN),
    ("gnomon::Expr e = (x == y) == 1;", CHAIN),
    ("gnomon::Expr e = 1.0 == (x < y);", CHAIN),
    ("const double* p = f(v)[0].data<double>(); std::printf(\"%g\", *p);", NAME),
    ("double* p = gnomon::zeros({2}).data<double>(); *p = 1;", NAME),
    ("w.get().data<double>()[0] = 99;", ""),
    ("w.get().data<double>()[0] += 1;", ""),
    ("gnomon::Array& a = f(v)[0]; a = v;", ""),
    ("const gnomon::Array* p = f(v).begin(); std::printf(\"%d\", p->rank());", ""),
    ("gnomon::Dim d = std::size_t{1} << 63;", ""),
    ("gnomon::Expr e = x + std::vector<double>{1, 2};", OPERAND),
    ("gnomon::Expr e = std::vector<double>{1, 2} * x;", OPERAND),
    ("gnomon::Expr e = x - f;", OPERAND),
    ("gnomon::Expr e = x < std::string(\"y\");", OPERAND),
    ("gnomon::Expr e = x == nullptr;", OPERAND),
    ("gnomon::compile<double(std::string)>({x}, {y});", TYPED),
    ("gnomon::compile<char*(double)>({x}, {y});", TYPED),
    ("w += 1.0;", UPDATE),
    ("w -= x;", UPDATE),
]

# What must compile without a warning.
RIGHT = [
    "gnomon::Expr e = where(x > 0.0 && x < 1.0, x, 0.0);",
    "gnomon::Expr e = where(!(x == y) || flag, x, z);",
    "gnomon::Expr e = flag ? x > 0 : y;",
    "auto mask = x > 0; mask = mask & (x < y); mask = mask && true; mask = 1 && mask;",
    "gnomon::Expr e = (x > 0) == (y > 0); e = (x > 0) != true; e = 3 == x;",
    "gnomon::Expr e = maximum(x, y); if (e.defined() && !same(e, x)) std::abort();",
    "const gnomon::Array& a = f(v)[0]; std::printf(\"%g\", a.data<double>()[0]);",
    "for (const gnomon::Array& a : f(v)) std::printf(\"%d\", a.rank());",
    "for (const gnomon::Dim& d : (x + 1).shape()) std::printf(\"%s\", d.text().c_str());",
    "const auto shape = gnomon::zeros({2, 3}).shape(); std::printf(\"%d\", (int)shape[1]);",
    "gnomon::Extents e = {2, 3}; e = {4}; gnomon::zeros(e);",
    "std::printf(\"%g\", f(v)[0].data<double>()[n] + *f(5, 1.5)[0].data<double>());",
    "const std::string& s = gnomon::Function(f).source(); std::printf(\"%s\", s.c_str());",
    "gnomon::Expr e = x + 18446744073709551615ull; e = x(std::size_t{3});",
    "f = gnomon::compile({x}, {y}, {}, {.rewrites = gnomon::RewriteLevel::exact, .cache = false});",
    "gnomon::Value a = x, b = y; if (a == b || !a) std::abort();",
    "gnomon::Expr e = x; e += 1; e -= y; e *= 2.0f; e /= n; e = +e; std::cout << e << v << f;",
    "gnomon::Expr e = gnomon::exp(1.0) + gnomon::power(2, 3.0);",
    "auto [a, b] = f(v, 1.0).take<2>(); std::cout << a << b;",
    "std::vector<gnomon::Expr> l{x, y}; auto e = gnomon::stack({x, y}) + einsum(\"i,i\", l);",
]


def main():
    source, build, compiler, flags = sys.argv[1:]
    work = pathlib.Path(build) / "misuse"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    header = work / "all.h"
    header.write_text("#include <gnomon/gnomon.h>\n#include <algorithm>\n#include <cstdio>\n"
                      "#include <cstdlib>\n#include <iostream>\n#include <string>\n"
                      "#include <vector>\n")
    command = [compiler, *flags.split(), "-std=c++20", "-Wall", "-Wextra", "-Werror",
               f"-I{source}", f"-I{build}/include"]
    subprocess.run([*command, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)

    def compiled(*bodies):
        text = "".join(f"void snippet_{i}({PARAMETERS}) {{\n  {body}\n}}\n"
                       for i, body in enumerate(bodies))
        ignored = ["-Wno-unused-parameter", "-Wno-unused-variable",
                   "-Wno-unused-but-set-variable", "-Wno-unused-result"]
        return subprocess.run([*command, *ignored, "-fsyntax-only", "-include", header, "-x", "c++",
                               "-"], input=text, text=True, capture_output=True)

    wrong = []
    done = compiled(*RIGHT)
    if done.returncode != 0:
        found = textwrap.indent(done.stderr[:4000], "  ")
        wrong.append(f"what is right must compile, but\n{found}")
    for body, words in WRONG:
        done = compiled(body)
        if done.returncode == 0:
            wrong.append(f"{body}\nmust not compile")
        elif words in (OPERAND, UPDATE) and done.stderr.count("error:") != 1:
            wrong.append(f"{body}\nmust be one error, but\n{done.stderr[:2000]}")
        elif words not in done.stderr:
            wrong.append(f"{body}\nmust be refused with '{words}', but\n"
                         f"{textwrap.indent(done.stderr[:2000], '  ')}")
    print(f"{len(RIGHT)} right and {len(WRONG)} wrong uses, {len(wrong)} not told apart")
    if wrong:
        sys.exit("\n\n".join(wrong))


main()
