"""First contact with an object store: what is wrong with it is named in seconds, before any work begins."""

from __future__ import annotations

import os

from tasks.errors import ServiceAway, UsageError
from tasks.storage.store_errors import error_codes, explained
from tasks.storage.urls import require_no_secret

CONTACT_S = 10.0


def reach(url: str) -> None:
    """Check that the store of ``url`` answers and has the bucket; a folder that is not there yet is no error.

    Raises ServiceAway where it does not answer, and UsageError for a URL with a secret, a missing bucket or package,
    and without permission.
    """
    import fsspec
    from fsspec.asyn import AsyncFileSystem, sync

    require_no_secret(url)
    protocol = url.partition("://")[0]
    try:
        kind = fsspec.get_filesystem_class(protocol)
        files, root = fsspec.filesystem(protocol, **kind._get_kwargs_from_urls(url)), str(kind._strip_protocol(url))
    except (ImportError, ValueError) as error:
        raise UsageError(
            f"{url}: nothing reads {protocol}:// here ({error}): give a folder, a URL such as s3://BUCKET/FOLDER, or "
            "install its package beside bidfolio"
        ) from error
    if not isinstance(files, AsyncFileSystem):
        return
    try:
        sync(files.loop, files._info, root, timeout=CONTACT_S)
    except FileNotFoundError as error:
        if "/" not in root.strip("/") or "NoSuchBucket" in error_codes(error):
            raise UsageError(f"there is no folder {url}, nor its bucket: make it, or check the URL") from error
    except TimeoutError as error:
        said = f"the store of {url} does not answer within {CONTACT_S:.0f} s: start it, or check AWS_ENDPOINT_URL"
        raise ServiceAway(said) from error
    except Exception as error:
        raise explained(error, url) from error
    if "s3" in files.protocol and ".amazonaws.com" not in files.s3.meta.endpoint_url:
        # LanceDB does not read it in AWS' own files.
        os.environ.setdefault("AWS_ENDPOINT_URL", files.s3.meta.endpoint_url)
