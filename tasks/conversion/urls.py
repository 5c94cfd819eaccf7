"""URLs of documents, which are stored and shown: none may hold a secret."""

from __future__ import annotations

import re

from tasks.errors import UsageError

_SECRETS = r"token|secret|signature|password|passwd|pwd|credential|api[_-]?key|access[_-]?key(?:id)?"
_PASSWORD = re.compile(r"(?<=://)(?!arn:)[^\s/@:]*:(?!\d*/)[^\s@]*@")
"""A secret key of AWS may hold ``/``; a port, and the name of an access point, are no passwords."""
_PARAMETER = re.compile(rf"(?<=[?&])((?:[\w-]*(?:{_SECRETS})|sig|sas|auth|key)=)[^&\s#\"']+", re.I)


def without_secrets(text: str) -> str:
    """``text`` with ``…`` for each password before a host and each token or key in a query of a URL in it."""
    return _PARAMETER.sub(r"\1…", _PASSWORD.sub("…@", text))


def require_no_secret(source: str) -> None:
    """Raises UsageError, without the secret, where ``source`` is a URL that holds one."""
    if "://" in source and without_secrets(source) != source:
        raise UsageError(
            f"{without_secrets(source)}: a URL is stored and shown, so it must hold no password or token: give it "
            "by the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or FSSPEC_<PROTOCOL>_<OPTION>)"
        )


def joined(source: str, root: str, path: str) -> str:
    """The URL of ``path``, as the file system of the URL ``source`` names it, whose own path there is ``root``.

    What ``source`` says before its path, a host say, is kept: a path alone does not tell where it is.
    """
    trimmed = source.rstrip("/")
    before = trimmed[: len(trimmed) - len(root)] if trimmed.endswith(root) else source.partition("://")[0] + "://"
    return before + path
