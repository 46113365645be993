/* The thread that answers. */
#include "executor/owner/thread_reporter.h"

#include <errno.h>
#include <string.h>

#include "base/builder.h"
#include "base/error.h"
#include "base/value.h"
#include "executor/worker/thread_table.h"

/* How long the executor's threads may take to answer; who asks waits for longer. */
#define ASKED_WAIT_SECONDS 0.5

struct thread_reporter {
  orr_engine *engine;
  store_questions *questions;
  pthread_t thread;
};

static void send_value(const thread_reporter *a, const orr_value *value) {
  const orr_allocator *allocator = &a->engine->env.allocator;
  size_t size = value_encoded_size(value);
  uint8_t *bytes = size <= STORE_ANSWER_MAX ? env_alloc(allocator, size) : NULL;
  if (!bytes) return;
  value_encode(bytes, value);
  store_questions_answer(a->questions, bytes, size);
  env_free(allocator, bytes, size);
}

/* Who gets no answer lists this process as one that does not answer. What looking at the store has opened for this thread is
 * closed: a script state would lie idle. */
static void answer_asker(const thread_reporter *a) {
  orr_error err = {0};
  orr_value value;
  orr_builder *b = builder_new(&a->engine->env.allocator);
  int rc = b ? thread_table_tell(a->engine, ASKED_WAIT_SECONDS, b, &err) : error_memory(&err);
  if (!rc) rc = orr_builder_value(b, &value, &err);
  if (!rc) send_value(a, &value);
  else engine_log(a->engine, ORR_LOG_WARNING, NULL, "what the threads are at could not be told: %s",
                  err.message ? err.message : "");
  orr_error_clear(&err);
  orr_builder_free(b);
  engine_thread_close(a->engine);
}

static void *reporter_main(void *arg) {
  const thread_reporter *a = arg;
  env_name_thread("orr-reporter");
  while (store_questions_wait(a->questions)) answer_asker(a);
  return NULL;
}

static void tell_unanswerable(orr_engine *engine, const char *why) {
  engine_log(engine, ORR_LOG_WARNING, NULL, "other processes cannot ask what the threads of this one are at: %s", why);
}

thread_reporter *thread_reporter_open(orr_engine *engine, const char *owner) {
  orr_error err = {0};
  const orr_allocator *allocator = &engine->env.allocator;
  store_questions *questions = store_questions_open(engine->store, owner, &err);
  if (err.code) tell_unanswerable(engine, err.message ? err.message : orr_strerror(err.code));
  orr_error_clear(&err);
  thread_reporter *a = questions ? env_alloc(allocator, sizeof *a) : NULL;
  if (a) *a = (thread_reporter){.engine = engine, .questions = questions};
  int rc = a ? pthread_create(&a->thread, NULL, reporter_main, a) : ENOMEM;
  if (a && !rc) return a;
  if (questions) tell_unanswerable(engine, strerror(rc));
  store_questions_close(questions);
  env_free(allocator, a, sizeof *a);
  return NULL;
}

void thread_reporter_close(thread_reporter *a) {
  if (!a) return;
  store_questions_end(a->questions);
  pthread_join(a->thread, NULL);
  store_questions_close(a->questions);
  env_free(&a->engine->env.allocator, a, sizeof *a);
}

int thread_reporter_read(const void *bytes, size_t size, orr_value *out) {
  const uint8_t *at = bytes, *end = at + size;
  int rc = value_decode(&at, end, out);
  if (!rc && (at != end || out->type != ORR_MAP)) rc = ORR_E_STORE;
  return rc ? rc : value_validate(out, 0);
}
