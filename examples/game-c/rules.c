/* The rules: delegates in a library that the game loads again whenever it changes. */
#include <orrery.h>

#ifndef REWARD
#define REWARD 10
#endif

int wake(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  orr_value yes = orr_bool(true);
  (void)ud, (void)result;
  return orr_execution_set(execution, "awake", &yes, ORR_VISIBLE, err);
}

int reward(void *ud, orr_execution *execution, orr_builder *result, orr_error *err) {
  orr_value gold = orr_int(REWARD);
  (void)ud, (void)result;
  return orr_execution_set(execution, "gold", &gold, ORR_VISIBLE, err);
}
