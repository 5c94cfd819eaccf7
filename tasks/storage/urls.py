"""URLs of documents and homes. Secrets in them are found and hidden, since URLs are stored and shown."""

from __future__ import annotations

import re
from pathlib import Path

from tasks.errors import UsageError

_SECRETS = r"token|secret|signature|password|passwd|pwd|credential|api[_-]?key|access[_-]?key(?:id)?"
_PASSWORD = re.compile(r"(?<=://)(?!arn:)[^\s/@:]*:(?!\d*/)[^\s@]*@")
"""A user and password before a host. A secret key of AWS may hold ``/``; a port, and the name of an access point, are
no passwords."""
_PARAMETER = re.compile(rf"(?<=[?&])((?:[\w-]*(?:{_SECRETS})|sig|sas|auth|key)=)[^&\s#\"']+", re.I)


def without_secrets(text: str) -> str:
    """Replace each password before a host, and each token or key in a query of a URL in ``text``, with ``…``."""
    return _PARAMETER.sub(r"\1…", _PASSWORD.sub("…@", text))


def require_no_secret(source: str) -> None:
    """Raise UsageError, without the secret, where ``source`` is a URL that holds one."""
    if "://" in source and without_secrets(source) != source:
        raise UsageError(
            f"{without_secrets(source)}: a URL is stored and shown, so it must hold no password or token: give it "
            "by the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or FSSPEC_<PROTOCOL>_<OPTION>)"
        )


def joined(source: str, root: str, path: str) -> str:
    """The URL of ``path``, a path within the file system of the URL ``source``, whose own path there is ``root``.

    The part of ``source`` before its path, such as a host, is kept: a path alone does not tell where it is.
    """
    trimmed = source.rstrip("/")
    before = trimmed[: len(trimmed) - len(root)] if trimmed.endswith(root) else source.partition("://")[0] + "://"
    return before + path


def machine_cache(home: str) -> Path:
    """The folder for what this machine computes for a home: in the home, or, where that is a URL, the user's cache."""
    return Path("~/.cache/bidfolio").expanduser() if "://" in home else Path(home, "cache")
