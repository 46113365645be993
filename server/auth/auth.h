/* Who may do what. A file of users and tokens, one in a line:
 *
 *     user NAME ROLE[,ROLE…] HASH [GROUP[,GROUP…]]
 *     token NAME ROLE[,ROLE…] HASH
 *
 * Hashes are crypt(3)'s. Verifying one is made to cost time, so each waits for its turn (checks.h),
 * and what was verified is remembered for a while. Roles: read, worker (external tasks), operate
 * (reads, and changes what runs), deploy (reads, and brings code),
 * task (acts on one's own tasks: people.h). */
#ifndef SERVER_AUTH_H
#define SERVER_AUTH_H

#include "server/transport/request.h"

typedef struct auth auth;

struct account {
  char *name, *hash, *groups;
  unsigned roles;       /* of enum role */
  bool token;
};

typedef enum auth_answer { AUTH_KNOWN, AUTH_ASK } auth_answer;

/* NULL with err: the file cannot be read, or a line of it is wrong. */
auth *auth_open(const char *path, orr_error *err);
/* Frees it; NULL is fine. */
void auth_close(auth *a);
/* Looks at what the client shows: an Authorization header (or NULL), or the cookie of a session;
 * `xsrf` is its X-XSRF-TOKEN. A browser is not told to ask for a password itself. AUTH_ASK: the
 * caller suspends the connection and calls auth_ask; else the user is known, or the request has
 * failed. */
auth_answer auth_begin(request *q, const char *header, const char *xsrf, bool browser);
/* Has the credentials looked up and wiped when it is their turn, and the request go on. */
void auth_ask(request *q);
/* For a handler on the loop's thread: calls then(q, user) once it is known whose this name and password are, NULL:
 * nobody's, on a thread of the pool; what it answers goes out. The texts are the request's. Returns
 * REQUEST_PARKED. */
int auth_login(request *q, const char *name, const char *password,
               int (*then)(request *q, const account *is));
/* May the user do what the request asks for? Else it fails. */
void auth_permit(request *q);
/* The users of the file, for GET /user: index from 0; NULL at the end. Tokens are not users. */
const account *auth_user(const auth *a, size_t index);

#endif
