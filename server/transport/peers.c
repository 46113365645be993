/* Connections by address. */
#include "server/transport/peers.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { PEERS_BUCKETS = 1024 };

typedef struct peer {
  peer_address address;
  int connections;
  struct peer *next; /* of the bucket */
} peer;

struct peers {
  pthread_mutex_t mutex;
  int most;
  peer *buckets[PEERS_BUCKETS];
};

peers *peers_new(int most) {
  peers *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  pthread_mutex_init(&p->mutex, NULL);
  p->most = most;
  return p;
}

void peers_free(peers *p) {
  if (!p) return;
  for (size_t i = 0; i < PEERS_BUCKETS; i++)
    for (peer *at = p->buckets[i], *next; at; at = next) {
      next = at->next;
      free(at);
    }
  pthread_mutex_destroy(&p->mutex);
  free(p);
}

bool peer_of(const struct sockaddr *from, peer_address *out) {
  *out = (peer_address){0};
  if (from && from->sa_family == AF_INET6) {
    out->ip = ((const struct sockaddr_in6 *)(const void *)from)->sin6_addr;
    return true;
  }
  if (!from || from->sa_family != AF_INET) return false;
  out->ip.s6_addr[10] = out->ip.s6_addr[11] = 0xFF;
  memcpy(&out->ip.s6_addr[12], &((const struct sockaddr_in *)(const void *)from)->sin_addr, sizeof(struct in_addr));
  return true;
}

/* The place of an address in its bucket, which holds NULL when it has no connections. */
static peer **peer_place(peers *p, const peer_address *from) {
  peer **at = &p->buckets[hash_bytes(from->ip.s6_addr, sizeof from->ip.s6_addr) % PEERS_BUCKETS];
  while (*at && memcmp(&(*at)->address, from, sizeof *from) != 0) at = &(*at)->next;
  return at;
}

bool peers_enter(peers *p, const peer_address *from) {
  pthread_mutex_lock(&p->mutex);
  peer **place = peer_place(p, from);
  if (!*place && (*place = calloc(1, sizeof **place))) (*place)->address = *from;
  bool room = *place && (*place)->connections < p->most;
  if (room) (*place)->connections++;
  pthread_mutex_unlock(&p->mutex);
  return room;
}

void peers_leave(peers *p, const peer_address *from) {
  pthread_mutex_lock(&p->mutex);
  peer **place = peer_place(p, from), *at = *place;
  if (--at->connections == 0) {
    *place = at->next;
    free(at);
  }
  pthread_mutex_unlock(&p->mutex);
}
