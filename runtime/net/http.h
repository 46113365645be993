/* Calls over HTTP. */
#ifndef ORR_NET_HTTP_H
#define ORR_NET_HTTP_H

#include "net/client.h"

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

#endif
