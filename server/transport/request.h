/* One request: what it asks for, who asks, and its answer. A request belongs to its connection, and
 * to one thread at a time: to the loop's while it is read and answered, to a thread of the pool
 * while a command runs. */
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

/* A name and a password in a body, which auth_login checks for a handler; `then` continues the handler.
 * `then` NULL: nothing is checked. */
typedef struct login {
  const char *name, *password;
  int (*then)(struct request *q, const account *is);
} login;

/* How far a request has come. */
typedef enum request_stage { REQUEST_NEW, REQUEST_ROUTED, REQUEST_ADMITTED, REQUEST_READ } request_stage;

enum { REQUEST_PARKED = -1 }; /* a handler's answer: the request waits, and no longer belongs to the handler */

enum { REQUEST_PATH_MAX = 4, REQUEST_ARGUMENTS_MAX = 128 };

typedef struct request {
  server *server;
  connection *connection;
  server_engine *engine;        /* that it asks; if it asks several, the one that it asks now */
  request_stage stage;
  int64_t begun_ns;
  trace_context trace;          /* that it belongs to; empty: none */
  trace_span *span;             /* its own; NULL: not recorded */

  /* What is asked. */
  const char *method;
  char *uri;                    /* as sent */
  char *decoded;                /* the parts of path and query string point into it */
  const operation *operation;
  char *path[REQUEST_PATH_MAX]; /* the values of {id}, {key}, ... */
  orr_id path_id;               /* the id that a name in the first one stands for; 0: none */
  const char *page_path;        /* of a file of the page */
  argument arguments[REQUEST_ARGUMENTS_MAX];
  size_t n_arguments;
  char *if_none_match, *last_event; /* headers; NULL: none */
  bool takes_gzip;              /* its client accepts gzip */
  bool foreign;                 /* a browser sent it for a page of another site */
  bool own;                     /* about the server itself or its page: needs no read transaction of an engine */

  /* Who asks. */
  const account *user;          /* NULL: the server asks for no authentication */
  bool limited;                 /* the user's role is "task" alone: people.h */
  char *credentials;            /* the Authorization header, while it is verified */
  login login;
  char *cookies;                /* the Cookie header; NULL: none */
  char xsrf[33];                /* of the session that the cookie names */

  /* Its body. */
  uint64_t received;            /* bytes so far */
  bool too_large;
  char *body;
  size_t body_size, body_capacity;
  json_t *json;                 /* the body, if it is JSON */
  char *boundary;               /* between its parts; NULL: it is no form */
  part *parts;

  /* Memory that lasts until it is answered. */
  struct kept_builder *kept;
  struct scrap *scraps;         /* texts */
  orr_builder *described;       /* reused for one value after the other */
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
  const char *encoding;         /* of its body; NULL: none */
  const char *cache;            /* Cache-Control; NULL: no-cache */
  bool varies;                  /* it depends on the client's encodings */
  bool is_page;                 /* tells the browser what it may load */
  bool stream;                  /* events, until the client goes */
  orr_id followed;              /* only events of this instance; 0: all */
  bool close;                   /* the connection ends with it */
  bool challenge;               /* 401: says how to log in */

  /* Its way through the pool. */
  struct request *next;         /* in a queue of the pool, or of the loop */
  void (*work)(struct request *q); /* what the pool does with it */
  bool conflict;                /* it lost a race: nothing was done */
  atomic_int parts_left;        /* that its answer waits for: its command, and the deferred commit */
  orr_error lost;               /* why the commit failed */
  bool waits;                   /* its commit is not deferred */
  struct parked *parked;        /* parked.h: a poll that waits */
  bool woken;                   /* it waited, and is being tried again */
  orr_id *locked;               /* locked by a fetch, until the client has the answer */
  size_t n_locked;
} request;

/* A request of a connection, before its head is read. NULL: out of memory. */
request *request_new(connection *from, const char *uri);
/* With all that it keeps. NULL is fine. */
void request_free(request *q);
/* Frees the values of its answer, so that a waiting request holds no more than its question. */
void request_settle(request *q);
/* Forgets its answer, to try again. */
void request_again(request *q);

/* Splits the URI into path and arguments, decoded. False: it is malformed. */
bool request_split(request *q, char **path);
/* Cuts the path at its slashes and decodes each segment. Returns their number; -1: more than
 * `max`. */
int request_segments(char *path, char **segments, int max);
/* The value of an argument of the query string; NULL: it is not given. */
const char *request_argument(const request *q, const char *name);
/* Does the user have one of these roles? Without --auth everybody has all. */
bool request_may(const request *q, unsigned roles);
/* Is it "true"? */
bool request_flag(const request *q, const char *name);
/* Texts that last as long as the request; NULL: it has failed. */
char *request_copy(request *q, const char *text);
/* The same, formatted. */
char *request_printf(request *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A builder that lasts as long as the request; NULL: it has failed. */
orr_builder *request_builder(request *q);
/* Memory of one subject until the request is answered: `size` bytes, zeroed at the first call.
 * `drop` frees what they hold; a function of the subject, which tells its memory from others'.
 * NULL: the request has failed. */
void *request_note(request *q, size_t size, void (*drop)(void *note));
/* Appends to the body; false: out of memory. The caller checks its bound. */
bool request_body_add(request *q, const char *data, size_t size);

/* Ends the request with an error in Camunda's shape; returns `status`. */
int request_fail(request *q, int status, const char *type, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same for a mistake in the request itself: 400, InvalidRequestException. */
int request_refuse(request *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same when memory is out: 503. */
int request_fail_memory(request *q);
/* The same for an error of the engine, which it clears. */
int request_fail_engine(request *q, orr_error *err);
/* Does what the request itself names not exist? Otherwise a not_found comes from a delegate or
 * listener that the request has set off. */
bool request_lacks(const orr_error *err);
/* Did the error arise in the process, and not in the command? It then says at which activity. */
bool request_raised_inside(const orr_error *err);
/* As request_fail_engine, where Camunda names the missing thing: `missing` (with %s for `id`) is
 * the message with `status` if request_lacks. */
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
/* The id in the path. Text that is no id stands for an id that does not exist. */
orr_id request_id(const request *q);

#endif
