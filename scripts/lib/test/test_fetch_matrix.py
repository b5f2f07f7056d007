#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fetch_matrix and `lufact fetch` against a server on this machine with a small collection."""
import os
import shutil
import socket
import subprocess
import sys
import unittest
import urllib.error
from unittest import mock

from fixtures import SCRIPTS, Folder
from test_fetch_datasets import GENERAL, PATTERN, SYMMETRIC, Server, archive_of

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import download  # noqa: E402
from datasets import DatasetError  # noqa: E402

INDEX = ("4\n23-Nov-2026 00:00:00\n"
         "G,general,3,3,3,1,0,0,0,0.5,0.1,circuit simulation problem,5\n"
         "G,symmetric,2,2,2,1,0,0,1,1,1,structural problem,4\n"
         "H,pattern,3,3,4,1,1,0,0,1,1,undirected graph, weighted,4\n"
         "H,general,5,4,6,1,0,0,0,0,0,least squares problem,6\n")


class Collection(Folder):
    def setUp(self):
        super().setUp()
        self.server = Server({
            "/files/ssstats.csv": INDEX.encode(),
            "/MM/G/general.tar.gz": archive_of("general", GENERAL),
            "/MM/G/symmetric.tar.gz": archive_of("symmetric", SYMMETRIC),
            "/MM/H/pattern.tar.gz": archive_of("pattern", PATTERN)})
        self.url = self.server.url[:-len("/MM")]
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"),
                                LUFACT_COLLECTION_URL=self.url, LUFACT_SCRIPTS=SCRIPTS)

    def tearDown(self):
        self.server.close()
        super().tearDown()

    def call(self, *words):
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60,
                              env=self.environment)

    def cached(self, name):
        return self.path(os.path.join("cache", "lufact", "matrices", name + ".mtx"))


class FetchMatrix(Collection):
    def fetch(self, *arguments):
        return self.call(sys.executable, os.path.join(SCRIPTS, "fetch_matrix"), "--retries", "0",
                         "--timeout", "2", *arguments)

    def paths_asked(self):
        return [path for path, _ in self.server.requests]

    def test_fetches_into_the_cache_and_asks_once(self):
        made = self.fetch("G/general", "--print-path")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(made.stdout.strip(), self.cached("G/general"))
        with open(self.cached("G/general"), "rb") as file:
            self.assertEqual(file.read(), GENERAL)
        self.assertEqual(self.paths_asked(), ["/files/ssstats.csv", "/MM/G/general.tar.gz"])
        again = self.fetch("G/general")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(len(self.server.requests), 2)

    def test_a_name_without_its_group_and_several_of_it(self):
        self.assertEqual(self.fetch("symmetric").returncode, 0)
        self.assertTrue(os.path.exists(self.cached("G/symmetric")))
        several = self.fetch("general")
        self.assertEqual(several.returncode, 1)
        self.assertIn("G/general, H/general", several.stderr)
        unknown = self.fetch("G/symm")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("'G/symm' is no matrix of the collection; names like it: G/symmetric",
                      unknown.stderr)

    def test_another_file_than_the_index_has_is_refused(self):
        self.server.files["/MM/G/general.tar.gz"] = archive_of("general", SYMMETRIC)
        made = self.fetch("G/general")
        self.assertEqual(made.returncode, 1)
        self.assertIn("the number of rows is 2, the index of the collection has 3", made.stderr)
        self.assertFalse(os.path.exists(self.cached("G/general")))

    def test_another_version_than_the_first_download_is_refused(self):
        self.assertEqual(self.fetch("G/general").returncode, 0)
        os.remove(self.cached("G/general"))
        self.server.files["/MM/G/general.tar.gz"] = archive_of(
            "general", GENERAL.replace(b"1.5", b"2.5"))
        made = self.fetch("G/general")
        self.assertEqual(made.returncode, 1)
        self.assertIn("the sha256 is", made.stderr)

    def test_searches_by_conditions(self):
        def names(expression):
            found = self.fetch("--search", expression)
            self.assertEqual(found.returncode, 0 if found.stdout else 1, found.stderr)
            return [line.split()[0] for line in found.stdout.splitlines()]
        self.assertEqual(names("n<1e5 kind=circuit"), ["G/general"])
        self.assertEqual(names("n<4"), ["G/symmetric", "G/general", "H/pattern"])
        self.assertEqual(names("nnz>=4 square=1"), ["H/pattern"])
        self.assertEqual(names("kind=weighted"), ["H/pattern"])  # behind a comma
        self.assertEqual(names("name=gen* group!=G"), ["H/general"])
        self.assertEqual(names("posdef=1"), ["G/symmetric"])
        self.assertEqual(names("n>100"), [])
        limited = self.fetch("--search", "n>0", "--limit", "1")
        self.assertIn("and 3 more", limited.stderr)

    def test_says_which_conditions_there_are(self):
        for expression, message in (("size<3", "fields: n, rows, cols, nnz"),
                                    ("n<few", "'few' in 'n<few' is no number"),
                                    ("kind<3", "kind is a text"), (" ", "give a condition")):
            made = self.fetch("--search", expression)
            self.assertEqual(made.returncode, 1, expression)
            self.assertIn(message, made.stderr)

    def test_downloads_what_a_search_finds(self):
        made = self.fetch("--search", "square=1 kind!=graph", "--download")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertTrue(os.path.exists(self.cached("G/general")))
        self.assertTrue(os.path.exists(self.cached("G/symmetric")))

    def test_without_a_network_says_so_and_takes_what_is_there(self):
        self.environment["LUFACT_COLLECTION_URL"] = "http://127.0.0.1:9"
        made = self.fetch("--search", "n<3")
        self.assertEqual(made.returncode, 1)
        self.assertIn("the index of the collection cannot be had", made.stderr)
        self.assertIn("put http://127.0.0.1:9/files/ssstats.csv to", made.stderr)
        index = self.path("cache/lufact/ssstats.csv")
        with open(index, "w", encoding="utf-8") as file:
            file.write(INDEX)
        self.assertEqual(self.fetch("--search", "n<3").returncode, 0)
        os.utime(index, (0, 0))  # too old, and cannot be renewed
        old = self.fetch("--search", "n<3")
        self.assertEqual(old.returncode, 0)
        self.assertIn("days old, and cannot be renewed", old.stderr)
        self.assertEqual(self.fetch("--search", "n<3", "--offline").stderr, "")

    def test_an_index_that_was_cut_off_is_not_kept(self):
        self.server.files["/files/ssstats.csv"] = INDEX[:200].encode()
        made = self.fetch("--search", "n<3")
        self.assertEqual(made.returncode, 1)
        self.assertEqual(os.listdir(self.path("cache/lufact")), [])

    def test_a_matrix_of_datasets_txt_needs_no_index(self):
        scripts = self.path("scripts")
        shutil.copytree(SCRIPTS, scripts, ignore=shutil.ignore_patterns("test", "__pycache__"))
        with open(self.path("datasets.txt"), "w", encoding="utf-8") as file:
            file.write("group/name\tn\tnnz\tkept\tstorage\tstored\tkind\tpapers\tsha256\n"
                       "G/general\t3\t3\t5\tgeneral\t5\tkind\tE2E Table 2\t-\n")
        made = self.call(sys.executable, os.path.join(scripts, "fetch_matrix"), "G/general")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.paths_asked(), ["/MM/G/general.tar.gz"])


@unittest.skipUnless(os.environ.get("LUFACT_PROGRAM"), "LUFACT_PROGRAM names no program")
class FetchCommand(Collection):
    """The program finds the script by LUFACT_SCRIPTS."""

    def lufact(self, *arguments):
        return self.call(os.environ["LUFACT_PROGRAM"], *arguments)

    def test_fetches_and_searches(self):
        made = self.lufact("fetch", "G/general", "--print-path")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(made.stdout.strip(), self.cached("G/general"))
        found = self.lufact("fetch", "--search", "n<1e5 kind=circuit")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertTrue(found.stdout.startswith("G/general  n"), found.stdout)
        self.assertEqual(self.lufact("fetch", "--search", "n>100").returncode, 4)
        self.assertEqual(self.lufact("fetch").returncode, 2)

    def test_run_takes_a_matrix_by_its_name(self):
        words = ["run", "G/general", "--mode", "cpu", "--zero-diagonals", "1", "--quiet"]
        first = self.lufact(*words)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("downloaded from", first.stderr)
        second = self.lufact(*words)
        self.assertEqual((second.returncode, second.stderr), (0, ""))
        unknown = self.lufact("run", "G/nothing", "--mode", "cpu")
        self.assertEqual(unknown.returncode, 4)
        self.assertIn("'G/nothing' is no matrix of the collection", unknown.stderr)


class WithoutANetwork(unittest.TestCase):
    """What cannot be found is not asked for half a minute."""

    def attempts_at(self, fault):
        said = []
        with mock.patch("download.receive", side_effect=fault), mock.patch("time.sleep"), \
                self.assertRaises(DatasetError) as raised:
            download.download("http://host/file", "file", 1, 5, said.append)
        return len(said) + 1, str(raised.exception)

    def test_a_host_that_is_not_found_is_tried_twice(self):
        unknown = urllib.error.URLError(socket.gaierror(-2, "Name or service not known"))
        for fault in (unknown, OSError(101, "Network is unreachable")):
            attempts, said = self.attempts_at(fault)
            self.assertEqual(attempts, 2)
            self.assertIn("there is no network: ", said)

    def test_other_faults_are_tried_again(self):
        attempts, said = self.attempts_at(OSError("the connection ended after 3 of 9 bytes"))
        self.assertEqual(attempts, 6)
        self.assertIn("run the command again to go on", said)


if __name__ == "__main__":
    unittest.main()
