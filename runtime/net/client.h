/* Calls to the world outside: clients, and what their calls have in common. The face of the room, with http.h, mail.h and
 * process.h; it knows neither engines nor scripts.
 *
 * Each call is started by net_http, net_mail or net_spawn and answers once, from the loop, never before the starting
 * function returned. What the answer points at is valid during the callback. net_cancel, and closing the client, end a
 * call without an answer. All on the thread that runs the loop. Requests are read during the call that starts them, except
 * for what is said to be kept. */
#ifndef ORR_NET_CLIENT_H
#define ORR_NET_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "orrery.h"

typedef struct net_client net_client;
typedef struct net_call net_call;

/* What went wrong; the names are those of error types, behind "http.", "mail." or "shell.". */
typedef enum net_error {
  NET_OK,
  NET_RESOLVE,  /* the name has no address */
  NET_CONNECT,  /* nothing listens there, or no way leads there */
  NET_TLS,      /* certificates, or what TLS needs */
  NET_TIMEOUT,
  NET_LIMIT,    /* a bound of ours was reached */
  NET_DENIED,   /* the options forbid it */
  NET_PROTOCOL, /* the other side broke off, or speaks another language */
  NET_REJECTED, /* a mail server refuses for good */
  NET_LATER,    /* a mail server refuses for now */
  NET_LOGIN,    /* a mail server does not know us */
  NET_SPAWN,    /* the program cannot be started */
  NET_MEMORY,
} net_error;
/* "resolve", "connect", … */
const char *net_error_name(net_error error);

typedef struct net_text {
  const char *bytes;
  size_t size;
} net_text;

typedef struct net_options {
  bool public_only, listed_only;  /* see address_guard.h: GUARD_PUBLIC, GUARD_NONE */
  const char *const *hosts;       /* exceptions of the address_guard */
  size_t host_count;
  const char *proxy, *no_proxy;   /* NULL: none; the environment is never asked */
  const char *ca_file, *ca_path, *client_cert, *client_key;
  bool insecure;                  /* certificates are not verified */
  int64_t connections_per_host;   /* 0: no bound */
} net_options;

/* NULL with `err` filled. The options are copied. */
net_client *net_client_open(uv_loop_t *loop, const orr_allocator *allocator, const net_options *options, orr_error *err);
/* Ends its calls without an answer. Handles of the loop are let go of at its next turn. NULL is fine. */
void net_client_close(net_client *client);

/* Ends the call without an answer. On the loop's thread, before `done` was called. */
void net_cancel(net_call *call);

#endif
