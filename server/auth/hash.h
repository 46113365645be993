/* Hashes of passwords and tokens, and comparing secrets. */
#ifndef SERVER_HASH_H
#define SERVER_HASH_H

#include <stdbool.h>

/* A hash of a password or token, as the file of users keeps it (crypt(3)); malloc'd, or NULL. */
char *auth_hash(const char *secret, bool token);
/* Are two secrets the same? Takes a time that does not tell how much of them is equal. */
bool secrets_equal(const char *a, const char *b);

#endif
