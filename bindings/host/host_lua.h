/* The script host's inside, each part in the header of the file that has it; host_types.h says what a host is. */
#ifndef ORRERY_HOST_HOST_LUA_H
#define ORRERY_HOST_HOST_LUA_H

#include "bindings/host/host.h"
#include "bindings/host/host_code.h"
#include "bindings/host/host_connector.h"
#include "bindings/host/host_error.h"
#include "bindings/host/host_execution.h"
#include "bindings/host/host_log.h"
#include "bindings/host/host_names.h"
#include "bindings/host/host_thread.h"
#include "bindings/host/host_view.h"

#endif
