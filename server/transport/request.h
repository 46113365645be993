/* One request: what was asked, who asks, and the answer as it is made. A request belongs to its
 * connection and to one thread at a time: the loop's, while it is read and answered; a thread of the
 * pool, while a command runs. */
#ifndef SERVER_REQUEST_H
#define SERVER_REQUEST_H

#include <jansson.h>
#include <stdatomic.h>

#include "base/trace.h"
#include "server/table.h"
#include "server/transport/json_out.h"

typedef struct connection connection; /* loop.h */
typedef struct server server;         /* server_internal.h */
typedef struct server_engine server_engine;
typedef struct account account;       /* auth.h */

/* `name=value` of the query string, decoded. */
typedef struct argument {
  char *name, *value;
} argument;

/* One part of a multipart body, which its texts and its data point into. */
typedef struct part {
  char *name, *filename, *type;
  char *data;
  size_t size;
  struct part *next;
} part;

/* A name and a password that a handler asks for (auth_login), its body's, and what it does then. `then` NULL: it does not. */
typedef struct login {
  const char *name, *password;
  int (*then)(struct request *q, const account *is);
} login;

/* How far it has come. */
typedef enum request_stage { REQUEST_NEW, REQUEST_ROUTED, REQUEST_ADMITTED, REQUEST_READ } request_stage;

enum { REQUEST_PARKED = -1 }; /* what a handler answers when the request waits, and is not its own any more */

enum { REQUEST_PATH_MAX = 4, REQUEST_ARGUMENTS_MAX = 128 };

typedef struct request {
  server *server;
  connection *connection;
  server_engine *engine;        /* whose it is; of one that asks each, the one whose turn it is */
  request_stage stage;
  int64_t begun_ns;
  trace_context trace;          /* that it belongs to; empty: none */
  trace_span *span;             /* its own; NULL: it is not recorded */

  /* What is asked. */
  const char *method;
  char *uri;                    /* as it was sent */
  char *decoded;                /* what the pieces of path and query string point into */
  const operation *operation;
  char *path[REQUEST_PATH_MAX]; /* what stands for {id}, {key}, ... */
  orr_id path_id;               /* of the first when it is another name; 0: it is none */
  const char *page_path;        /* of a file of the page */
  argument arguments[REQUEST_ARGUMENTS_MAX];
  size_t n_arguments;
  char *if_none_match, *last_event; /* headers; NULL: none */
  bool takes_gzip;              /* its client does */
  bool foreign;                 /* a page of another site had its browser send it */
  bool own;                     /* about the server itself or its page: no read transaction of an engine is begun */

  /* Who asks. */
  const account *user;          /* NULL: no authentication is asked for */
  char *credentials;            /* the Authorization header, while it is verified */
  login login;
  char *cookies;                /* the Cookie header; NULL: none */
  char xsrf[33];                /* of the session that the cookie names */

  /* Its body. */
  uint64_t received;            /* bytes of it */
  bool too_large;
  char *body;
  size_t body_size, body_capacity;
  json_t *json;                 /* it, when it is JSON */
  char *boundary;               /* of its parts; NULL: it is no form */
  part *parts;

  /* What lasts until it is answered. */
  struct kept_builder *kept;
  struct scrap *scraps;         /* texts */
  orr_builder *described;       /* of one value after the other */
  struct note *notes;           /* request_note: what subjects remember */

  /* The answer. */
  int status;                   /* 0: none yet */
  const char *type;             /* of its body; NULL: application/json */
  json_out out;
  const char *fixed; /* a body that outlives the request, instead of out; NULL: none */
  size_t fixed_size;
  char *disposition;            /* a file name to save it by; NULL: none */
  char *cookie;                 /* to be set; NULL: none */
  const char *tag;              /* of a file of the page */
  const char *encoding;         /* of its body; NULL: it is as it was written */
  const char *cache;            /* how it may be kept; NULL: only to be asked for again */
  bool varies;                  /* another client may get it in another encoding */
  bool is_page;                 /* its browser is told what it may load */
  bool stream;                  /* events, until the client goes */
  orr_id followed;              /* events of this instance alone; 0: of all */
  bool close;                   /* the connection ends with it */
  bool challenge;               /* 401: says how to log in */

  /* Its way through the pool. */
  struct request *next;         /* in a queue of the pool, or of a loop's finished ones */
  void (*work)(struct request *q); /* what the pool does with it */
  bool conflict;                /* it failed since another changed the same first: nothing was done */
  atomic_int parts_left;        /* of two that its answer waits for: its command, and the deferred commit of that */
  orr_error lost;               /* why the commit failed */
  bool waits;                   /* its commit is not deferred */
  struct parked *parked;        /* parked.h: a poll that waits */
  bool woken;                   /* it waited, and was tried again */
  orr_id *locked;               /* what a fetch locked, until the answer is with the client */
  size_t n_locked;
} request;

/* A request of a connection, before its head is read. NULL: out of memory. */
request *request_new(connection *from, const char *uri);
/* With all that it keeps. NULL is fine. */
void request_free(request *q);
/* Lets go of the values of its answer: a request that waits holds no more than it was asked with. */
void request_settle(request *q);
/* Forgets its answer, so that it can be tried again. */
void request_again(request *q);

/* Splits the URI into path and arguments, decoded. False: it is not well formed. */
bool request_split(request *q, char **path);
/* Cuts the decoded path at its slashes and decodes each piece: at most `max`; -1 when there are more. */
int request_segments(char *path, char **segments, int max);
/* The value of an argument of the query string; NULL: not given. */
const char *request_argument(const request *q, const char *name);
/* May who asks do what takes one of these roles? Without --auth everybody may. */
bool request_may(const request *q, unsigned roles);
/* Is it "true"? */
bool request_flag(const request *q, const char *name);
/* Texts that last as long as the request; NULL: it has failed. */
char *request_copy(request *q, const char *text);
/* The same, formatted. */
char *request_printf(request *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A builder that lasts as long as the request; NULL: it has failed. */
orr_builder *request_builder(request *q);
/* What one subject remembers until the request is answered: `size` bytes, zeroed when they are first asked for. `drop` frees
 * what they hold, and is the subject's own: it tells its bytes from others'. NULL: the request has failed. */
void *request_note(request *q, size_t size, void (*drop)(void *note));
/* Appends to the body; false: out of memory. Its bound is the caller's business. */
bool request_body_add(request *q, const char *data, size_t size);

/* Ends the request with an error in Camunda's shape; returns `status`. */
int request_fail(request *q, int status, const char *type, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same for what is wrong with the request itself: 400, InvalidRequestException. */
int request_refuse(request *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same when memory is out: 503. */
int request_fail_memory(request *q);
/* The same for an error of the engine, which it clears. */
int request_fail_engine(request *q, orr_error *err);
/* Is what the request names not there? Else a not_found is a delegate's or listener's that the
 * request has set off. */
bool request_lacks(const orr_error *err);
/* Did the process run into it, and not the command? It says then at which activity. */
bool request_raised_inside(const orr_error *err);
/* As above, where Camunda names the missing thing: `missing` (with %s for `id`) answers with `status` what request_lacks. */
int request_fail_missing(request *q, orr_error *err, int status, const char *missing, const char *id);
/* Answers 204; returns it. */
int request_no_content(request *q);
/* Answers 200 with what was written to q->out; returns it. */
int request_done(request *q);

/* Members of the body. A member that is absent or null is not given. On a wrong type the request fails: ask q->status. */
const json_t *body_member(const request *q, const char *name);
const char *body_text(request *q, const char *name); /* NULL when not given */
bool body_bool(request *q, const char *name, bool otherwise); /* `otherwise` when not given */
int64_t body_int(request *q, const char *name, int64_t otherwise); /* `otherwise` when not given */
bool body_given(const request *q, const char *name); /* is the member there, and not null? */
/* A time as an ISO 8601 text; 0: not given. */
orr_time body_time(request *q, const char *name);

/* Decimal digits of a positive id, else 0. */
orr_id id_of_text(const char *text);
/* The id in the path; when it is none it stands for nothing that there is. */
orr_id request_id(const request *q);

#endif
