/* orrery_fuzz_server SECONDS SEED: serves an engine at a Unix socket within this process, and throws requests at it that
 * were right once: heads, query strings, JSON and forms with bytes changed, pieces doubled, lengths that lie. Whatever
 * comes, the server must go on, and the sanitizer that this is built with must have nothing to say. Exits with 0, else says
 * the request. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "server/server.h"
#include "server/table.h"

enum { REQUEST_MAX = 64 * 1024, ANSWER_MS = 120000, PATIENCE_MS = 20, CHECK_EVERY = 64, MUTATIONS_MAX = 6 };

typedef struct text {
  char bytes[REQUEST_MAX];
  size_t size;
} text;

static uint64_t state;

static uint64_t drawn(uint64_t below) { /* xorshift64*; below must be positive */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * UINT64_C(0x2545F4914F6CDD1D) % below;
}

/* ---- Requests --------------------------------------------------------------------------------- */

static const char *const bodies[] = {
    "{}", "[]", "{\"variables\":{\"a\":{\"value\":1,\"type\":\"Integer\"}}}",
    "{\"workerId\":\"w\",\"maxTasks\":1,\"topics\":[{\"topicName\":\"t\",\"lockDuration\":1000}]}",
    "{\"sorting\":[{\"sortBy\":\"id\",\"sortOrder\":\"asc\"}],"
    "\"variables\":[{\"name\":\"a\",\"operator\":\"eq\",\"value\":2.5e3}]}",
    "{\"orQueries\":[{\"nameLike\":\"%\"}],\"taskVariables\":[{\"name\":\"\\u0000\",\"operator\":\"neq\",\"value\":null}]}",
    "{\"modifications\":{\"f\":{\"type\":\"File\",\"value\":\"aGk=\","
    "\"valueInfo\":{\"filename\":\"a\"}}},\"deletions\":[\"b\"]}",
    "{\"instructions\":[{\"type\":\"cancel\",\"activityId\":\"x\"}],\"processInstanceIds\":[\"1\",\"2\"]}",
};
static const char form[] =
    "--b\r\nContent-Disposition: form-data; name=\"deployment-name\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; "
    "name=\"a.bpmn\"; filename=\"a.bpmn\"\r\nContent-Type: text/xml\r\n\r\n<definitions/>\r\n--b--\r\n";
static const char *const queries[] = {
    "", "?maxResults=5&firstResult=0", "?sortBy=id&sortOrder=desc", "?variables=a_eq_1,b_like_%25",
    "?processInstanceIdIn=1,2,3",
    "?startedBefore=2026-01-31T12:00:00.000%2B0000", "?deserializeValues=false&active=true", "?scope=instance:5",
};
/* Bytes that parsers have stumbled over. */
static const char *const pieces[] = {
    "\r\n", "\n", "\r", "%00", "%", "%zz", "{", "}", "[[[[[[[[", "\"", "\\u", "\\ud800", "999999999999999999999", "-1", "1e999",
    "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Host: x\r\n", "/../", "//", "?", "&", "=", ":", "\x80\xff",
    "--b",
    "Expect: 100-continue\r\n", "Authorization: Basic !!!\r\n", "Cookie: a=b; orrery=\r\n", "X: \t y\r\n", " HTTP/0.9\r\n",
};

static void text_add(text *t, const char *bytes, size_t size) {
  if (size > REQUEST_MAX - t->size) size = REQUEST_MAX - t->size;
  memcpy(t->bytes + t->size, bytes, size);
  t->size += size;
}

static void text_put(text *t, const char *words) { text_add(t, words, strlen(words)); }

/* The path of an operation with something for what stands in braces. */
static void put_path(text *t, const char *path) {
  static const char *const names[] = {"1", "33554433", "order", "none", "0:7", "%2e%2e", "a%20b"};
  for (const char *at = path; *at; at++) {
    if (*at != '{') {
      text_add(t, at, 1);
      continue;
    }
    text_put(t, names[drawn(sizeof names / sizeof names[0])]);
    at = strchr(at, '}');
  }
}

static void make_request(text *t) {
  const operation *op = &operations[drawn(n_operations)];
  const char *body = bodies[drawn(sizeof bodies / sizeof bodies[0])], *type = "application/json";
  char length[64];
  if (op->multipart) body = form, type = "multipart/form-data; boundary=b";
  bool has_body = op->multipart || strcmp(op->method, "GET") != 0;
  snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
  t->size = 0;
  text_put(t, op->method);
  text_put(t, " /engine-rest");
  put_path(t, op->path);
  text_put(t, queries[drawn(sizeof queries / sizeof queries[0])]);
  text_put(t, " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
  if (has_body) text_put(t, "Content-Type: "), text_put(t, type), text_put(t, "\r\n"), text_put(t, length);
  text_put(t, "\r\n");
  if (has_body) text_put(t, body);
}

static void text_insert(text *t, size_t at, const char *bytes, size_t size) {
  if (size > REQUEST_MAX - t->size) return;
  memmove(t->bytes + at + size, t->bytes + at, t->size - at);
  memcpy(t->bytes + at, bytes, size);
  t->size += size;
}

static void mutate(text *t) {
  size_t at = drawn(t->size), left = t->size - at, size = 1 + drawn(left < 40 ? left : 40);
  char copy[40];
  switch (drawn(5)) {
    case 0: t->bytes[at] = (char)drawn(256); break;
    case 1:
      memmove(t->bytes + at, t->bytes + at + size, left - size);
      t->size -= size;
      break;
    case 2:
      memcpy(copy, t->bytes + at, size);
      text_insert(t, drawn(t->size), copy, size);
      break;
    case 3: {
      const char *piece = pieces[drawn(sizeof pieces / sizeof pieces[0])];
      text_insert(t, at, piece, strlen(piece));
      break;
    }
    default: t->bytes[at] ^= (char)(1 << drawn(8)); break;
  }
  if (t->size == 0) text_put(t, "G");
}

/* ---- Sending ---------------------------------------------------------------------------------- */

static const char *socket_path;

static int dial(void) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  snprintf(to.sun_path, sizeof to.sun_path, "%s", socket_path);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* Reads until the server closes; how much came, of which `head` keeps the beginning. -1: it did not close in time: it waits
 * for the rest of the request, or answers it with events. */
static ssize_t drain(int fd, char *head, size_t room, int patience_ms) {
  char rest[16 * 1024];
  struct pollfd ready = {.fd = fd, .events = POLLIN};
  ssize_t n, all = 0;
  while (poll(&ready, 1, patience_ms) > 0) {
    n = recv(fd, rest, sizeof rest, 0);
    if (n <= 0) return all;
    if ((size_t)all + (size_t)n < room) memcpy(head + all, rest, (size_t)n);
    all += n;
  }
  return -1;
}

/* False: it cannot be reached any more, or does not answer although it must. Some clients do not wait for an answer. */
static bool exchange(const text *t, bool must_answer) {
  char head[4096] = {0};
  int fd = dial();
  if (fd < 0) return false;
  for (size_t sent = 0; sent < t->size;) {
    ssize_t n = send(fd, t->bytes + sent, t->size - sent, MSG_NOSIGNAL);
    if (n <= 0) break; /* refused before it was whole */
    sent += (size_t)n;
  }
  shutdown(fd, SHUT_WR);
  int patience_ms = must_answer ? ANSWER_MS : PATIENCE_MS;
  ssize_t got = must_answer || drawn(8) > 0 ? drain(fd, head, sizeof head - 1, patience_ms) : 0;
  close(fd);
  return !must_answer || (got > 0 && strstr(head, "200"));
}

static bool alive(void) {
  text t = {.size = 0};
  text_put(&t, "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  return exchange(&t, true);
}

/* ---- The server ------------------------------------------------------------------------------- */

static const char model[] =
    "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" xmlns:camunda=\"http://camunda.org/schema/1.0/bpmn\" "
    "targetNamespace=\"fuzz\"><process id=\"order\" isExecutable=\"true\"><startEvent id=\"s\"/><sequenceFlow id=\"f\" "
    "sourceRef=\"s\" targetRef=\"t\"/><serviceTask id=\"t\" camunda:type=\"external\" camunda:topic=\"t\"/></process>"
    "</definitions>";

static int deploy(orr_engine *engine, orr_error *err) {
  orr_records *made = NULL;
  orr_value resources;
  orr_builder *b = orr_builder_new();
  orr_builder_map(b);
  orr_builder_put(b, "order.bpmn", orr_string(model));
  orr_builder_end(b);
  int rc = orr_builder_value(b, &resources, err);
  if (!rc) rc = orr_engine_deploy(engine, &resources, NULL, &made, err);
  orr_records_free(made);
  orr_builder_free(b);
  return rc;
}

static void *serve(void *engine) {
  server_config config;
  orr_error err = {0};
  server_member member = {"default", engine};
  server_config_init(&config);
  config.socket = socket_path;
  config.no_port = true;
  config.loops = 1;
  config.threads = 4;
  config.head_seconds = config.idle_seconds = 2;
  config.drain_seconds = 1;
  if (server_run(&config, &member, 1, &err)) fprintf(stderr, "the server: %s\n", err.message);
  orr_error_clear(&err);
  return NULL;
}

static void say(const text *t) {
  fprintf(stderr, "the server is gone after:\n");
  fwrite(t->bytes, 1, t->size, stderr);
  fputc('\n', stderr);
}

static int fuzz(double seconds) {
  static text t;
  time_t end = time(NULL) + (time_t)seconds;
  unsigned long n = 0;
  while (time(NULL) < end) {
    make_request(&t);
    for (uint64_t left = drawn(MUTATIONS_MAX); left > 0; left--) mutate(&t);
    bool fine = exchange(&t, false);
    if (fine && ++n % CHECK_EVERY == 0) fine = alive();
    if (fine) continue;
    say(&t);
    return 1;
  }
  printf("%lu requests\n", n);
  return 0;
}

int main(int argc, char **argv) {
  char path[64];
  orr_config config;
  orr_engine *engine = NULL;
  orr_error err = {0};
  pthread_t server;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) + 1 : 1;
  snprintf(path, sizeof path, "/tmp/orrery-fuzz-%ld", (long)getpid());
  socket_path = path;
  orr_config_init(&config);
  config.log_level = ORR_LOG_ERROR;
  if (orr_engine_open(&config, &engine, &err) || deploy(engine, &err)) {
    fprintf(stderr, "%s\n", err.message);
    return 2;
  }
  pthread_create(&server, NULL, serve, engine);
  for (int i = 0; i < 12000 && !alive(); i++) usleep(10000);
  int rc = fuzz(argc > 1 ? strtod(argv[1], NULL) : 20);
  kill(getpid(), SIGTERM);
  pthread_join(server, NULL);
  orr_engine_close(engine);
  return rc;
}
