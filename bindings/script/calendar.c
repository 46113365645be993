/* Days and dates of the proleptic Gregorian calendar. */
#include "bindings/script/calendar.h"

#include "time/iso8601.h"

/* Beyond everything that a date of FEEL can be; within it nothing overflows. */
#define YEARS_MOST INT64_C(1000000000000)
#define DAYS_MOST (YEARS_MOST * 366)

static int64_t check_year(lua_State *L, int index) {
  lua_Integer year = luaL_checkinteger(L, index);
  luaL_argcheck(L, year >= -YEARS_MOST && year <= YEARS_MOST, index, "no year of the calendar");
  return year;
}

static int check_month(lua_State *L, int index) {
  lua_Integer month = luaL_checkinteger(L, index);
  luaL_argcheck(L, month >= 1 && month <= 12, index, "no month");
  return (int)month;
}

/* civil_days(year, month, day) -> days since 1970-01-01 */
static int civil_days(lua_State *L) {
  int64_t year = check_year(L, 1);
  int month = check_month(L, 2);
  lua_Integer day = luaL_checkinteger(L, 3);
  luaL_argcheck(L, day >= 1 && day <= 31, 3, "no day of a month");
  lua_pushinteger(L, iso_days_from_civil(year, month, (int)day));
  return 1;
}

/* civil_date(days) -> year, month, day */
static int civil_date(lua_State *L) {
  lua_Integer days = luaL_checkinteger(L, 1);
  luaL_argcheck(L, days >= -DAYS_MOST && days <= DAYS_MOST, 1, "no day of the calendar");
  int64_t year;
  int month, day;
  iso_civil_from_days(days, &year, &month, &day);
  lua_pushinteger(L, year);
  lua_pushinteger(L, month);
  lua_pushinteger(L, day);
  return 3;
}

/* month_length(year, month) -> days */
static int month_length(lua_State *L) {
  int64_t year = check_year(L, 1);
  lua_pushinteger(L, iso_days_in_month(year, check_month(L, 2)));
  return 1;
}

const luaL_Reg calendar_functions[] = {{"civil_days", civil_days},
                                       {"civil_date", civil_date},
                                       {"month_length", month_length},
                                       {NULL, NULL}};
