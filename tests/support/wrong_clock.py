"""A process whose clock is wrong, by what the C library says, also to TLS; timers go on as they do."""

import subprocess
from pathlib import Path

SHIFTED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long shift(void) {
    const char *seconds = getenv("CLOCK_SHIFT");
    return seconds ? atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, now);
    if (!status && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += shift();
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    static int (*real)(struct timeval *, void *);
    if (!real) real = dlsym(RTLD_NEXT, "gettimeofday");
    int status = real(now, zone);
    if (!status) now->tv_sec += shift();
    return status;
}

time_t time(time_t *there) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (there) *there = now.tv_sec;
    return now.tv_sec;
}
"""


def shifted(folder: Path, seconds: int) -> dict[str, str]:
    """Environment of a process whose clock is so much ahead. folder: for a library, made by a compiler."""
    library = folder / "shifted.so"
    if not library.exists():
        command = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library), "-ldl"]
        subprocess.run(command, input=SHIFTED, text=True, check=True)
    return {"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(seconds)}
