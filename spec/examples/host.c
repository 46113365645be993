/* A game as a host: quests in a store of its own, delegates in C on three threads, heroes on four others. It prints how many
 * dragons woke and what was paid, so that install_spec.lua knows whether all of it came about. */
#include <orrery.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { HEROES = 4, QUESTS = 25, HITS = 2, NIGHTFALL_MS = 2000, PATIENCE_MS = 60000 };

struct world {
  orr_engine *engine;
  atomic_int awake, paid, failed;
};

struct hero {
  struct world *world;
  int first;
};

static int wake(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  struct world *w = ud;
  orr_value yes = orr_bool(true);
  (void)result;
  atomic_fetch_add(&w->awake, 1);
  return orr_execution_set(execution, "awake", &yes, ORR_VISIBLE, err);
}

static int reward(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  struct world *w = ud;
  orr_value hits;
  (void)result;
  int rc = orr_execution_get(execution, "hits", ORR_VISIBLE, &hits, err);
  if (!rc) atomic_fetch_add(&w->paid, (int)hits.as.integer);
  return rc;
}

static void *accept(void *ud) {
  struct hero *h = ud;
  for (int i = 0; i < QUESTS; i++) {
    char key[32];
    orr_records *started = NULL;
    snprintf(key, sizeof key, "quest-%d", h->first + i);
    orr_start_options options = {.size = sizeof options, .key = "quest", .business_key = key};
    if (orr_engine_instance_start(h->world->engine, &options, &started, NULL)) atomic_fetch_add(&h->world->failed, 1);
    orr_records_free(started);
  }
  return NULL;
}

/* Nobody asks for what a message gives: its receivers go to no builder. */
static int hit(orr_engine *engine, const orr_value *variables, orr_error *err) {
  int rc = 0;
  for (int i = 0; !rc && i < HEROES * QUESTS; i++) {
    char key[32];
    snprintf(key, sizeof key, "quest-%d", i);
    orr_message_options options = {.size = sizeof options, .business_key = key, .variables = variables};
    rc = orr_engine_message(engine, "dragon hit", &options, NULL, err);
  }
  return rc;
}

static void heroes(struct world *w) {
  pthread_t threads[HEROES];
  struct hero all[HEROES];
  for (int i = 0; i < HEROES; i++) all[i] = (struct hero){w, i * QUESTS};
  for (int i = 0; i < HEROES; i++)
    if (pthread_create(&threads[i], NULL, accept, &all[i])) threads[i] = 0, atomic_fetch_add(&w->failed, 1);
  for (int i = 0; i < HEROES; i++)
    if (threads[i]) pthread_join(threads[i], NULL);
}

static int deploy(struct world *w, const char *model, orr_builder *b, orr_error *err) {
  orr_value resources;
  orr_records *deployed = NULL;
  int rc = orr_engine_delegate_register(w->engine, "wake", wake, w, err);
  if (!rc) rc = orr_engine_delegate_register(w->engine, "reward", reward, w, err);
  if (!rc) rc = orr_builder_resources(b, model, err);
  if (!rc) rc = orr_builder_value(b, &resources, err);
  if (!rc) rc = orr_engine_deploy(w->engine, &resources, NULL, &deployed, err);
  orr_records_free(deployed);
  return rc;
}

static int play(struct world *w, orr_builder *b, orr_error *err) {
  orr_executor_options executor = {.size = sizeof executor, .threads = 3};
  orr_value variables;
  bool idle;
  int rc = orr_engine_executor_start(w->engine, &executor, err);
  if (!rc) heroes(w);
  if (!rc) rc = orr_engine_set_time(w->engine, orr_engine_now(w->engine) + NIGHTFALL_MS, err);
  if (!rc) rc = orr_engine_wait_idle(w->engine, PATIENCE_MS, &idle, err);
  orr_builder_reset(b);
  orr_builder_map(b);
  orr_builder_put(b, "hits", orr_int(HITS));
  orr_builder_end(b);
  if (!rc) rc = orr_builder_value(b, &variables, err);
  if (!rc) rc = hit(w->engine, &variables, err);
  if (!rc) rc = orr_engine_wait_idle(w->engine, PATIENCE_MS, &idle, err);
  return rc;
}

int main(int argc, char **argv) {
  struct world w = {0};
  orr_error err = {0};
  orr_config config;
  orr_config_init(&config);
  config.path = argc > 2 ? argv[2] : NULL; /* none: a private store that goes with the engine */
  config.manual_clock = true;
  orr_builder *b = orr_builder_new();
  int rc = orr_engine_open(&config, &w.engine, &err);
  if (!rc) rc = deploy(&w, argv[1], b, &err);
  if (!rc) rc = play(&w, b, &err);
  if (rc) fprintf(stderr, "%s\n", err.message ? err.message : orr_strerror(rc));
  else printf("%d woke, %d paid, %d failed\n", w.awake, w.paid, w.failed);
  orr_error_clear(&err);
  orr_builder_free(b);
  orr_engine_close(w.engine);
  return rc ? 1 : 0;
}
