/* Shifts the wall clock of one process, for tests. It is loaded with LD_PRELOAD and reads the shift
   in milliseconds from a file that the test has mapped, too; other clocks are left alone. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *shift_ms;

__attribute__((constructor)) static void open_shift(void) {
  const char *path = getenv("TESTKIT_CLOCK_SHIFT");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) {
    return;
  }
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) {
    shift_ms = mapped;
  }
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = (int)syscall(SYS_clock_gettime, clock, now);
  if (!failed && shift_ms && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t shift = *shift_ms;
    int64_t nanos = now->tv_nsec + shift % 1000 * 1000000;
    now->tv_sec += shift / 1000 + (nanos < 0 ? -1 : nanos >= 1000000000 ? 1 : 0);
    now->tv_nsec = nanos < 0 ? nanos + 1000000000 : nanos >= 1000000000 ? nanos - 1000000000 : nanos;
  }
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec found;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &found)) {
    return -1;
  }
  now->tv_sec = found.tv_sec;
  now->tv_usec = found.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *seconds) {
  struct timespec found;
  if (clock_gettime(CLOCK_REALTIME, &found)) {
    return (time_t)-1;
  }
  if (seconds) {
    *seconds = found.tv_sec;
  }
  return found.tv_sec;
}
