/* Dates as a form shows them: patterns of Java's SimpleDateFormat, such as "dd/MM/yyyy" or "yyyy-
 * MM-dd'T'HH:mm". Of its letters y M d H h a m s S X and Z are known; MMM and MMMM are English
 * names of months. */
#ifndef ORR_DATE_PATTERN_H
#define ORR_DATE_PATTERN_H

#include "base/error.h"
#include "time/zone.h"

/* The longest text that a pattern of DATE_PATTERN_MAX bytes can write, and the zero byte. */
#define DATE_PATTERN_MAX 64
#define DATE_PATTERN_TEXT (DATE_PATTERN_MAX * 9 + 1)

/* Can dates be read and written by this pattern? ORR_E_ARGUMENT says what in it is wrong. */
int date_pattern_check(const char *pattern, orr_error *err);
/* Reads a date by a pattern that was checked: the whole text, strictly. What the pattern does not
 * tell is that of 1970-01-01T00:00, and without a zone of its own the text is meant by the clocks
 * of `zone`. ORR_E_ARGUMENT: the text is no such date. */
int date_pattern_parse(const char *pattern, const char *text, size_t size, const orr_zone *zone,
                       orr_time *out, orr_error *err);
/* Writes a time by the clocks of `zone`. */
void date_pattern_format(const char *pattern, orr_time time, const orr_zone *zone,
                         char out[DATE_PATTERN_TEXT]);

#endif
