/* Questions on disk: a Unix socket in the store's folder for each process that takes them, for its user alone. Who connects
 * has asked; the answer is what comes until the end.
 *
 * The socket gets its name once it listens. One whose process has died, before or behind that, is removed by the next that
 * takes questions. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/lmdb_internal.h"

enum { BACKLOG = 16, SEND_SECONDS = 2, NAME_BYTES = 40 };

typedef struct lmdb_questions {
  store_questions base;
  lmdb_store *store;
  int folder, listener, ended, asker; /* ended: an eventfd; asker: -1: nobody waits for an answer */
  char name[NAME_BYTES];
} lmdb_questions;

/* ---- Addresses ------------------------------------------------------------------------------- */

void lmdb_socket_address(const lmdb_store *s, int folder, const char *name, struct sockaddr_un *out) {
  *out = (struct sockaddr_un){.sun_family = AF_UNIX};
  int n = snprintf(out->sun_path, sizeof out->sun_path, "%s/%s", s->path, name);
  if (n > 0 && (size_t)n < sizeof out->sun_path) return;
  snprintf(out->sun_path, sizeof out->sun_path, "/proc/self/fd/%d/%s", folder, name);
}

bool lmdb_peer_trusted(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

/* ---- Names of the dead ----------------------------------------------------------------------- */

#define STARTING "starting-"

/* Nobody has it bound. A socket of another type is never connected: one that is alive says so at
 * once, also before it listens, and its process does not wake up to answer. */
static bool is_refused(const lmdb_questions *q, const char *name) {
  struct sockaddr_un address;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  lmdb_socket_address(q->store, q->folder, name, &address);
  bool refused = connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno == ECONNREFUSED;
  close(fd);
  return refused;
}

static bool begins_with(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_socket_name(const char *name) {
  return begins_with(name, LMDB_ASKED) || begins_with(name, STARTING LMDB_ASKED);
}

static void remove_dead(const lmdb_questions *q) {
  DIR *d = opendir(q->store->path);
  if (!d) return;
  for (struct dirent *e; (e = readdir(d));)
    if (is_socket_name(e->d_name) && is_refused(q, e->d_name))
      (void)unlinkat(q->folder, e->d_name, 0);
  closedir(d);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void close_if_open(int fd) {
  if (fd >= 0) close(fd);
}

static void free_questions(lmdb_questions *q) {
  close_if_open(q->asker);
  close_if_open(q->listener);
  close_if_open(q->ended);
  close_if_open(q->folder);
  env_free(&q->store->allocator, q, sizeof *q);
}

/* The socket's rights are those that it had before it was bound: there is no moment when others might connect. */
static bool listen_in_folder(lmdb_questions *q) {
  char starting[NAME_BYTES + 16];
  struct sockaddr_un address;
  snprintf(starting, sizeof starting, STARTING "%s", q->name);
  lmdb_socket_address(q->store, q->folder, starting, &address);
  q->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (q->listener < 0 || fchmod(q->listener, S_IRUSR | S_IWUSR) != 0) return false;
  (void)unlinkat(q->folder, starting, 0);
  if (bind(q->listener, (struct sockaddr *)&address, sizeof address) != 0) return false;
  if (listen(q->listener, BACKLOG) == 0 && renameat(q->folder, starting, q->folder, q->name) == 0) return true;
  int why = errno;
  (void)unlinkat(q->folder, starting, 0);
  errno = why;
  return false;
}

store_questions *lmdb_questions_open(store *base, const char *name, orr_error *err) {
  lmdb_store *s = (lmdb_store *)base;
  if (s->temporary || lmdb_check_usable(s, err)) return NULL;
  lmdb_questions *q = env_alloc(&s->allocator, sizeof *q);
  if (!q) {
    error_memory(err);
    return NULL;
  }
  *q = (lmdb_questions){.base = {&lmdb_methods}, .store = s, .listener = -1, .asker = -1};
  snprintf(q->name, sizeof q->name, LMDB_ASKED "%08x", store_crc32c(name, strlen(name)));
  q->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  q->folder = open(s->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (q->ended >= 0 && q->folder >= 0) remove_dead(q);
  if (q->ended >= 0 && q->folder >= 0 && listen_in_folder(q)) return &q->base;
  error_set(err, ORR_E_STORE, "no socket can be made in \"%s\": %s", s->path, strerror(errno));
  free_questions(q);
  return NULL;
}

/* ---- Being asked ----------------------------------------------------------------------------- */

static void drop_asker(lmdb_questions *q) {
  close_if_open(q->asker);
  q->asker = -1;
}

/* One that stops to read is not waited for for long. */
static bool take_asker(lmdb_questions *q) {
  const struct timeval most = {.tv_sec = SEND_SECONDS};
  drop_asker(q);
  q->asker = accept4(q->listener, NULL, NULL, SOCK_CLOEXEC);
  if (q->asker < 0) return false;
  if (lmdb_peer_trusted(q->asker) && setsockopt(q->asker, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) == 0) return true;
  drop_asker(q);
  return false;
}

/* Without descriptors a connection stays in the queue, and poll would tell of it again at once: it is looked at later. */
bool lmdb_questions_wait(store_questions *base) {
  enum { PAUSE_MS = 100 };
  lmdb_questions *q = (lmdb_questions *)base;
  struct pollfd fds[] = {{.fd = q->ended, .events = POLLIN}, {.fd = q->listener, .events = POLLIN}};
  for (;;) {
    (void)poll(fds, 2, -1);
    if (fds[0].revents & POLLIN) return false;
    if (fds[1].revents & POLLIN && take_asker(q)) return true;
    if (errno == EMFILE || errno == ENFILE) (void)poll(fds, 1, PAUSE_MS);
  }
}

void lmdb_questions_answer(store_questions *base, const void *bytes, size_t size) {
  lmdb_questions *q = (lmdb_questions *)base;
  const char *at = bytes;
  while (size > 0 && q->asker >= 0) {
    ssize_t sent = send(q->asker, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) break;
    at += sent;
    size -= (size_t)sent;
  }
  drop_asker(q);
}

void lmdb_questions_end(store_questions *base) {
  uint64_t one = 1;
  ssize_t written;
  do written = write(((lmdb_questions *)base)->ended, &one, sizeof one);
  while (written < 0 && errno == EINTR);
}

void lmdb_questions_close(store_questions *base) {
  lmdb_questions *q = (lmdb_questions *)base;
  (void)unlinkat(q->folder, q->name, 0);
  free_questions(q);
}
