/* A game in C whose quests are process instances: a loop of sixty frames a second, saving, loading,
 * and rules that change while it runs. It plays a scripted session and prints what its frames took.
 *
 *   game FOLDER        with quest.bpmn, rules.so and richer.so here, and FOLDER for the games
 *   game FOLDER fast   the same without waiting for the next frame; game time goes by frames */
#include <dlfcn.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  FRAMES_A_SECOND = 60,
  RULES_EVERY = 30,   /* frames from one look at the rules' file to the next */
  FRAMES_MAX = 10000, /* a game that has not ended by then hangs */
  HEROES = 100
};
static const double ENGINE_BUDGET_MS = 4; /* of a frame, that the engine may take */
static const char RULES[] = "./rules.so";

typedef struct game {
  orr_engine *engine;
  orr_builder *builder; /* for one value at a time */
  orr_time began;
  int frames, reloads;
  bool fast;
  void *rules; /* of dlopen */
  struct timespec rules_changed, next_frame;
  double frame_ms[FRAMES_MAX];
} game;

static void check(int rc, const char *doing, orr_error *err) {
  if (!rc) return;
  fprintf(stderr, "game: %s: %s\n", doing, err->message ? err->message : orr_strerror(rc));
  exit(1);
}

/* A value of JSON, until the next one. */
static orr_value value_of(game *g, const char *json) {
  orr_error err = {0};
  orr_value value;
  orr_builder_reset(g->builder);
  int rc = orr_builder_json(g->builder, json, &err);
  if (!rc) rc = orr_builder_value(g->builder, &value, &err);
  check(rc, json, &err);
  return value;
}

static int64_t count(game *g, const char *verb, const char *filter) {
  orr_error err = {0};
  int64_t n = 0;
  orr_value value = value_of(g, filter);
  check(orr_engine_count(g->engine, verb, &value, &n, &err), verb, &err);
  return n;
}

static int64_t running(game *g) { return count(g, "instances", "{\"key\": \"quest\"}"); }
static int64_t beaten(game *g) {
  return count(g, "history_instances", "{\"end_activity\": \"beaten\"}");
}

static int64_t gold(game *g) {
  orr_error err = {0};
  orr_records *found = NULL;
  int64_t sum = 0;
  orr_value filter = value_of(g, "{\"name\": \"gold\"}");
  check(orr_engine_list(g->engine, "history_variables", &filter, &found, &err), "counting gold",
        &err);
  for (size_t i = 0; i < orr_records_count(found); i++)
    sum += orr_records_get(found, i, "value").as.integer;
  orr_records_free(found);
  return sum;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static void register_rule(game *g, void *library, const char *name) {
  orr_error err = {0};
  orr_delegate_fn fn;
  void *symbol = dlsym(library, name);
  memcpy(&fn, &symbol, sizeof fn); /* C has no cast from a pointer to a function */
  check(orr_engine_delegate_register(g->engine, name, symbol ? fn : NULL, g, &err), name, &err);
}

/* Takes the rules when their file is another than before; running quests go on with them. Rules
 * that cannot be loaded leave the old ones in place. The copy has a name of its own, since dlopen
 * takes one name for one library. */
static void reload(game *g) {
  struct stat info;
  char copy[64];
  if (stat(RULES, &info) || !memcmp(&info.st_mtim, &g->rules_changed, sizeof info.st_mtim)) return;
  g->rules_changed = info.st_mtim;
  snprintf(copy, sizeof copy, "./rules.%ld.%d.so", (long)getpid(), g->reloads);
  void *library = link(RULES, copy) ? NULL : dlopen(copy, RTLD_NOW | RTLD_LOCAL);
  unlink(copy);
  if (!library) {
    fprintf(stderr, "game: the rules stay as they are: %s\n", dlerror());
    return;
  }
  register_rule(g, library, "wake");
  register_rule(g, library, "reward");
  if (g->rules)
    dlclose(g->rules); /* delegates run within frames alone, so none of it is on the stack */
  g->rules = library;
  g->reloads++;
}

/* What a designer does while the game runs: new rules come in one step, never half written. */
static void change_rules(const char *to) {
  unlink("rules.new");
  if (link(to, "rules.new") || rename("rules.new", RULES)) exit((perror(to), 1));
}

/* ---- A game ---------------------------------------------------------------------------------- */

/* Only frames move the clock: a paused game pauses its quests. `now`: where a saved game goes on;
 * 0: a new one. */
static void open_game(game *g, const char *store, orr_time now) {
  orr_error err = {0};
  orr_value model;
  orr_config config;
  orr_config_init(&config);
  config.path = store;
  config.manual_clock = true;
  config.now = now;
  config.volatile_commits = true; /* no frame waits for the disk; a power cut may cost moments */
  check(orr_engine_open(&config, &g->engine, &err), "opening", &err);
  g->builder = orr_builder_new();
  g->began = orr_engine_now(g->engine);
  int rc = orr_builder_resources(g->builder, "quest.bpmn", &err);
  if (!rc) rc = orr_builder_value(g->builder, &model, &err);
  orr_deploy_options options = {
      .size = sizeof options, .name = "quests", .filter_duplicates = "true"};
  if (!rc) rc = orr_engine_deploy(g->engine, &model, &options, NULL, &err);
  check(rc, "deploying", &err);
  reload(g);
}

static void close_game(game *g) {
  orr_builder_free(g->builder);
  orr_engine_close(g->engine);
  if (g->rules) dlclose(g->rules);
}

static void wait_for_frame(game *g) {
  if (!g->next_frame.tv_sec) clock_gettime(CLOCK_MONOTONIC, &g->next_frame);
  g->next_frame.tv_nsec += 1000000000 / FRAMES_A_SECOND;
  g->next_frame.tv_sec += g->next_frame.tv_nsec / 1000000000;
  g->next_frame.tv_nsec %= 1000000000;
  if (!g->fast) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &g->next_frame, NULL);
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* What a game does sixty times a second: all that is due, but no longer than the budget. */
static void frame(game *g) {
  orr_error err = {0};
  if (g->frames == FRAMES_MAX) exit((fprintf(stderr, "game: it does not come to its end\n"), 1));
  wait_for_frame(g);
  if (g->frames % RULES_EVERY == 0) reload(g);
  double began = now_ms();
  int rc =
      orr_engine_set_time(g->engine, g->began + (g->frames + 1) * 1000LL / FRAMES_A_SECOND, &err);
  if (!rc) rc = orr_engine_poll(g->engine, ENGINE_BUDGET_MS, NULL, &err);
  check(rc, "a frame", &err);
  g->frame_ms[g->frames++] = now_ms() - began;
}

static void accept_quest(game *g, int hero) {
  orr_error err = {0};
  char key[32];
  snprintf(key, sizeof key, "hero-%d", hero);
  orr_start_options options = {.size = sizeof options, .key = "quest", .business_key = key};
  check(orr_engine_instance_start(g->engine, &options, NULL, &err), "a quest", &err);
}

/* A blow that beats the dragon of a hero. False: it sleeps. */
static bool hit(game *g, int hero) {
  orr_error err = {0};
  orr_value receivers;
  char key[32];
  snprintf(key, sizeof key, "hero-%d", hero);
  orr_message_options options = {.size = sizeof options, .business_key = key, .all = true};
  orr_builder_reset(g->builder);
  int rc = orr_engine_message(g->engine, "dragon hit", &options, g->builder, &err);
  if (!rc) rc = orr_builder_value(g->builder, &receivers, &err);
  check(rc, "a blow", &err);
  return orr_count(&receivers) > 0;
}

/* Heroes strike as soon as their dragons are awake; their rewards are waited for. */
static void strike(game *g, int first, int last) {
  int64_t goal = beaten(g) + last - first + 1;
  for (int hero = first; hero <= last; hero++)
    while (!hit(g, hero)) frame(g);
  while (beaten(g) < goal) frame(g);
}

static int by_length(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void finish(game *g) {
  while (running(g) > 0) frame(g); /* the other dragons go at dawn */
  printf("%lld dragons beaten, %lld gold\n", (long long)beaten(g), (long long)gold(g));
  qsort(g->frame_ms, (size_t)g->frames, sizeof *g->frame_ms, by_length);
  printf("%d frames: half took under %.2f ms, 99 of 100 under %.2f ms, the longest %.2f ms\n",
         g->frames, g->frame_ms[g->frames / 2], g->frame_ms[g->frames * 99 / 100],
         g->frame_ms[g->frames - 1]);
}

int main(int argc, char **argv) {
  static game first, second;
  char played[4096], saved[4096];
  orr_error err = {0};
  if (argc < 2) return fprintf(stderr, "game FOLDER [fast]\n"), 2;
  first.fast = second.fast = argc > 2;
  snprintf(played, sizeof played, "%s/game", argv[1]);
  snprintf(saved, sizeof saved, "%s/saved", argv[1]);
  open_game(&first, played, 0);
  for (int hero = 1; hero <= HEROES; hero++) accept_quest(&first, hero);
  strike(&first, 1, 10);
  orr_time saved_at = orr_engine_now(first.engine);
  check(orr_engine_copy_to(first.engine, saved, NULL, &err), "saving", &err);
  printf("saved with %lld quests running\n", (long long)running(&first));
  strike(&first, 11, 50);
  finish(&first);
  close_game(&first);
  open_game(&second, saved, saved_at);
  printf("loaded with %lld quests running\n", (long long)running(&second));
  change_rules("richer.so");
  while (second.reloads < 2) frame(&second);
  strike(&second, 11, 20);
  finish(&second);
  close_game(&second);
  return 0;
}
