"""How long do small commands take, against `python -c pass` of the same environment?

    python bench/startup.py [--rounds N]

Prints ratios; exits 1 when one is over its bar.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from measuring import environment, fresh_venv, run, side_by_side, table, verdict

BARS = {"--version": 5.0, "--help": 5.0}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        bin_dir = fresh_venv(Path(folder))
        env = environment(Path(folder) / "home")
        commands = {"python -c pass": [str(bin_dir / "python"), "-c", "pass"]}
        commands |= {name: [str(bin_dir / "gsd-install"), name] for name in BARS}
        for command in commands.values():
            run(command, env)  # bytecode warm
        found = side_by_side({n: lambda _, c=c: run(c, env).seconds for n, c in commands.items()}, rounds)
    floor = found["python -c pass"]
    print(
        table(
            [
                ("command", "ms", "ratio"),
                *((n, f"{s * 1000:.1f}", f"{s / floor:.2f}") for n, s in found.items()),
            ]
        )
    )
    verdicts = [verdict(name, found[name] / floor, bar) for name, bar in BARS.items()]
    print("\n".join(line for line, _ in verdicts))
    return 0 if all(kept for _, kept in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
