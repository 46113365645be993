/* Records as objects in the shapes of the contract. */
#ifndef SERVER_MAPPING_DTO_H
#define SERVER_MAPPING_DTO_H

#include "server/transport/request.h"

/* Is a switch on, in the query string or in the body of a query? */
bool rest_asked(const request *q, const char *name);
/* Is it a row of a list, which was read with all that the table says its rows need? */
bool dto_is_listed(const row *r);
/* Writes a record as the object of that shape. */
void dto_write(request *q, const dto *shape, const orr_records *records, size_t index);
/* The members alone, of an object that the caller opened. */
void dto_write_fields(request *q, const dto *shape, const orr_records *records, size_t index);
/* Milliseconds of a time as lists give it, in seconds; 0 for another value. */
orr_time time_of_value(const orr_value *seconds);

#endif
