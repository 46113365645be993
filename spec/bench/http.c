/* orrery_http: a client of HTTP/1.1 that sends ahead of the answers, for measuring the server. Blocking, over loopback. */
#include <arpa/inet.h>
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLASS "orrery_http.connection"

enum { BUFFER = 64 * 1024 };

typedef struct http_connection {
  int fd;
  char *data; /* what has come and was not yet answered with */
  size_t size, capacity;
} http_connection;

static http_connection *http_check(lua_State *L) { return luaL_checkudata(L, 1, CLASS); }

/* connect(port) -> connection */
static int http_connect(lua_State *L) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)luaL_checkinteger(L, 1)),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  http_connection *c = lua_newuserdatauv(L, sizeof *c, 0);
  int one = 1;
  *c = (http_connection){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  luaL_setmetatable(L, CLASS);
  if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to)) return luaL_error(L, "connect: %s", strerror(errno));
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return 1;
}

static int http_close(lua_State *L) {
  http_connection *c = http_check(L);
  if (c->fd >= 0) close(c->fd);
  free(c->data);
  *c = (http_connection){.fd = -1};
  return 0;
}

/* connection:send(bytes) */
static int http_send(lua_State *L) {
  http_connection *c = http_check(L);
  size_t size, sent = 0;
  const char *bytes = luaL_checklstring(L, 2, &size);
  while (sent < size) {
    ssize_t n = send(c->fd, bytes + sent, size - sent, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) return luaL_error(L, "send: %s", strerror(errno));
    if (n > 0) sent += (size_t)n;
  }
  return 0;
}

/* False: the server has closed, or memory is out. */
static bool http_more(http_connection *c) {
  if (c->size + BUFFER > c->capacity) {
    char *more = realloc(c->data, c->capacity + 2 * BUFFER);
    if (!more) return false;
    c->data = more;
    c->capacity += 2 * BUFFER;
  }
  ssize_t n;
  while ((n = recv(c->fd, c->data + c->size, BUFFER - 1, 0)) < 0 && errno == EINTR) {}
  if (n <= 0) return false;
  c->size += (size_t)n;
  c->data[c->size] = '\0';
  return true;
}

static size_t http_length(const char *head, size_t size) {
  static const char name[] = "\r\nContent-Length:";
  for (const char *at = head; at + sizeof name < head + size; at++)
    if (strncasecmp(at, name, sizeof name - 1) == 0) return strtoul(at + sizeof name - 1, NULL, 10);
  return 0;
}

/* connection:receive() -> status, body; nothing when the server has closed */
static int http_receive(lua_State *L) {
  http_connection *c = http_check(L);
  char *end;
  while (!(end = c->size ? strstr(c->data, "\r\n\r\n") : NULL))
    if (!http_more(c)) return 0;
  size_t head = (size_t)(end - c->data) + 4, length = http_length(c->data, head);
  while (c->size < head + length)
    if (!http_more(c)) return 0;
  lua_pushinteger(L, strtol(c->data + strlen("HTTP/1.1 "), NULL, 10));
  lua_pushlstring(L, c->data + head, length);
  c->size -= head + length;
  memmove(c->data, c->data + head + length, c->size + 1);
  return 2;
}

__attribute__((visibility("default"))) int luaopen_orrery_http(lua_State *L);

int luaopen_orrery_http(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"send", http_send}, {"receive", http_receive}, {"close", http_close}, {"__gc", http_close}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"connect", http_connect}, {NULL, NULL}};
  luaL_newmetatable(L, CLASS);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  luaL_newlib(L, functions);
  return 1;
}
