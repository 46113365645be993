/* Sessions of the page. */
#include "server/auth/session.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "server/auth/hash.h"
#include "server/server_internal.h"

#define SESSION_NS 1000000000LL
static const char session_cookie[] = "orrery_session=";

typedef struct session {
  char id[SESSION_TOKEN], xsrf[SESSION_TOKEN]; /* id "": free */
  const account *is;
  int64_t begun_ns, seen_ns;
} session;

struct sessions {
  pthread_mutex_t mutex;
  session all[SESSIONS_MAX];
};

sessions *sessions_open(void) {
  sessions *all = calloc(1, sizeof *all);
  if (all) pthread_mutex_init(&all->mutex, NULL);
  return all;
}

void sessions_close(sessions *all) {
  if (!all) return;
  pthread_mutex_destroy(&all->mutex);
  free(all);
}

static bool session_token(char out[SESSION_TOKEN]) {
  unsigned char bytes[(SESSION_TOKEN - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

static bool session_over(const session *s, int64_t now) {
  return !s->id[0] || now - s->seen_ns > SESSION_IDLE_SECONDS * SESSION_NS || now - s->begun_ns > SESSION_SECONDS * SESSION_NS;
}

bool session_begin(sessions *all, const account *is, char id[SESSION_TOKEN], char xsrf[SESSION_TOKEN]) {
  if (!session_token(id) || !session_token(xsrf)) return false;
  int64_t now = server_now_ns();
  pthread_mutex_lock(&all->mutex);
  session *at = &all->all[0];
  for (size_t i = 0; i < SESSIONS_MAX && !session_over(at, now); i++)
    if (session_over(&all->all[i], now) || all->all[i].seen_ns < at->seen_ns) at = &all->all[i];
  *at = (session){.is = is, .begun_ns = now, .seen_ns = now};
  memcpy(at->id, id, SESSION_TOKEN);
  memcpy(at->xsrf, xsrf, SESSION_TOKEN);
  pthread_mutex_unlock(&all->mutex);
  return true;
}

/* The value of our cookie; false: it is not there, or not as long as ours are. */
static bool session_id_of(const char *cookies, char id[SESSION_TOKEN]) {
  size_t name = sizeof session_cookie - 1;
  for (const char *at = cookies; at && *at; at = strchr(at, ';'), at = at ? at + 1 + strspn(at + 1, " ") : NULL) {
    if (strncmp(at, session_cookie, name) != 0 || strcspn(at + name, "; ") != SESSION_TOKEN - 1) continue;
    memcpy(id, at + name, SESSION_TOKEN - 1);
    id[SESSION_TOKEN - 1] = '\0';
    return true;
  }
  return false;
}

/* With the mutex held. Looks at all sessions, so that the time does not give a valid one away. */
static session *session_find(sessions *all, const char *id, int64_t now) {
  session *found = NULL;
  for (size_t i = 0; i < SESSIONS_MAX; i++)
    if (!session_over(&all->all[i], now) && secrets_equal(all->all[i].id, id)) found = &all->all[i];
  return found;
}

const account *session_of(sessions *all, const char *cookies, char xsrf[SESSION_TOKEN]) {
  char id[SESSION_TOKEN];
  const account *is = NULL;
  if (!session_id_of(cookies, id)) return NULL;
  pthread_mutex_lock(&all->mutex);
  session *s = session_find(all, id, server_now_ns());
  if (s) {
    s->seen_ns = server_now_ns();
    memcpy(xsrf, s->xsrf, SESSION_TOKEN);
    is = s->is;
  }
  pthread_mutex_unlock(&all->mutex);
  return is;
}

void session_end(sessions *all, const char *cookies) {
  char id[SESSION_TOKEN];
  if (!session_id_of(cookies, id)) return;
  pthread_mutex_lock(&all->mutex);
  session *s = session_find(all, id, server_now_ns());
  if (s) *s = (session){0};
  pthread_mutex_unlock(&all->mutex);
}
