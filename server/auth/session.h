/* Sessions of the page: a cookie that scripts cannot read, and beside it a token that every request which changes something
 * must show, which a page of another site cannot know. */
#ifndef SERVER_SESSION_H
#define SERVER_SESSION_H

#include "server/transport/request.h"

enum { SESSIONS_MAX = 1000, SESSION_IDLE_SECONDS = 3600, SESSION_SECONDS = 12 * 3600, SESSION_TOKEN = 33 };

typedef struct sessions sessions;

sessions *sessions_open(void);      /* NULL: out of memory */
void sessions_close(sessions *all); /* NULL is fine */
/* Begins one; its two tokens are written to `id` and `xsrf`. False: there is no randomness. The one that was idle for longest
 * makes room. */
bool session_begin(sessions *all, const account *is, char id[SESSION_TOKEN], char xsrf[SESSION_TOKEN]);
/* Whose session the Cookie header shows; NULL: nobody's. `xsrf` is its second token. */
const account *session_of(sessions *all, const char *cookies, char xsrf[SESSION_TOKEN]);
/* Ends the session that the Cookie header shows; nothing when there is none. */
void session_end(sessions *all, const char *cookies);

#endif
