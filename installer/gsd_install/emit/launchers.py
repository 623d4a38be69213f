"""Scripts that start a function of the payload with a Python that is there: POSIX sh, cmd and PowerShell.

They need no PATH and no environment. Where a Python is written down and still exists, that is one test and
one exec; else they look for one and ask it for its version.
"""

from __future__ import annotations

from gsd_install.emit.interpreter import FOLDERS, NAMES, Interpreter

_FLAGS = "-I -S -X utf8"
_OLDEST = "3, 11"
# 127 is what shells say of a command that is not there.
_MISSING = "needs Python 3.11 or newer and found none: install one, for example from https://www.python.org"

_SH = """\
#!/bin/sh
# {name}, started with a Python that is new enough. gsd-install placed this file and removes it again.
code='{code}'
probe='{probe}'
python={python}
if [ -f "$python" ] && [ -x "$python" ]; then
  exec "$python" {flags} -c "$code" "$0" "$@"
fi
start() {{
  python=$1
  shift
  command -v "$python" >/dev/null 2>&1 || return 0
  "$python" {flags} -c "$probe" </dev/null >/dev/null 2>&1 || return 0
  exec "$python" {flags} -c "$code" "$0" "$@"
}}
start {path} "$@"
for folder in '' {folders} "${{HOME:-}}/.local/bin/"; do
  for name in {names}; do
    start "$folder$name" "$@"
  done
done
echo '{name} {missing}' >&2
exit 127
"""

_CMD = """\
@echo off
rem {name}, started with a Python that is new enough. gsd-install placed this file and removes it again.
setlocal
set "python={python}"
if defined python if exist "%python%" goto run
for %%p in ({names}) do (
  "%%~p" {flags} -c "{probe}" <nul >nul 2>nul && set "python=%%~p" && goto run
)
echo {name} {missing} 1>&2
exit /b 127
:run
"%python%" {flags} -c "{code}" "%~f0" %*
"""

_PS1 = """\
# {name}, started with a Python that is new enough. gsd-install placed this file and removes it again.
$python = {python}
if (-not ($python -and (Test-Path -LiteralPath $python -PathType Leaf))) {{
  $python = $null
  foreach ($candidate in {names}) {{
    if (-not (Get-Command $candidate -CommandType Application -ErrorAction SilentlyContinue)) {{ continue }}
    $null | & $candidate {flags} -c {probe} 2>&1 | Out-Null
    if ($LASTEXITCODE -eq 0) {{ $python = $candidate; break }}
  }}
}}
if (-not $python) {{
  [Console]::Error.WriteLine('{name} {missing}')
  exit 127
}}
$OutputEncoding = New-Object System.Text.UTF8Encoding $false
if ($MyInvocation.ExpectingInput) {{
  $input | & $python {flags} -c {code} $PSCommandPath @args
}} else {{
  & $python {flags} -c {code} $PSCommandPath @args
}}
exit $LASTEXITCODE
"""


def launchers(name: str, function: str, interpreter: Interpreter) -> tuple[tuple[str, bytes], ...]:
    """The files that start `module:function`, by name; the first is for POSIX shells and executable.

    The function is called with `--payload <payload root>` before the arguments, and exits or returns an
    exit code. The exact interpreter is started where it is still there; its lasting path may be a shim, so
    that one is asked for its version first, like those that a search finds.
    """
    code, probe = _code(name, function), f"import sys; sys.exit(sys.version_info < ({_OLDEST}))"
    common = {"name": name, "flags": _FLAGS, "missing": _MISSING}
    shell = _SH.format(
        **common,
        code=code.replace("'", '"'),
        probe=probe,
        python=_sh(interpreter.exact),
        path=_sh(interpreter.path),
        folders=" ".join(f"{folder}/" for folder in FOLDERS),
        names=" ".join(NAMES),
    )
    command = _CMD.format(
        **common,
        code=code,
        probe=probe,
        python=interpreter.exact.replace("%", "%%"),
        names=" ".join(_cmd(interpreter.path, [f"{candidate}.exe" for candidate in ("py", *NAMES)])),
    )
    power = _PS1.format(
        **common,
        code=_ps(code),
        probe=_ps(probe),
        python=_ps(interpreter.exact),
        names=", ".join(_ps(candidate) for candidate in (interpreter.path, "py", *NAMES) if candidate),
    )
    return (
        (name, shell.encode()),
        (f"{name}.cmd", command.replace("\n", "\r\n").encode()),
        (f"{name}.ps1", power.encode()),
    )


def _code(name: str, function: str) -> str:
    """One line of Python without double quotes; its first argument is the path of the launcher."""
    module, _, attribute = function.partition(":")
    return (
        f"import sys; sys.version_info < ({_OLDEST}) and sys.exit('{name} {_MISSING}'); "
        "from os.path import dirname, join, realpath; root = dirname(dirname(realpath(sys.argv[1]))); "
        f"sys.argv[:2] = ['{name}', '--payload', root]; sys.path.insert(0, join(root, 'lib')); "
        f"from {module} import {attribute} as start; sys.exit(start())"
    )


def _sh(text: str) -> str:
    """A word for a POSIX shell."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


def _cmd(path: str, names: list[str]) -> list[str]:
    """Words for a `for` of cmd, the path first where there is one."""
    return ['"' + path.replace("%", "%%") + '"', *names] if path else names


def _ps(text: str) -> str:
    """A text for PowerShell."""
    return "'" + text.replace("'", "''") + "'"
