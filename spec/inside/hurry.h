/* A monotonic clock that can be made to hurry, for what waits for others by it. */
#ifndef ORR_INSIDE_HURRY_H
#define ORR_INSIDE_HURRY_H

#include <lua.h>
#include <stdint.h>

/* For orr_env. */
int64_t hurry_mono_ns(void *ud);
/* hurry(ms): from here on each look at the clock finds so much more time gone; 0: no more */
int hurry_by(lua_State *L);

#endif
