/* Calls to the world outside: HTTP, mail, processes. The face of the room; it knows neither engines nor scripts.
 *
 * Each call is started by net_http, net_mail or net_spawn and answers once, from the loop, never before the starting
 * function returned. What the answer points at is valid during the callback. net_cancel, and closing the client, end a
 * call without an answer. All on the thread that runs the loop. Requests are read during the call that starts them, except
 * for what is said to be kept. */
#ifndef ORR_NET_H
#define ORR_NET_H

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

/* ---- Clients --------------------------------------------------------------------------------- */

typedef struct net_options {
  bool public_only;               /* see guard.h */
  const char *const *hosts;       /* exceptions of the guard */
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

/* ---- HTTP ------------------------------------------------------------------------------------ */

typedef struct net_part { /* of multipart/form-data */
  const char *name, *file_name, *type; /* the last two may be NULL */
  net_text data;
} net_part;

typedef struct net_http_request {
  const char *method, *url;
  const char *const *headers;     /* lines "Name: value"; one with CR or LF is refused */
  size_t header_count;
  size_t secret_count;            /* so many of the last headers are for this host alone: a redirect elsewhere drops them */
  bool has_body;
  net_text body;
  const net_part *parts;          /* instead of a body */
  size_t part_count;
  const char *user, *password;    /* basic authentication */
  int64_t connect_ms, stall_ms, total_ms; /* 0: no bound */
  int64_t body_max;               /* bytes, after decompression */
  int redirects_max;              /* 0: none is followed */
  int retries;
  bool secret_url;                /* error texts do not show it */
} net_http_request;

typedef struct net_http_response {
  int status;
  const char *protocol, *reason;  /* "HTTP/1.1", "Not Found" (empty where the protocol has none) */
  net_text headers;               /* lines that end in "\n", as they came */
  net_text body;
  const char *url;                /* the last one */
  int64_t retry_after_ms;         /* what a Retry-After says; -1: nothing */
} net_http_response;

/* `response` is NULL when it failed. */
typedef void (*net_http_done)(void *ud, const net_http_response *response, net_error error, const char *message);

/* NULL with `err` filled (ORR_E_ARGUMENT: a request that cannot be sent, with the reason; ORR_E_MEMORY). */
net_call *net_http(net_client *client, const net_http_request *request, net_http_done done, void *ud, orr_error *err);

/* ---- Mail ------------------------------------------------------------------------------------ */

typedef enum net_mail_tls { NET_MAIL_PLAIN, NET_MAIL_STARTTLS, NET_MAIL_IMPLICIT } net_mail_tls;

typedef struct net_attachment {
  const char *name, *type, *cid;  /* `cid` makes it an inline image of the HTML; each but the name may be NULL */
  net_text data;
} net_attachment;

typedef struct net_mail_message {
  const char *host;
  int port;
  net_mail_tls tls;
  const char *user, *password, *bearer; /* `bearer`: XOAUTH2 instead of a password */
  const char *from;                     /* the envelope's: an address alone */
  const char *const *recipients;        /* the envelope's */
  size_t recipient_count;
  const char *const *headers;           /* lines, encoded; CR or LF is allowed for folding only */
  size_t header_count;
  const char *charset;                  /* of both texts */
  net_text text, html;                  /* bytes NULL: not given; at least one is */
  const net_attachment *attachments;
  size_t attachment_count;
  int64_t connect_ms, total_ms;
} net_mail_message;

typedef void (*net_mail_done)(void *ud, net_error error, const char *message);

/* Sends one message over SMTP; its texts are copied. NULL with `err`: nothing was started. */
net_call *net_mail(net_client *client, const net_mail_message *message, net_mail_done done, void *ud, orr_error *err);

/* ---- Processes ------------------------------------------------------------------------------- */

typedef struct net_process {
  const char *const *arguments;   /* NULL at the end; the first is the program, by its path */
  const char *directory;          /* NULL: the host program's */
  bool clean_environment;
  bool merge_errors;              /* standard error goes where standard output does */
  bool detached;                  /* answers when it has started; its output is thrown away, and the loop reaps it */
  int64_t total_ms;               /* 0: no bound; then TERM, and KILL, to its whole group */
  int64_t output_max;             /* bytes of each stream */
} net_process;

typedef struct net_exit {
  int64_t code;                   /* 128 + signal when a signal ended it */
  net_text output, errors;
} net_exit;

typedef void (*net_spawn_done)(void *ud, const net_exit *result, net_error error, const char *message);

/* NULL with `err` filled: ORR_E_NOT_FOUND with the reason when the program cannot be started. */
net_call *net_spawn(net_client *client, const net_process *process, net_spawn_done done, void *ud, orr_error *err);

#endif
