# SPDX-License-Identifier: BSD-3-Clause
"""Downloads that go on where they were cut off, and archives that are unpacked with suspicion."""
import errno
import gzip
import http.client
import os
import socket
import tarfile
import time
import urllib.error
import urllib.request
import zlib

from datasets import BLOCK, DatasetError, Inspection, largest_size

GONE = (400, 401, 403, 404, 410)  # asking again does not help
UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH)


def request_from(url, offset):
    headers = {"User-Agent": "lufact-fetch"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
    return urllib.request.Request(url, headers=headers)


def total_size(response, offset):
    """Bytes of the whole file, or None where the server does not say."""
    length = response.headers.get("Content-Length")
    return None if length is None else offset + int(length)


def receive(url, partial, timeout):
    """One attempt: appends to `partial` what it lacks. Raises OSError where it is cut off."""
    offset = os.path.getsize(partial) if os.path.exists(partial) else 0
    try:
        response = urllib.request.urlopen(request_from(url, offset), timeout=timeout)
    except urllib.error.HTTPError as error:
        if error.code == 416 and offset:
            if error.headers.get("Content-Range", "").endswith(f"/{offset}"):
                return  # nothing is missing
            os.remove(partial)
            raise OSError("the server does not go on from here; starting anew") from error
        raise
    with response:
        if offset and response.status != 206:  # the server sends everything again
            offset = 0
        total = total_size(response, offset)
        with open(partial, "ab" if offset else "wb") as file:
            while block := response.read(BLOCK):
                file.write(block)
    size = os.path.getsize(partial)
    if total is not None and size != total:
        raise OSError(f"the connection ended after {size} of {total} bytes")


def has_no_network(reason):
    return isinstance(reason, socket.gaierror) or getattr(reason, "errno", None) in UNREACHABLE


def download(url, partial, timeout, retries, say):
    """Brings `url` into the file `partial`, in several attempts, two where the host cannot be
    found. Raises DatasetError."""
    fault = None
    for attempt in range(retries + 1):
        if attempt:
            say(f"{fault}; attempt {attempt + 1} of {retries + 1}")
            time.sleep(min(0.1 * 4 ** (attempt - 1), 30))
        try:
            return receive(url, partial, timeout)
        except urllib.error.HTTPError as error:
            if error.code in GONE:
                raise DatasetError(f"{url}: the server answers {error.code} {error.reason}; is "
                                   "--base-url right?") from error
            fault = f"the server answers {error.code} {error.reason}"
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            fault = str(reason) or type(error).__name__
            if attempt and has_no_network(reason):
                raise DatasetError(f"{url}: there is no network: {fault}") from error
    raise DatasetError(f"{url}: {fault}; what came is kept, run the command again to go on")


def unpack(archive, dataset, target):
    """Writes the .mtx file of a .tar.gz of the collection to `target`, whole or not at all, and
    returns its sha256. Nothing else of the archive is written, and no name in it is used as a path.
    """
    short = dataset.name.split("/")[1]
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for member in tar:
                if member.name == f"{short}/{short}.mtx" and member.isfile():
                    if member.size > largest_size(dataset):
                        raise DatasetError(f"{member.name} of {member.size} bytes is larger than "
                                           "such a matrix can be")
                    return write_inspected(tar.extractfile(member), dataset, target)
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DatasetError(f"the archive is damaged: {error}") from error
    raise DatasetError(f"the archive has no file {short}/{short}.mtx")


def write_inspected(stream, dataset, target):
    inspection = Inspection(dataset)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    unfinished = target + ".unfinished"
    try:
        with open(unfinished, "wb") as file:
            while block := stream.read(BLOCK):
                inspection.feed(block)
                file.write(block)
        sha256 = inspection.finish()
        os.replace(unfinished, target)
        return sha256
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)
