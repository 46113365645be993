/* The address guard: ranges of addresses, and the rules of the option `hosts`. */
#include "net/address_guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <uv.h>

#include "base/env.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/serving.h"

/* An address as 16 bytes; IPv4 stands in its first four. */
typedef struct address {
  bool v6;
  unsigned char bytes[16];
} address;

typedef struct range {
  address base;
  int bits;
} range;

typedef struct rule {
  char name[ORR_NET_HOST_BYTES_MAX + 1]; /* "": a range */
  int port;                              /* 0: any */
  range range;
} rule;

struct address_guard {
  orr_allocator allocator;
  address_guard_policy policy;
  size_t count;
  rule rules[];
};

/* ---- Addresses and ranges -------------------------------------------------------------------- */

static bool parse_address(const char *text, address *out) {
  *out = (address){0};
  if (inet_pton(AF_INET, text, out->bytes) == 1) return true;
  out->v6 = true;
  return inet_pton(AF_INET6, text, out->bytes) == 1;
}

static bool parse_range(const char *text, range *out) {
  char base[INET6_ADDRSTRLEN + 1];
  const char *slash = strchr(text, '/');
  size_t size = slash ? (size_t)(slash - text) : strlen(text);
  if (size >= sizeof base) return false;
  memcpy(base, text, size);
  base[size] = '\0';
  if (!parse_address(base, &out->base)) return false;
  int most = out->base.v6 ? 128 : 32;
  out->bits = most;
  if (!slash) return true;
  char *end;
  long bits = strtol(slash + 1, &end, 10);
  if (end == slash + 1 || *end != '\0' || bits < 0 || bits > most) return false;
  out->bits = (int)bits;
  return true;
}

static bool range_has(const range *r, const address *a) {
  if (r->base.v6 != a->v6) return false;
  size_t whole = (size_t)r->bits / 8;
  if (memcmp(r->base.bytes, a->bytes, whole) != 0) return false;
  int rest = r->bits % 8;
  return rest == 0 || ((r->base.bytes[whole] ^ a->bytes[whole]) >> (8 - rest)) == 0;
}

static bool text_range_has(const char *text, const address *a) {
  range r;
  return parse_range(text, &r) && range_has(&r, a);
}

/* Where clouds answer with credentials; the last is Amazon's over IPv6. */
static bool is_link_local(const address *a) {
  static const char *const RANGES[] = {"169.254.0.0/16", "fe80::/10", "fd00:ec2::254"};
  for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++)
    if (text_range_has(RANGES[i], a)) return true;
  return false;
}

/* What is not the public internet, by the registries of special addresses (RFC 6890 and its successors). */
static bool is_special(const address *a) {
  static const char *const RANGES[] = {
      "0.0.0.0/8",     "10.0.0.0/8",      "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16",
      "172.16.0.0/12", "192.0.0.0/24",    "192.0.2.0/24",   "192.88.99.0/24", "192.168.0.0/16",
      "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",    "240.0.0.0/4",
  };
  if (a->v6) return !text_range_has("2000::/3", a) || text_range_has("2001::/23", a) || text_range_has("2001:db8::/32", a);
  for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++)
    if (text_range_has(RANGES[i], a)) return true;
  return false;
}

/* The IPv4 address that an IPv6 one carries: mapped, compatible, translated (NAT64), 6to4. Teredo hides it, and counts as
 * special. */
static bool embedded(const address *a, address *out) {
  static const struct { const char *range; size_t at; } FORMS[] = {
    {"::ffff:0:0/96", 12}, {"::/96", 12}, {"64:ff9b::/96", 12}, {"64:ff9b:1::/48", 12}, {"2002::/16", 2}};
  for (size_t i = 0; a->v6 && i < sizeof FORMS / sizeof *FORMS; i++) {
    if (!text_range_has(FORMS[i].range, a)) continue;
    *out = (address){0};
    memcpy(out->bytes, a->bytes + FORMS[i].at, 4);
    return true;
  }
  return false;
}

static bool from_socket(const struct sockaddr *from, address *out) {
  *out = (address){0};
  if (from->sa_family == AF_INET) {
    memcpy(out->bytes, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
    return true;
  }
  if (from->sa_family != AF_INET6) return false;
  out->v6 = true;
  memcpy(out->bytes, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, 16);
  return true;
}

static bool policy_allows(const address_guard *g, const address *a) {
  address inner;
  bool carries = embedded(a, &inner);
  if (g->policy == GUARD_NONE) return false;
  if (g->policy == GUARD_PUBLIC) return !carries && !is_special(a);
  return !is_link_local(a) && !(carries && is_link_local(&inner));
}

/* ---- This machine ---------------------------------------------------------------------------- */

static bool address_same(const address *a, const address *b) {
  return a->v6 == b->v6 && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* Is it an address of this machine's network cards? True when that cannot be told. */
static bool is_of_a_card(const address *a) {
  uv_interface_address_t *cards;
  int count;
  if (uv_interface_addresses(&cards, &count) != 0) return true;
  bool found = false;
  for (int i = 0; i < count && !found; i++) {
    address own;
    found = from_socket((const struct sockaddr *)&cards[i].address, &own) && address_same(&own, a);
  }
  uv_free_interface_addresses(cards, count);
  return found;
}

/* Leads it to this machine? What is unspecified (0.0.0.0, ::) does. */
static bool is_local(const address *a) {
  static const char *const RANGES[] = {"127.0.0.0/8", "0.0.0.0/8", "::1", "::"};
  for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++)
    if (text_range_has(RANGES[i], a)) return true;
  return is_of_a_card(a);
}

/* Is it this machine's, or is the one that it carries? */
static bool leads_here(const address *a) {
  address inner;
  return is_local(a) || (embedded(a, &inner) && is_local(&inner));
}

/* The names that are this machine's wherever they are resolved to be used from here. */
static bool is_own_name(const char *host) {
  static const char LOCAL[] = ".localhost";
  char own[ORR_NET_HOST_BYTES_MAX + 1] = "";
  size_t length = strlen(host), dot = strcspn(host, ".");
  if (length > 0 && host[length - 1] == '.') length--; /* the root's dot */
  if (length == sizeof LOCAL - 2 && strncasecmp(host, LOCAL + 1, length) == 0) return true;
  bool below = length >= sizeof LOCAL - 1;
  if (below && strncasecmp(host + length - (sizeof LOCAL - 1), LOCAL, sizeof LOCAL - 1) == 0)
    return true;
  if (gethostname(own, sizeof own - 1) != 0) return false;
  size_t first = strcspn(own, ".");
  return first > 0 && dot == first && strncasecmp(host, own, first) == 0;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* "name", "name:port" or "[address]:port". */
static bool parse_name(const char *text, rule *out) {
  const char *from = *text == '[' ? text + 1 : text;
  const char *stop = from == text ? strchr(text, ':') : strstr(text, "]:");
  size_t size = stop ? (size_t)(stop - from) : strlen(text);
  if (size == 0 || size > ORR_NET_HOST_BYTES_MAX) return false;
  if (text[strcspn(text, "/ \t\r\n@")] != '\0') return false;
  memcpy(out->name, from, size);
  if (!stop) return from == text;
  const char *colon = from == text ? stop : stop + 1;
  char *end;
  long port = strtol(colon + 1, &end, 10);
  out->port = (int)port;
  return end != colon + 1 && *end == '\0' && port > 0 && port < 65536;
}

address_guard *address_guard_new(const orr_allocator *allocator, address_guard_policy policy,
                                 const char *const *hosts, size_t count, orr_error *err) {
  address_guard *g = env_zalloc(allocator, sizeof *g + count * sizeof *g->rules);
  if (!g) {
    error_memory(err);
    return NULL;
  }
  if (allocator) g->allocator = *allocator;
  g->policy = policy;
  g->count = count;
  for (size_t i = 0; i < count; i++) {
    if (parse_range(hosts[i], &g->rules[i].range) || parse_name(hosts[i], &g->rules[i])) continue;
    error_set(err, ORR_E_ARGUMENT, "hosts: \"%.200s\" is no name, name:port, address or CIDR", hosts[i]);
    address_guard_free(g);
    return NULL;
  }
  return g;
}

void address_guard_free(address_guard *g) {
  if (!g) return;
  const orr_allocator allocator = g->allocator;
  env_free(&allocator, g, sizeof *g + g->count * sizeof *g->rules);
}

static bool names(const rule *r, const char *host, int port) {
  return r->name[0] != '\0' && strcasecmp(r->name, host) == 0 && (r->port == 0 || r->port == port);
}

/* Does a rule say "name:port" of just these? */
static bool names_port(const address_guard *g, const char *host, int port) {
  for (size_t i = 0; i < g->count; i++)
    if (g->rules[i].port && names(&g->rules[i], host, port)) return true;
  return false;
}

/* Does a rule allow the name, or the address (NULL: not known)? */
static bool rules_allow(const address_guard *g, const char *host, int port, const address *a) {
  for (size_t i = 0; i < g->count; i++) {
    const rule *r = &g->rules[i];
    if (names(r, host, port) || (a && r->name[0] == '\0' && range_has(&r->range, a))) return true;
  }
  return false;
}

static int port_of(const struct sockaddr *from) {
  const struct sockaddr_in *four = (const void *)from;
  const struct sockaddr_in6 *six = (const void *)from;
  return ntohs(from->sa_family == AF_INET6 ? six->sin6_port : four->sin_port);
}

address_guard_verdict address_guard_of_address(const address_guard *g, const struct sockaddr *socket_address,
                               const char *host, int port) {
  address a;
  if (!from_socket(socket_address, &a)) return GUARD_ADDRESS;
  bool own = serving_at(port_of(socket_address)) && leads_here(&a);
  if (own && !names_port(g, host, port)) return GUARD_OWN;
  return rules_allow(g, host, port, &a) || policy_allows(g, &a) ? GUARD_FINE : GUARD_ADDRESS;
}

address_guard_verdict address_guard_of_proxied(const address_guard *g, const char *host, int port) {
  address a;
  bool literal = parse_address(host, &a);
  bool own = serving_at(port) && (literal ? leads_here(&a) : is_own_name(host));
  if (own && !names_port(g, host, port)) return GUARD_OWN;
  if (rules_allow(g, host, port, literal ? &a : NULL)) return GUARD_FINE;
  bool allowed = literal ? policy_allows(g, &a) : g->policy == GUARD_ANY;
  return allowed ? GUARD_FINE : GUARD_ADDRESS;
}

void address_guard_explain(address_guard_verdict verdict, const char *host, int port, char *out, size_t size) {
  bool six = strchr(host, ':');
  if (verdict == GUARD_OWN)
    snprintf(out, size,
             "this process itself serves there, which models may not call; \"%s%s%s:%d\" in the "
             "option http.hosts would allow it", six ? "[" : "", host, six ? "]" : "", port);
  else
    snprintf(out, size,
             "\"%s\" has an address that models may not call; the option http.hosts can allow it",
             host);
}

static bool entry_has(const char *entry, const char *host, const address *literal) {
  if (strcmp(entry, "*") == 0) return true;
  if (literal) return text_range_has(entry, literal);
  if (*entry == '.') entry++;
  size_t size = strlen(entry), length = strlen(host);
  if (size == 0 || length < size || strcasecmp(host + length - size, entry) != 0) return false;
  return length == size || host[length - size - 1] == '.';
}

bool address_guard_list_has(const char *list, const char *host) {
  address a;
  bool literal = parse_address(host, &a);
  while (list && *list) {
    char entry[ORR_NET_HOST_BYTES_MAX + 1];
    list += strspn(list, ", \t");
    size_t size = strcspn(list, ", \t");
    if (size > 0 && size < sizeof entry) {
      memcpy(entry, list, size);
      entry[size] = '\0';
      if (entry_has(entry, host, literal ? &a : NULL)) return true;
    }
    list += size;
  }
  return false;
}
