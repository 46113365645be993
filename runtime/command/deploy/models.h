/* The models among the resources of a deployment: parsed, with all problems that they have
 * together. */
#ifndef ORR_MODELS_H
#define ORR_MODELS_H

#include "command/frame.h"
#include "decision/dmn/dmn.h"
#include "model/parse/parse.h"

typedef struct parsed_decisions { /* of one DMN resource */
  struct parsed_decisions *next;
  const char *resource;
  dmn_compiled compiled;
} parsed_decisions;

typedef struct parsed_models {
  definition **items; /* in the order of resources and processes; each with one reference */
  uint32_t count, capacity;
  parsed_decisions *decisions, *last_decisions;
  problems problems;
} parsed_models;

/* Does a deployment take a resource of this name for a BPMN model? */
bool resource_is_model(const char *name, size_t size);
/* Does it take it for Lua text? */
bool resource_is_module(const char *name, size_t size);

/* Parses the models of a map of resources. Problems are no failure: see out->problems.errors. The
 * caller ends with models_release. */
int models_parse(context *c, const orr_value *resources, parsed_models *out);
/* Releases the graphs; the list is empty then. */
void models_release(parsed_models *models);

/* The problems, or only the warnings, as an array of maps. */
void problems_put(problems *all, bool warnings_only, orr_builder *out);
/* Fails with ORR_E_DEPLOYMENT, with the problems as a detail. */
int models_refuse(context *c, parsed_models *models);

#endif
