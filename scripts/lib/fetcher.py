# SPDX-License-Identifier: BSD-3-Clause
"""Brings matrices of the SuiteSparse Matrix Collection into a folder, each once and checked."""
import concurrent.futures
import os
import sys
import threading

from datasets import BLOCK, DatasetError, Inspection, Lock
from download import download, unpack


class Fetcher:
    """Brings one dataset after the other, from several threads."""

    def __init__(self, options):
        self.options = options
        self.mutex = threading.Lock()
        os.makedirs(options.output, exist_ok=True)
        self.lock_file = Lock(os.path.join(options.output, "datasets.lock"))

    def say(self, dataset, text):
        with self.mutex:
            print(f"{dataset.name}: {text}", file=sys.stderr, flush=True)

    def target(self, dataset):
        return os.path.join(self.options.output, *dataset.name.split("/")) + ".mtx"

    def archives(self, dataset):
        """Where an archive may lie that the user brought."""
        group, name = dataset.name.split("/")
        return [os.path.join(self.options.output, group, name + ".tar.gz"),
                os.path.join(self.options.output, name + ".tar.gz")]

    def note(self, dataset, sha256):
        with self.mutex:
            self.lock_file.check(dataset, sha256)

    def inspect(self, dataset, path):
        inspection = Inspection(dataset)
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                inspection.feed(block)
        self.note(dataset, inspection.finish())

    def unpack(self, dataset, archive):
        target = self.target(dataset)
        sha256 = unpack(archive, dataset, target)
        try:
            self.note(dataset, sha256)
        except DatasetError:
            os.remove(target)
            raise

    def fetch(self, dataset):
        """Returns what was done. Raises DatasetError."""
        target = self.target(dataset)
        if os.path.exists(target):
            if dataset.name not in self.lock_file.known or self.options.recheck:
                self.inspect(dataset, target)
                return "is there, checked"
            return "is there"
        for archive in self.archives(dataset):
            if os.path.exists(archive):
                self.unpack(dataset, archive)
                return f"unpacked from {archive}"
        if self.options.offline:
            raise DatasetError(f"is not there; without --offline it is downloaded, or put its "
                               f"archive to {self.archives(dataset)[0]}")
        return self.fetch_from_server(dataset)

    def fetch_from_server(self, dataset):
        partial = self.target(dataset)[:-len(".mtx")] + ".tar.gz.part"
        os.makedirs(os.path.dirname(partial), exist_ok=True)
        url = f"{self.options.base_url.rstrip('/')}/{dataset.name}.tar.gz"
        download(url, partial, self.options.timeout, self.options.retries,
                 lambda text: self.say(dataset, text))
        try:
            self.unpack(dataset, partial)
        finally:
            os.remove(partial)  # a whole but wrong archive would be wrong again
        return f"downloaded from {url}"

    def attempt(self, dataset):
        """True where the matrix is there now."""
        try:
            self.say(dataset, self.fetch(dataset))
            return True
        except (DatasetError, OSError) as error:
            self.say(dataset, f"error: {error}")
            return False


def fetch_all(options, datasets):
    """Fetches all of them, several at a time, and returns the exit status of a script. `options`
    has output, base_url, offline, recheck, jobs, timeout and retries."""
    fetcher = Fetcher(options)
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    try:
        there = list(pool.map(fetcher.attempt, datasets))
    except KeyboardInterrupt:
        print("interrupted; run the command again to go on", file=sys.stderr)
        os._exit(130)  # the threads may wait for a server for long
    print(f"{sum(there)} of {len(there)} matrices are in {options.output}", file=sys.stderr)
    return 0 if all(there) else 1
