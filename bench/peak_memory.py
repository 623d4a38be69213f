"""Run `gsd-tools` with the words given, and print its peak memory in bytes as the last line of its errors."""

from __future__ import annotations

import resource
import sys

from gsd_capabilities.companion.main import console

code = console()
try:
    # On Linux the figure of getrusage begins with the size of whoever started the process.
    with open("/proc/self/status", encoding="utf-8") as file:
        used = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
except FileNotFoundError:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(used, file=sys.stderr)
sys.exit(code)
