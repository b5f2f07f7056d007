# SPDX-License-Identifier: BSD-3-Clause
"""What CMake wrote down about a build folder."""
import glob
import os
import re
import subprocess


class BuildFolder:
    def __init__(self, path):
        self.path = path
        with open(os.path.join(path, "CMakeCache.txt"), encoding="utf-8") as cache:
            self.settings = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read(), re.MULTILINE))
        self.source = self.settings["CMAKE_HOME_DIRECTORY"]

    def file(self, *names):
        return os.path.join(self.path, *names)

    def files(self, pattern):
        return sorted(glob.glob(self.file(pattern)))

    def compiler_version(self, language):
        for path in self.files(f"CMakeFiles/*/CMake{language}Compiler.cmake"):
            with open(path, encoding="utf-8") as file:
                found = re.search(rf'CMAKE_{language}_COMPILER_VERSION "([^"]+)"', file.read())
            if found:
                return found[1]
        return "unknown"

    def commit(self):
        """The commit of the sources, with "-dirty" where they are not quite that."""
        made = subprocess.run(["git", "-C", self.source, "describe", "--always", "--abbrev=40",
                               "--exclude=*", "--dirty"], capture_output=True, text=True,
                              check=False)
        return made.stdout.strip() or "unknown"
