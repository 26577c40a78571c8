"""How many cores have nothing to do."""

import os


def idle_cores() -> int:
    """How many processes have a core for themselves, or as many as ``ACCSHARE_JOBS`` says. One that `make` runs beside
    others has no more."""
    said, made = os.environ.get("ACCSHARE_JOBS", ""), os.environ.get("MAKEFLAGS", "")
    if said.isdigit():
        return int(said)
    return 1 if "-j" in made or "jobserver" in made else len(os.sched_getaffinity(0)) - _busy_cores()


def _busy_cores() -> int:
    """How many cores run something else now: what ran a minute ago, as a build's last file, is over."""
    try:
        with open("/proc/loadavg", encoding="ascii") as now:
            return int(now.read().split()[3].partition("/")[0]) - 1
    except (OSError, ValueError, IndexError):
        return int(os.getloadavg()[0])
