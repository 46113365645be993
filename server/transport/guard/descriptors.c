/* The limit of descriptors, and how many connections fit in. */
#include "server/transport/guard/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"

/* How many are open; where that cannot be told, as many as a process commonly has at its start. */
static int64_t descriptors_open(void) {
  enum { COMMON = 32 };
  DIR *dir = opendir("/proc/self/fd");
  int64_t n = 0;
  if (!dir) return COMMON;
  while (readdir(dir)) n++;
  closedir(dir);
  return n;
}

/* The limit, once it is raised to `wanted` or to what may be had. */
static int64_t descriptors_raise(int64_t wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  rlim_t most = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > (rlim_t)wanted ? (rlim_t)wanted
                                                                                   : limit.rlim_max;
  struct rlimit raised = {.rlim_cur = most, .rlim_max = limit.rlim_max};
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < most &&
      setrlimit(RLIMIT_NOFILE, &raised) == 0)
    limit.rlim_cur = most;
  return limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > (rlim_t)wanted
             ? wanted
             : (int64_t)limit.rlim_cur;
}

/* Where they are few, the rest of the server gets as many as the connections. */
int descriptors_plan(server_config *config, size_t threads, size_t loops, orr_error *err) {
  int64_t own = descriptors_open() + (int64_t)loops * DESCRIPTORS_A_LOOP;
  int64_t outside = DESCRIPTORS_OUTSIDE + (int64_t)threads * DESCRIPTORS_A_THREAD;
  int64_t wanted = own + outside + config->connections_max, limit = descriptors_raise(wanted);
  int64_t left = limit > own ? limit - own : 0,
          room = left - (left / 2 < outside ? left / 2 : outside);
  if (limit >= wanted || room >= config->connections_max) return 0;
  if (room < CONNECTIONS_LEAST)
    return error_set(
        err, ORR_E_LIMIT,
        "the limit of open files is %" PRId64 ", and a server needs %" PRId64
        " at least: raise it (ulimit -n, LimitNOFILE of systemd), best to some %" PRId64,
        limit, own + 2 * CONNECTIONS_LEAST, wanted);
  fprintf(stderr,
          "orrery serve: the limit of open files is %" PRId64 ", which leaves room for %" PRId64
          " connections instead of %d\n",
          limit, room, config->connections_max);
  config->connections_max = (int)room;
  return 0;
}
