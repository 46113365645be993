/* Checks of passwords and tokens. Each is made to cost time, so few run at once, and the others
 * wait for their turn: addresses in turn, and the users that one address asks for in turn. Who
 * tries wrong passwords waits behind itself; all unknown names are one user. */
#ifndef SERVER_CHECKS_H
#define SERVER_CHECKS_H

#include "server/transport/request.h"

typedef struct checks checks;

enum { CHECKS_AT_ONCE = 2 }; /* floods of wrong passwords do not take the machine */

/* NULL: out of memory. For checks_free. */
checks *checks_new(server *s);
/* NULL is fine; nothing must wait. */
void checks_free(checks *all);
/* Has a thread of the pool call work(q) when it is its turn, which ends with checks_done. `whose`:
 * the user whose password it is; NULL: nobody's. Without memory, or when the server ends, the
 * request is answered at once. Any thread; the request is another's by the time that this returns.
 */
void checks_wait(checks *all, request *q, const account *whose, void (*work)(request *q));
/* A check is over: the next one has its turn. */
void checks_done(checks *all);
/* Refuses those that wait, and all that come. NULL is fine. */
void checks_end(checks *all);

#endif
