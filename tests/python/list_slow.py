"""Lists the tests that take long: `python list_slow.py report.xml > slow_tests.txt`.

The report is what `pytest --junitxml=report.xml` writes, of a run with an empty cache.
"""

import sys
import xml.etree.ElementTree as ElementTree

SECONDS = 2.0


def main():
    names = set()
    for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
        if case.get("classname") and float(case.get("time")) >= SECONDS:
            names.add(f"{case.get('classname').rpartition('.')[2]}.py::{case.get('name')}")
    print("\n".join(sorted(names)))


if __name__ == "__main__":
    main()
