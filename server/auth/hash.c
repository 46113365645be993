/* Hashes of passwords and tokens, and comparing secrets. */
#include "server/auth/hash.h"

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

char *auth_hash(const char *secret, bool token) {
  char setting[CRYPT_GENSALT_OUTPUT_SIZE];
  struct crypt_data *data = calloc(1, sizeof *data);
  /* A token is as long as a key: nothing is gained by making its hash slow. */
  char *made = crypt_gensalt_rn(token ? "$5$" : "$y$", token ? 1000 : 0, NULL, 0, setting, sizeof setting);
  char *hash = data && made ? crypt_r(secret, setting, data) : NULL;
  char *copy = hash && hash[0] == '$' ? strdup(hash) : NULL;
  free(data);
  return copy;
}

bool secrets_equal(const char *a, const char *b) {
  size_t na = strlen(a), nb = strlen(b);
  unsigned char differs = na != nb;
  for (size_t i = 0; i < na; i++) differs |= (unsigned char)(a[i] ^ b[nb ? i % nb : 0]);
  return differs == 0;
}
