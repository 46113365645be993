/* Every bound of the runtime, with its reason. Specs in spec/limit meet them. */
#ifndef ORR_LIMITS_H
#define ORR_LIMITS_H

/* LMDB keys hold at most 511 bytes; ids, names and variable names stay far below, with room for a key's fixed part. */
#define ORR_ID_BYTES_MAX 255
#define ORR_NAME_BYTES_MAX 255

/* An index row holds at most this much of a text; longer texts are cut and followed by a 64-bit hash of the whole. */
#define ORR_INDEX_TEXT_BYTES 96

/* Ids: 40 bits of group (an instance or a definition), 23 bits of record within it; runtime/record/records.lua says how
 * they are made. */
#define ORR_LOCAL_BITS 23
#define ORR_LOCAL_MAX ((1u << ORR_LOCAL_BITS) - 1)
#define ORR_GROUP_MAX ((UINT64_C(1) << 40) - 1)

/* Groups are taken from the store in blocks, so that an id costs no commit of its own. */
#define ORR_GROUP_BLOCK 4096

/* Definition graphs kept in memory: some 100 kB each at most, rebuilt from the store when they are needed again. */
#define ORR_DEFINITIONS_MAX 1000

/* XML: measured over 5,732 models of two peers: depth <= 10, 1,465 elements, 17 attributes on an element, 121 kB. */
#define ORR_XML_BYTES_MAX (10 * 1024 * 1024)
#define ORR_XML_DEPTH_MAX 64
#define ORR_XML_ELEMENTS_MAX 200000
#define ORR_XML_ATTRIBUTES_MAX 256
#define ORR_XML_ATTRIBUTE_BYTES_MAX (64 * 1024)
#define ORR_XML_TEXT_BYTES_MAX (1024 * 1024)

/* Files of several processes whose graphs are kept once they were parsed, and their texts: two of the
 * largest in any case, which who goes from one version to the next goes to and fro between. */
#define ORR_PARSED_FILES_MAX 16
#define ORR_PARSED_BYTES_MAX (2 * (size_t)ORR_XML_BYTES_MAX)

/* Problems of a deployment that are told: more is nobody's list to work through. Of those that say the same of different
 * things fewer, so that they leave room for others; the last tells how many more there are. */
#define ORR_PROBLEMS_MAX 100
#define ORR_PROBLEMS_OF_KIND_MAX 25

/* A script is text of at most this size; bytecode is never loaded. */
#define ORR_SCRIPT_BYTES_MAX (256 * 1024)

/* Values nest at most this deep; encoders and decoders recurse. */
#define ORR_VALUE_DEPTH_MAX 64
#define ORR_VALUE_BYTES_MAX (64 * 1024 * 1024)

/* What an archive of resources holds at most: it is unpacked in memory, and a small one can unpack to anything. */
#define ORR_ARCHIVE_FILES_MAX 10000
#define ORR_ARCHIVE_BYTES_MAX (256 * 1024 * 1024)

/* Expressions nest at most this deep; the compiler recurses. */
#define ORR_EXPRESSION_DEPTH_MAX 100

/* Entries of a context that is written out: each is in scope for those behind it, and compared with them. */
#define ORR_FEEL_ENTRIES_MAX 1000

/* FEEL at run time. A decision is no program: what iterates, or grows, beyond this is a mistake, and would hold
 * its worker. */
#define ORR_FEEL_ITERATIONS_MAX 1000000
#define ORR_FEEL_LIST_MAX 1000000
/* Items that filters and functions look at while something repeats, all together: about a second. */
#define ORR_FEEL_WORK_MAX 5000000
#define ORR_FEEL_TEXT_BYTES_MAX (16 * 1024 * 1024)
/* Functions that call themselves; Lua's own stack would hold some 10,000 of their calls. */
#define ORR_FEEL_CALLS_MAX 1000
/* Of one search of a regular expression: a tenth of a second, and what backtracking may keep meanwhile. */
#define ORR_FEEL_REGEX_STEPS_MAX 1000000
#define ORR_FEEL_REGEX_HEAP_KIB_MAX 16384
/* Diagnostics that one evaluation keeps: a loop may give one an iteration. */
#define ORR_FEEL_DIAGNOSTICS_MAX 100

/* What one transaction may do by itself, unless the engine's options say otherwise (state/bounds.h): far more than a
 * process needs between two wait states, and reached by an endless loop in seconds. */
#define ORR_STEPS_MAX 1000000
#define ORR_TRANSACTION_BYTES_MAX (256 * 1024 * 1024)
#define ORR_TOKENS_MAX 100000

/* A process that calls itself without end stops here. */
#define ORR_CALL_DEPTH_MAX 100

/* Conflicts in a row before a job's conflict becomes an incident, or a command that is done anew gives up. */
#define ORR_CONFLICTS_MAX 50

/* A service that answers with a Retry-After gets no more than a day: a wrong number there would park the job for ever. */
#define ORR_RETRY_ASKED_MAX_MS (24 * INT64_C(3600000))

/* A view of the store that newer commits have left behind for so long is logged: checking or copying a large store takes
 * as long, a view that leaked is held for ever. */
#define ORR_VIEW_LONG_MS 10000

/* A job that took its process down this often is not tried again. */
#define ORR_CRASHES_MAX 3

/* Threads that an executor starts in place of those whose delegates are in C beyond their time limit: each takes a few MB,
 * and more of them than this are a service that is down, not a slow call. */
#define ORR_THREADS_REPLACED_MAX 8

/* Inner instances of one multi-instance activity. */
#define ORR_MULTI_INSTANCE_MAX 100000

/* Decisions. What one requires, and what a function takes, becomes locals of a Lua function, which has 200; the others
 * bound the recursion of the compiler and of what it writes, and what a mistake may cost. */
#define ORR_DECISION_REQUIREMENTS_MAX 100
#define ORR_DECISION_PARAMETERS_MAX 100
#define ORR_DECISION_DEPTH_MAX 1000
#define ORR_DECISION_IMPORTS_MAX 100
#define ORR_DECISION_COLUMNS_MAX 50
#define ORR_DECISION_NAMES_MAX 160
#define ORR_DECISION_RULES_MAX 30000

/* Users, and groups, whom commands name as who may start a definition: they lie in its record, which each start reads. */
#define ORR_STARTERS_MAX 1000

/* Subtasks of subtasks: they are removed with their parents, by recursion; people's lists are a few deep. */
#define ORR_TASK_DEPTH_MAX 32

/* A comment is a text that people read; documents are attachments. */
#define ORR_COMMENT_BYTES_MAX (64 * 1024)

/* What the log of users' operations keeps of an old or new value: enough to know it again; variables may be megabytes. */
#define ORR_OPERATION_VALUE_BYTES_MAX 4000

/* Changes that a feed of everything tells one by one; beyond, whoever follows looks at everything again. */
#define ORR_FEED_CHANGES_MAX 256

/* Longest message an error keeps. */
#define ORR_ERROR_MESSAGE_MAX 1000

/* Calls to the world outside. Names of hosts: RFC 1035. Headers: Apache refuses 8 kB a line, nginx 32 kB in all; cookies
 * and tokens stay below this. A server that asks to come again later than this is left to the job's own retries. */
#define ORR_NET_HOST_BYTES_MAX 255
#define ORR_NET_HEADERS_BYTES_MAX (64 * 1024)
#define ORR_NET_RETRY_AFTER_MS_MAX 5000
/* The first pause before a request whose connection broke is repeated; each further one is twice as long. */
#define ORR_NET_RETRY_PAUSE_MS 50
/* What a process that is told to end may still take before it is killed. */
#define ORR_NET_KILL_MS 2000

/* Conditions of one filter, those inside any, all and none included, and how deep these nest: a program that asks for more
 * has mistaken a list for a search engine. */
#define ORR_FILTER_CONDITIONS_MAX 256
#define ORR_FILTER_DEPTH_MAX 8

/* Batches. Things of one seed's jobs: the commit that makes them takes some 10 ms. How often a monitor looks whether the last
 * jobs are done, where these did not see it themselves: Camunda's interval. */
#define ORR_BATCH_PART_MAX 10000
#define ORR_BATCH_MONITOR_MS 30000
/* How soon a look that has seen the last jobs at work is followed by another; twice as long each time. */
#define ORR_BATCH_LOOK_MS 50

/* Fields of a form, and values of an enum: each id is compared with all others. */
#define ORR_FORM_FIELDS_MAX 1000
#define ORR_FORM_CHOICES_MAX 5000

/* Folders in folders of a deployment from the disk: a link that leads back ends here. */
#define ORR_FOLDER_DEPTH_MAX 16

#endif
