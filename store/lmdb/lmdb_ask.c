/* Asking the other processes of a store on disk, all at once: one that does not answer costs the others no time. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/lmdb_internal.h"

enum { ASKED_MAX = 256, FIRST_BYTES = 8192 };

/* One that is asked, and what it has said so far. */
typedef struct asked_process {
  int fd;
  char *bytes;
  size_t size, capacity;
} asked_process;

typedef struct asking {
  const lmdb_store *s;
  int folder;
  asked_process items[ASKED_MAX];
  struct pollfd fds[ASKED_MAX];
  uint32_t count, open;
  store_answer_fn take;
  void *ud;
  bool done;
} asking;

static void hang_up(asking *a, asked_process *p) {
  if (p->fd < 0) return;
  close(p->fd);
  p->fd = -1;
  a->open--;
}

/* One whose queue is full does not answer. */
static void ask_one(asking *a, const char *name) {
  struct sockaddr_un address;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  lmdb_socket_address(a->s, a->folder, name, &address);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 || !lmdb_peer_trusted(fd)) {
    close(fd);
    return;
  }
  a->items[a->count++] = (asked_process){.fd = fd};
  a->open++;
}

static void ask_everybody(asking *a, DIR *d) {
  for (struct dirent *e; a->count < ASKED_MAX && (e = readdir(d));)
    if (strncmp(e->d_name, LMDB_ASKED, strlen(LMDB_ASKED)) == 0) ask_one(a, e->d_name);
}

static bool make_answer_room(const asking *a, asked_process *p) {
  if (p->size < p->capacity) return true;
  size_t capacity = p->capacity ? p->capacity * 2 : FIRST_BYTES;
  char *grown = capacity <= STORE_ANSWER_MAX ? env_realloc(&a->s->allocator, p->bytes, p->capacity, capacity) : NULL;
  if (!grown) return false;
  p->bytes = grown;
  p->capacity = capacity;
  return true;
}

/* What it has said until now; the end makes it an answer. */
static void read_some(asking *a, asked_process *p) {
  for (;;) {
    ssize_t got = make_answer_room(a, p) ? recv(p->fd, p->bytes + p->size, p->capacity - p->size, 0) : -1;
    if (got > 0) {
      p->size += (size_t)got;
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR) && p->size < p->capacity) return;
    if (got == 0 && p->size > 0) a->done = a->take(a->ud, p->bytes, p->size) || a->done;
    hang_up(a, p);
    return;
  }
}

static void collect_answers(asking *a, int64_t until_ns) {
  const orr_env *env = &a->s->outside;
  for (int64_t left; a->open > 0 && !a->done && (left = until_ns - env->mono_ns(env->ud)) > 0;) {
    for (uint32_t i = 0; i < a->count; i++) a->fds[i] = (struct pollfd){.fd = a->items[i].fd, .events = POLLIN};
    if (poll(a->fds, a->count, (int)(left / 1000000) + 1) <= 0) continue;
    for (uint32_t i = 0; i < a->count && !a->done; i++)
      if (a->fds[i].revents) read_some(a, &a->items[i]);
  }
}

int lmdb_ask(store *base, int64_t wait_ms, store_answer_fn take, void *ud, orr_error *err) {
  const lmdb_store *s = (lmdb_store *)base;
  int rc = lmdb_check_usable(s, err);
  if (rc || s->temporary) return rc;
  int64_t until = s->outside.mono_ns(s->outside.ud) + wait_ms * 1000000;
  asking *a = env_zalloc(&s->allocator, sizeof *a);
  if (!a) return error_memory(err);
  *a = (asking){.s = s, .take = take, .ud = ud, .folder = open(s->path, O_PATH | O_DIRECTORY | O_CLOEXEC)};
  DIR *d = a->folder >= 0 ? opendir(s->path) : NULL;
  if (d) ask_everybody(a, d);
  else rc = error_set(err, ORR_E_STORE, "\"%s\" cannot be read: %s", s->path, strerror(errno));
  if (d) closedir(d);
  collect_answers(a, until);
  for (uint32_t i = 0; i < a->count; i++) {
    hang_up(a, &a->items[i]);
    env_free(&s->allocator, a->items[i].bytes, a->items[i].capacity);
  }
  if (a->folder >= 0) close(a->folder);
  env_free(&s->allocator, a, sizeof *a);
  return rc;
}
