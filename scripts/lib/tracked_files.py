# SPDX-License-Identifier: BSD-3-Clause
"""The files of a checkout."""
import os
import subprocess


def tracked_files(root):
    """Paths, relative to `root`, of the files that git tracks; where there is no git, of all files
    outside build folders."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True,
                         check=False)
    if git.returncode == 0 and git.stdout:
        return [name for name in git.stdout.split("\0")
                if name and os.path.isfile(os.path.join(root, name))]
    names = []
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith("build") and f != ".git"]
        names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(names)
