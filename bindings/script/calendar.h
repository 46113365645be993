/* The core's calendar for what is written in Lua: civil_days, civil_date and month_length of orrery.core. */
#ifndef ORRERY_CALENDAR_H
#define ORRERY_CALENDAR_H

#include <lauxlib.h>

extern const luaL_Reg calendar_functions[];

#endif
