"""Build systems: what works with cc works with accshare-cc."""

from __future__ import annotations

import re
import shutil

import pytest
from tiers import telling

LIBRARY = "void scale(int n, int f, int a[n], const int b[n]);\n"
MAIN = LIBRARY + (
    "#include <stdio.h>\nint main(void)\n{\n  int a[7], b[7] = {1, 2, 3, 4, 5, 6, 7};\n"
    '  scale(7, 2, a, b);\n  printf("%d\\n", a[6]);\n  return 0;\n}\n'
)


@pytest.fixture
def project(acc):
    """acc's folder with a library source that holds a region, and a plain main."""
    acc.write("src/main.c", MAIN)
    text = (acc.folder / "region.c").read_text()
    acc.write("src/scale.c", text[: text.index("#ifndef NO_MAIN")])
    acc.write("src/size.h", "#define SIZE 7\n")
    return acc


def need(*tools: str) -> None:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)}")


def offloads(project, name: str) -> bool:
    return b"void scale_l" in (project.folder / name).read_bytes()


def test_make_with_dependency_files(project):
    need("make")
    project.write(
        "Makefile",
        "CFLAGS = -O2 -Wall -Wextra -Werror -MMD -MP\nprog: src/main.o src/scale.o\n\t$(CC) $^ -o $@\n"
        "-include src/main.d src/scale.d\n",
    )
    project.must("make", "-j2", f"CC={project.program}")
    assert project.must("./prog") == "14\n"
    assert offloads(project, "prog")
    assert "up to date" in project.must("make", f"CC={project.program}")
    (project.folder / "src/size.h").touch()
    rebuilt = project.must("make", f"CC={project.program}")
    assert "scale.c" in rebuilt
    assert "main.c" not in rebuilt


CMAKE = """\
cmake_minimum_required(VERSION 3.16)
project(demo C)
set(CMAKE_C_STANDARD 99)
add_library(stat STATIC src/scale.c)
add_library(dyn SHARED src/scale.c)
add_executable(prog src/main.c)
target_link_libraries(prog stat)
add_executable(prog2 src/main.c)
target_link_libraries(prog2 dyn m)
"""


@pytest.mark.parametrize("form", telling({"CMAKE_C_COMPILER"}, ["CMAKE_C_COMPILER", "CMAKE_C_COMPILER_LAUNCHER"]))
def test_cmake(project, form):
    need("cmake", "make")
    project.write("CMakeLists.txt", CMAKE)
    said = project.must(
        "cmake", "-S", ".", "-B", "build", "-G", "Unix Makefiles", f"-D{form}={project.program}",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_C_FLAGS=-Wall -Werror",
    )  # fmt: skip
    assert "C compiler identification is GNU" in said
    project.must("cmake", "--build", "build", "-j2")
    assert project.must("build/prog") == "14\n"
    assert project.must("build/prog2") == "14\n"
    assert offloads(project, "build/prog")
    assert offloads(project, "build/libdyn.so")


CONFIGURE = """\
AC_INIT([demo], [1.0])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AM_PROG_AR
LT_INIT
AC_CHECK_HEADERS([stdlib.h no_such_header.h])
AC_CHECK_LIB([m], [sin])
AC_CHECK_FUNCS([strdup no_such_function])
AC_C_RESTRICT
AC_CHECK_SIZEOF([long])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
"""
AUTOMAKE = """\
lib_LTLIBRARIES = libscale.la
libscale_la_SOURCES = src/scale.c src/size.h
bin_PROGRAMS = prog
prog_SOURCES = src/main.c
prog_LDADD = libscale.la
"""


@pytest.mark.thorough
def test_cmake_finds_openacc(project):
    need("cmake", "make")
    project.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.16)\nproject(demo C)\nfind_package(OpenACC REQUIRED)\n"
        "add_executable(prog src/main.c src/scale.c)\ntarget_link_libraries(prog OpenACC::OpenACC_C)\n",
    )
    said = project.must("cmake", "-S", ".", "-B", "build", f"-DCMAKE_C_COMPILER={project.program}")
    assert "Found OpenACC" in said
    project.must("cmake", "--build", "build")
    assert project.must("build/prog") == "14\n"
    assert offloads(project, "build/prog")


def test_meson(project):
    need("meson", "ninja")
    project.write("meson.build", "project('demo', 'c')\nexecutable('prog', 'src/main.c', 'src/scale.c')\n")
    project.must("env", f"CC={project.program}", "meson", "setup", "build")
    project.must("ninja", "-C", "build")
    assert project.must("build/prog") == "14\n"
    assert offloads(project, "build/prog")


def test_ccache_behind_the_wrapper(project):
    need("ccache")
    caching = ["env", f"CCACHE_DIR={project.folder}/ccache", "ACCSHARE_CC=ccache gcc"]
    for _ in range(2):
        project.must(*caching, project.program, "-O2", "-c", "src/scale.c", "-o", "scale.o")
    hits = re.search(r"Hits: +(\d+)", project.must(*caching, "ccache", "-s"))
    assert int(hits[1]) == 1
    assert offloads(project, "scale.o")


@pytest.mark.thorough
def test_autotools_and_libtool(project):
    need("autoreconf", "automake", "libtoolize", "make")
    project.write("configure.ac", CONFIGURE)
    project.write("Makefile.am", AUTOMAKE)
    project.must("autoreconf", "-fi")
    found = {}
    for name, compiler in (("theirs", "cc"), ("ours", project.program)):
        (project.folder / name).mkdir()
        command = f"cd {name} && ../configure CC={compiler} CFLAGS='-O1 -g'"
        said = project.must("sh", "-c", command).split("\n")
        found[name] = [line for line in said if line.startswith("checking") and compiler not in line]
    assert [line.replace("accshare-", "") for line in found["ours"]] == found["theirs"]
    project.must("make", "-C", "ours", "-j2", "V=1")
    assert project.must("ours/prog") == "14\n"
    assert offloads(project, "ours/.libs/libscale.so")
    assert offloads(project, "ours/.libs/libscale.a")
    assert "size.h" in (project.folder / "ours/src/.deps/scale.Plo").read_text()
