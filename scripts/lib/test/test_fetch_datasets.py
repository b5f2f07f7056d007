#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fetch_datasets against a server on this machine that cuts off, stalls, lies and refuses."""
import gzip
import hashlib
import http.server
import io
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import unittest

from fixtures import SCRIPTS, Folder

sys.path.insert(0, os.path.join(SCRIPTS, "lib"))
import datasets  # noqa: E402

GENERAL = (b"%%MatrixMarket matrix coordinate real general\n% a comment\n3 3 5\n1 1 1.5\n2 2 -2\n"
           b"3 3 1e3\n1 3 0\n3 1 -0.0e+00\n")
SYMMETRIC = (b"%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 0.0\n2 2 4\n")
PATTERN = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2"
LINES = ("# comment\n"
         "group/name\tn\tnnz\tkept\tstorage\tstored\tkind\tpapers\tsha256\n"
         "G/general\t3\t3\t5\tgeneral\t5\tkind\tE2E Table 2; GLU3 Table I\t-\n"
         "G/symmetric\t2\t2\t4\tsymmetric\t3\tkind\tE2E Table 2\t-\n"
         "H/pattern\t3\t4\t4\tsymmetric\t2\tkind\tGSoFa Table 1\t-\n")


def archive_of(name, content, member=None):
    """A .tar.gz as of the collection, with something else in it as well."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        for path, data in ((f"{name}/README", b"text"), (member or f"{name}/{name}.mtx", content)):
            info = tarfile.TarInfo(path)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return raw.getvalue()


class Server:
    """Serves files by path; `manners` says how a path misbehaves in its first answers."""

    def __init__(self, files):
        self.files, self.manners, self.requests = files, {}, []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/MM"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def answer(self, request):
        wanted = request.headers.get("Range")
        self.requests.append((request.path, wanted))
        data = self.files.get(request.path)
        manner = self.manners.get(request.path, [])
        step = manner.pop(0) if manner else "well"
        if data is None or step == "refuse":
            request.send_error(404 if data is None else 503)
            return
        first = int(wanted[len("bytes="):-1]) if wanted and step != "no ranges" else 0
        if first >= len(data):
            request.send_response(416)
            request.send_header("Content-Range", f"bytes */{len(data)}")
            request.end_headers()
            return
        request.send_response(206 if first else 200)
        request.send_header("Content-Length", str(len(data) - first))
        request.end_headers()
        body = data[first:]
        if step == "cut off":
            request.wfile.write(body[:len(body) // 2])
        elif step == "stall":
            request.wfile.write(body[:10])
            request.wfile.flush()
            time.sleep(1.5)
        else:
            request.wfile.write(body)


class Fetch(Folder):
    def setUp(self):
        super().setUp()
        # A copy of the scripts, whose datasets.txt has small matrices.
        for name in ("fetch_datasets", "lib/datasets.py", "lib/download.py", "lib/fetcher.py"):
            target = self.path(os.path.join("scripts", name))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(SCRIPTS, name), target)
        with open(self.path("datasets.txt"), "w", encoding="utf-8") as file:
            file.write(LINES)
        self.server = Server({
            "/MM/G/general.tar.gz": archive_of("general", GENERAL),
            "/MM/G/symmetric.tar.gz": archive_of("symmetric", SYMMETRIC),
            "/MM/H/pattern.tar.gz": archive_of("pattern", PATTERN)})

    def tearDown(self):
        self.server.close()
        super().tearDown()

    def fetch(self, *arguments):
        return subprocess.run(
            [sys.executable, self.path("scripts/fetch_datasets"), "--base-url", self.server.url,
             "--output", self.path("out"), "--timeout", "0.5", "--retries", "3", *arguments],
            capture_output=True, text=True, check=False, timeout=60)

    def there(self, name):
        return os.path.exists(self.path(f"out/{name}.mtx"))

    def lock(self):
        with open(self.path("out/datasets.lock"), encoding="utf-8") as file:
            return dict(line.split() for line in file)

    def test_fetches_all_and_notes_their_hashes(self):
        made = self.fetch()
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(self.path("out/G/general.mtx"), "rb") as file:
            self.assertEqual(file.read(), GENERAL)
        self.assertEqual(self.lock(), {
            "G/general": hashlib.sha256(GENERAL).hexdigest(),
            "G/symmetric": hashlib.sha256(SYMMETRIC).hexdigest(),
            "H/pattern": hashlib.sha256(PATTERN).hexdigest()})
        files = sorted(name for _, _, names in os.walk(self.path("out")) for name in names)
        self.assertEqual(files, ["datasets.lock", "general.mtx", "pattern.mtx", "symmetric.mtx"])

    def test_asks_no_server_for_what_is_there(self):
        self.assertEqual(self.fetch().returncode, 0)
        self.server.requests.clear()
        again = self.fetch("--recheck")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.server.requests, [])
        self.assertIn("is there, checked", again.stderr)

    def test_a_download_that_is_cut_off_goes_on(self):
        path = "/MM/G/general.tar.gz"
        self.server.manners[path] = ["cut off"]
        made = self.fetch("--only", "general")
        self.assertEqual(made.returncode, 0, made.stderr)
        half = len(self.server.files[path]) // 2
        self.assertEqual([r for _, r in self.server.requests], [None, f"bytes={half}-"])
        self.assertIn(f"ended after {half} of", made.stderr)

    def test_starts_anew_where_the_server_knows_no_ranges(self):
        self.server.manners["/MM/G/general.tar.gz"] = ["cut off", "no ranges"]
        made = self.fetch("--only", "general")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertTrue(self.there("G/general"))

    def test_a_slow_or_busy_server_is_asked_again(self):
        self.server.manners["/MM/G/general.tar.gz"] = ["stall", "refuse"]
        made = self.fetch("--only", "general")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("timed out", made.stderr)
        self.assertIn("503", made.stderr)

    def test_what_came_is_kept_where_attempts_run_out(self):
        self.server.manners["/MM/G/general.tar.gz"] = ["cut off"]
        made = self.fetch("--only", "general", "--retries", "0")
        self.assertEqual(made.returncode, 1)
        self.assertIn("run the command again to go on", made.stderr)
        self.server.requests.clear()
        self.assertEqual(self.fetch("--only", "general").returncode, 0)
        self.assertIn("bytes=", self.server.requests[0][1])

    def test_a_missing_file_costs_only_itself(self):
        del self.server.files["/MM/G/symmetric.tar.gz"]
        made = self.fetch()
        self.assertEqual(made.returncode, 1)
        self.assertIn("G/symmetric: error:", made.stderr)
        self.assertIn("404", made.stderr)
        self.assertIn("2 of 3 matrices", made.stderr)
        self.assertEqual(sum(path.endswith("symmetric.tar.gz")
                             for path, _ in self.server.requests), 1)

    def refused(self, content, reason, member=None):
        self.server.files["/MM/G/general.tar.gz"] = archive_of("general", content, member)
        made = self.fetch("--only", "general")
        self.assertEqual(made.returncode, 1)
        self.assertIn(reason, made.stderr)
        self.assertFalse(self.there("G/general"))

    def test_other_matrices_than_the_lines_are_refused(self):
        self.refused(GENERAL.replace(b"3 3 5", b"4 4 5"), "the number of rows is 4")
        self.refused(GENERAL.replace(b"2 2 -2\n", b""), "lines of entries is 4")
        self.refused(GENERAL.replace(b"1 3 0\n", b"1 3 7\n"), "zeros among the entries is 1")
        self.refused(GENERAL.replace(b"general", b"symmetric"), "the storage is symmetric")
        self.refused(b"<html>sorry</html>\n", "no Matrix Market coordinate file")
        self.refused(GENERAL[:50], "ends before its line of sizes")

    def test_archives_are_unpacked_with_suspicion(self):
        self.refused(GENERAL, "has no file general/general.mtx", "../../general.mtx")
        self.refused(GENERAL, "has no file general/general.mtx", "/tmp/general.mtx")
        self.refused(GENERAL + b"% \n" * 800_000, "larger than such a matrix can be")
        self.assertFalse(os.path.exists(self.path("general.mtx")))
        self.server.files["/MM/G/general.tar.gz"] = gzip.compress(b"no archive")
        self.assertIn("error:", self.fetch("--only", "general").stderr)
        self.server.files["/MM/G/general.tar.gz"] = archive_of("general", GENERAL)[:-30]
        self.assertIn("the archive is damaged", self.fetch("--only", "general").stderr)
        self.assertFalse(self.there("G/general"))

    def test_another_version_than_the_first_is_refused(self):
        self.assertEqual(self.fetch("--only", "general").returncode, 0)
        os.remove(self.path("out/G/general.mtx"))
        self.refused(GENERAL.replace(b"1.5", b"1.6"), "another version or a damaged file")

    def test_offline_uses_archives_that_were_brought(self):
        os.makedirs(self.path("out/G"))
        with open(self.path("out/G/general.tar.gz"), "wb") as file:
            file.write(archive_of("general", GENERAL))
        made = self.fetch("--offline", "--only", "general,H/pattern")
        self.assertEqual(made.returncode, 1)
        self.assertIn("unpacked from", made.stderr)
        self.assertIn("H/pattern: error: is not there", made.stderr)
        self.assertEqual(self.server.requests, [])

    def test_chooses_by_paper_and_refuses_unknown_names(self):
        listed = self.fetch("--list", "--only", "glu3,H/pattern")
        self.assertEqual([line.split("\t")[0] for line in listed.stdout.splitlines()],
                         ["G/general", "H/pattern"])
        unknown = self.fetch("--only", "e2e-fig99")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("neither a matrix", unknown.stderr)


class Committed(unittest.TestCase):
    """The lines of datasets.txt itself."""

    def test_counts_fit_together(self):
        lines = datasets.read_datasets()
        self.assertEqual(len({line.name for line in lines}), len(lines))
        for line in lines:
            with self.subTest(name=line.name):
                self.assertLessEqual(line.nnz, line.kept)
                diagonals = 2 * line.stored - line.kept
                if line.storage == "symmetric":
                    self.assertIn(diagonals, (0, line.n))
                else:
                    self.assertEqual(diagonals, line.kept)

    def test_every_published_matrix_of_a_configuration_has_a_line(self):
        chosen = datasets.chosen(["e2e-fig4", "e2e-fig8", "glu3-table1"], datasets.read_datasets())
        self.assertEqual(len(chosen), 18 + 4 + 15 - 2)


if __name__ == "__main__":
    unittest.main()
