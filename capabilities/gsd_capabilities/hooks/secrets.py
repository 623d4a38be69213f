"""Which files hold secrets by their name, and what in a text looks like one.

Both lists are for guards that interrupt a person: they name what is hardly ever anything else.
"""

from __future__ import annotations

import re

_NAMES = frozenset(
    {
        ".env", ".envrc", ".netrc", "_netrc", ".pgpass", ".pypirc", ".git-credentials", ".htpasswd",
        "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
        "secrets.json", "secrets.yaml", "secrets.yml", "secrets.toml", "credentials.json",
    }
)  # fmt: skip
_ENDS = (".p12", ".pfx", ".jks", ".keystore", ".key", ".ppk")
_TAILS = (".aws/credentials", ".docker/config.json", ".kube/config", ".config/gh/hosts.yml")
_PUBLIC_ENVS = frozenset({"example", "sample", "template", "dist", "defaults", "test", "schema"})
_PUBLIC_PEM = ("cert", "chain", "ca.", "ca-", "pub")

_SECRETS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,})"),
    re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    re.compile(r"\bsk-[A-Za-z0-9_-]{20,}"),
    re.compile(r"\bAIza[0-9A-Za-z_-]{35}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    re.compile(r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"),
)
_NAMED = re.compile(
    r"""((?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key)["']?\s*[=:]\s*["']?)([^\s"']{6,})""",
    re.IGNORECASE,
)
HIDDEN = "[secret removed]"


def is_secret(path: str) -> bool:
    """Whether a file of this name holds secrets."""
    whole = path.replace("\\", "/").rstrip("/")
    name = whole.rpartition("/")[2].lower()
    if name in _NAMES or name.endswith(_ENDS) or whole.endswith(_TAILS):
        return True
    if name.startswith(".env."):
        return not _PUBLIC_ENVS.intersection(name.split("."))
    return name.endswith(".pem") and not any(word in name for word in _PUBLIC_PEM)


def redacted(text: str) -> str:
    """The text with everything that looks like a secret replaced."""
    for pattern in _SECRETS:
        text = pattern.sub(HIDDEN, text)
    return _NAMED.sub(lambda match: match[1] + HIDDEN, text)
