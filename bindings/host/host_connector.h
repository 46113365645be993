/* Inputs and outputs of connectors. */
#ifndef ORRERY_HOST_HOST_CONNECTOR_H
#define ORRERY_HOST_HOST_CONNECTOR_H

#include "bindings/host/host_types.h"

/* Pushes name -> value of a connector's inputs. */
void connector_push_inputs(lua_State *L, fiber *f, const implementation *run);
/* Pushes { { name, value }, … } of its outputs; their expressions see the names of the table at `names` first. */
void connector_push_outputs(lua_State *L, fiber *f, const implementation *run, int names);
/* Pushes what such a name means now, or returns false. */
bool connector_push_extra(lua_State *L, const fiber *f, const char *name);

#endif
