/* Users, tokens, roles. */
#include "server/auth/auth.h"

#include <crypt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/hash.h"
#include "server/auth/checks.h"
#include "server/auth/hash.h"
#include "server/server_internal.h"
#include "server/transport/json_in.h"

enum { USERS_MAX = 1000, VERIFIED_MAX = 256, CREDENTIALS_MAX = 1024 };
#define VERIFIED_NS (300LL * 1000 * 1000 * 1000) /* how long a verified password is believed without asking again */

/* A header that was verified. */
typedef struct verified {
  char *header;
  const account *is;
  int64_t until_ns;
} verified;

struct auth {
  account users[USERS_MAX];
  size_t n_users;
  pthread_mutex_t mutex; /* guards what follows */
  verified known[VERIFIED_MAX];
};

/* ---- The file --------------------------------------------------------------------------------- */

static unsigned auth_role(const char *name) {
  static const struct {
    const char *name;
    unsigned roles;
  } names[] = {{"read", ROLE_READ}, {"worker", ROLE_WORKER}, {"operate", ROLE_READ | ROLE_OPERATE | ROLE_WORKER},
               {"deploy", ROLE_READ | ROLE_DEPLOY}, {"task", ROLE_TASK}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(name, names[i].name) == 0) return names[i].roles;
  return 0;
}

static unsigned auth_roles(char *list) {
  unsigned roles = 0;
  for (char *save = NULL, *at = strtok_r(list, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
    unsigned is = auth_role(at);
    if (!is) return 0;
    roles |= is;
  }
  return roles;
}

static int auth_line(auth *a, char *line, int number, const char *path, orr_error *err) {
  char *save = NULL, *kind = strtok_r(line, " \t\r\n", &save);
  if (!kind || kind[0] == '#') return 0;
  char *name = strtok_r(NULL, " \t\r\n", &save), *roles = strtok_r(NULL, " \t\r\n", &save);
  char *hash = strtok_r(NULL, " \t\r\n", &save), *groups = strtok_r(NULL, " \t\r\n", &save);
  bool token = strcmp(kind, "token") == 0;
  if ((!token && strcmp(kind, "user") != 0) || !hash || hash[0] != '$')
    return error_set(err, ORR_E_ARGUMENT, "%s:%d: user or token, a name, roles and a hash expected", path, number);
  account u = {.roles = auth_roles(roles), .token = token};
  if (!u.roles)
    return error_set(err, ORR_E_ARGUMENT, "%s:%d: roles are read, worker, operate, deploy, task, with commas between",
                     path, number);
  if (a->n_users == USERS_MAX) return error_set(err, ORR_E_LIMIT, "%s: more than %d users and tokens", path, USERS_MAX);
  u.name = strdup(name);
  u.hash = strdup(hash);
  u.groups = strdup(groups ? groups : "");
  a->users[a->n_users++] = u;
  return u.name && u.hash && u.groups ? 0 : error_memory(err);
}

auth *auth_open(const char *path, orr_error *err) {
  FILE *file = fopen(path, "re");
  auth *a = file ? calloc(1, sizeof *a) : NULL;
  char *line = NULL;
  size_t capacity = 0;
  int rc = 0, number = 0;
  if (!file) {
    error_set(err, ORR_E_ARGUMENT, "the file of users \"%s\" cannot be read", path);
    return NULL;
  }
  if (!a) rc = error_memory(err);
  else pthread_mutex_init(&a->mutex, NULL);
  while (!rc && getline(&line, &capacity, file) >= 0) rc = auth_line(a, line, ++number, path, err);
  free(line);
  fclose(file);
  if (!rc) return a;
  auth_close(a);
  return NULL;
}

void auth_close(auth *a) {
  if (!a) return;
  for (size_t i = 0; i < a->n_users; i++) {
    free(a->users[i].name);
    free(a->users[i].hash);
    free(a->users[i].groups);
  }
  for (size_t i = 0; i < VERIFIED_MAX; i++) free(a->known[i].header);
  pthread_mutex_destroy(&a->mutex);
  free(a);
}

const account *auth_user(const auth *a, size_t index) {
  for (size_t i = 0; a && i < a->n_users; i++)
    if (!a->users[i].token && index-- == 0) return &a->users[i];
  return NULL;
}

/* ---- Verifying -------------------------------------------------------------------------------- */

static verified *auth_slot(auth *a, const char *header) {
  return &a->known[hash_bytes(header, strlen(header)) % VERIFIED_MAX];
}

static const account *auth_remembered(auth *a, const char *header) {
  pthread_mutex_lock(&a->mutex);
  const verified *slot = auth_slot(a, header);
  bool same = slot->header && secrets_equal(slot->header, header) && server_now_ns() < slot->until_ns;
  const account *is = same ? slot->is : NULL;
  pthread_mutex_unlock(&a->mutex);
  return is;
}

static void auth_remember(auth *a, const char *header, const account *is) {
  char *copy = strdup(header);
  if (!copy) return;
  pthread_mutex_lock(&a->mutex);
  verified *slot = auth_slot(a, header);
  free(slot->header);
  *slot = (verified){copy, is, server_now_ns() + VERIFIED_NS};
  pthread_mutex_unlock(&a->mutex);
}

static void auth_refuse(request *q, const char *why) {
  request_fail(q, 401, "AuthenticationException", "%s", why);
  q->challenge = true;
}

static void auth_refuse_unknown(request *q) {
  auth_refuse(q, "Who asks? A user's name and password, or a token, are expected");
}

/* By the page's cookie: what changes something must show the session's other token, too. */
static void auth_session(request *q, const char *xsrf) {
  bool safe = strcmp(q->method, "GET") == 0 || strcmp(q->method, "HEAD") == 0;
  q->user = session_of(q->server->sessions, q->cookies, q->xsrf);
  if (q->user && !safe && (!xsrf || !secrets_equal(q->xsrf, xsrf)))
    request_fail(q, 403, "AuthorizationException", "X-XSRF-TOKEN is not that of the session");
}

auth_answer auth_begin(request *q, const char *header, const char *xsrf, bool browser) {
  auth *a = q->server->auth;
  if (!a || q->operation->role == ROLE_NONE) return AUTH_KNOWN;
  if (!header && q->cookies) {
    auth_session(q, xsrf);
    if (q->user || q->status) return AUTH_KNOWN;
  }
  if (!header || strlen(header) > CREDENTIALS_MAX) {
    auth_refuse_unknown(q);
    q->challenge = !browser;
    return AUTH_KNOWN;
  }
  q->user = auth_remembered(a, header);
  if (q->user) return AUTH_KNOWN;
  q->credentials = strdup(header);
  if (q->credentials) return AUTH_ASK;
  request_fail_memory(q);
  return AUTH_KNOWN;
}

static bool auth_fits(const account *u, const char *secret) {
  struct crypt_data *data = calloc(1, sizeof *data);
  const char *hash = data ? crypt_r(secret, u->hash, data) : NULL;
  bool fits = hash && secrets_equal(hash, u->hash);
  free(data);
  return fits;
}

/* NULL: no user has the name. */
static const account *auth_named(const auth *a, const char *name) {
  for (size_t i = 0; i < a->n_users; i++)
    if (!a->users[i].token && strcmp(a->users[i].name, name) == 0) return &a->users[i];
  return NULL;
}

/* An unknown name takes as long as a wrong password. */
static const account *auth_password(const auth *a, const char *name, const char *secret) {
  static const account nobody = {
      .hash = (char *)"$y$j9T$F5Jx5fExrKuPp53xLKQ..1$tnSYvahCwPBHKZUspmcxMfb0.WiB9W.zEaKlOBL35rC"};
  const account *is = auth_named(a, name);
  return auth_fits(is ? is : &nobody, secret) ? is : NULL;
}

/* What follows the scheme of a header; NULL: it is of another one. */
static const char *auth_scheme(const char *header, const char *scheme) {
  size_t size = strcspn(header, " ");
  bool same = size == strlen(scheme) && strncasecmp(header, scheme, size) == 0;
  return same ? header + size + strspn(header + size, " ") : NULL;
}

/* Leaves the name of a Basic header in `text`, which has room for CREDENTIALS_MAX; the password
 * behind it. NULL: it has none. */
static char *auth_basic_split(const char *header, char *text) {
  const char *encoded = auth_scheme(header, "Basic");
  size_t size = CREDENTIALS_MAX - 1;
  if (!encoded || !base64_read(encoded, strlen(encoded), BASE64_STRICT, text, &size)) return NULL;
  text[size] = '\0';
  char *secret = strlen(text) == size ? strchr(text, ':') : NULL;
  if (secret) *secret++ = '\0';
  return secret;
}

static const account *auth_bearer(const auth *a, const char *secret) {
  for (size_t i = 0; i < a->n_users; i++)
    if (a->users[i].token && auth_fits(&a->users[i], secret)) return &a->users[i];
  return NULL;
}

static const account *auth_find(const auth *a, const char *header) {
  char text[CREDENTIALS_MAX];
  const char *token = auth_scheme(header, "Bearer");
  if (token) return auth_bearer(a, token);
  const char *secret = auth_basic_split(header, text);
  const account *is = secret ? auth_password(a, text, secret) : NULL;
  explicit_bzero(text, sizeof text);
  return is;
}

/* ---- Asking -----------------------------------------------------------------------------------
 */

/* Whose password a header shows; NULL: nobody's, or it is a token. */
static const account *auth_claimed(const auth *a, const char *header) {
  char text[CREDENTIALS_MAX];
  const char *secret = auth_basic_split(header, text);
  const account *is = secret ? auth_named(a, text) : NULL;
  explicit_bzero(text, sizeof text);
  return is;
}

/* Commands go on meanwhile: what a check takes is its own, and no thread of theirs. */
static const account *auth_look(request *q) {
  const auth *a = q->server->auth;
  pool_waits(q->server->pool, true);
  const account *is = q->login.then ? auth_password(a, q->login.name, q->login.password) : auth_find(a, q->credentials);
  pool_waits(q->server->pool, false);
  return is;
}

/* Says no more than that: not whether there is a user of the name. */
static void auth_refuse_wrong(request *q) {
  char text[CREDENTIALS_MAX];
  bool token = auth_scheme(q->credentials, "Bearer");
  bool named = !token && auth_basic_split(q->credentials, text);
  explicit_bzero(text, sizeof text);
  if (token) auth_refuse(q, "The token is wrong");
  else if (named) auth_refuse(q, "The user's name or the password is wrong");
  else auth_refuse_unknown(q);
}

/* On a thread of the pool, at its turn. */
static void auth_verify(request *q) {
  server *s = q->server;
  q->user = auth_remembered(s->auth, q->credentials);
  if (!q->user && (q->user = auth_look(q))) auth_remember(s->auth, q->credentials, q->user);
  if (!q->user) auth_refuse_wrong(q);
  explicit_bzero(q->credentials, strlen(q->credentials));
  loop_finished(q);
  checks_done(s->checks);
}

void auth_ask(request *q) {
  checks_wait(q->server->checks, q, auth_claimed(q->server->auth, q->credentials), auth_verify);
}

static void auth_log_in(request *q) {
  server *s = q->server;
  q->login.then(q, auth_look(q));
  loop_finished(q);
  checks_done(s->checks);
}

int auth_login(request *q, const char *name, const char *password,
               int (*then)(request *q, const account *is)) {
  q->login = (login){name, password, then};
  loop_suspend(q);
  checks_wait(q->server->checks, q, auth_named(q->server->auth, name), auth_log_in);
  return REQUEST_PARKED;
}

void auth_permit(request *q) {
  if (!q->user || (q->user->roles & q->operation->role)) return;
  q->limited = (q->user->roles & ROLE_TASK) && q->operation->people;
  if (q->limited) return;
  static const char *const names[] = {[ROLE_READ] = "read", [ROLE_WORKER] = "worker", [ROLE_OPERATE] = "operate",
                                      [ROLE_DEPLOY] = "deploy", [ROLE_READ | ROLE_WORKER] = "read"};
  const char *name = names[q->operation->role];
  request_fail(q, 403, "AuthorizationException", "The user with id \"%s\" has not the role \"%s\", which this needs",
               q->user->name, name ? name : "operate");
}
