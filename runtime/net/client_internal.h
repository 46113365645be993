/* Transfers of one engine on one thread: libcurl's multi interface on that thread's own libuv loop. Nothing here waits; a
 * transfer that is under way costs its memory and its descriptor, no thread.
 *
 * Lives, and is used, on one thread. libcurl keeps connections open between transfers; the client closes them when it
 * closes. */
#ifndef ORR_NET_CLIENT_INTERNAL_H
#define ORR_NET_CLIENT_INTERNAL_H

#include <uv.h>

#include "net/call.h"
#include "net/address_guard.h"
#include "net/curl.h"

/* What http.c and mail.c build on. Embedded in their own structs. */
typedef struct transfer transfer;
struct transfer {
  net_call base;                    /* first: a net_call is a transfer */
  net_client *client;
  CURL *easy;                       /* NULL once it is over */
  transfer *next, **before;         /* of the client's */
  bool running;                     /* libcurl has it */
  uv_timer_t *alarm;                /* for what its owner waits for: a stall, the time of a repetition */
  void (*rang)(transfer *t);        /* the alarm's */
  void (*finished)(transfer *t, CURLcode code);
  void (*destroy)(transfer *t);     /* frees the struct that embeds this; never calls back */
  char problem[CURL_ERROR_SIZE];
};

struct net_client {
  orr_allocator allocator;
  uv_loop_t *loop;
  CURLM *multi;
  uv_timer_t *timer;                /* libcurl's */
  transfer *transfers;
  struct process_call *processes;
  address_guard *guard;
  char *proxy, *no_proxy, *ca_file, *ca_path, *client_cert, *client_key;
  bool insecure;
};

/* Makes the handle and the alarm, and links the transfer; what fails leaves a transfer for transfer_drop. */
int transfer_init(transfer *t, net_client *client, orr_error *err);
/* Gives it to libcurl: `finished` is called from the loop, later. */
int transfer_start(transfer *t, orr_error *err);
/* Takes it back from libcurl, frees everything, calls `destroy`. */
void transfer_drop(transfer *t);
/* Calls `rang` after so many milliseconds, unless it is set again before. */
void transfer_alarm(transfer *t, int64_t ms);

/* The options that all transfers share: certificates, timeouts of connecting, no signals, no environment. */
CURLcode transfer_set_common(transfer *t, int64_t connect_ms, int64_t total_ms);
/* What a code of libcurl is in this room's words. */
net_error net_error_of(CURLcode code);

#endif
