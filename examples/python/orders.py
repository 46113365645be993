"""Embeds an engine by ctypes: a model with a condition, and a delegate in Python.

    python3 orders.py 120        loads liborrery-lua.so.1 as the system finds it, or the file that ORRERY_LIBRARY names
"""
import json
import os
import sys
from ctypes import (CDLL, CFUNCTYPE, POINTER, Structure, Union, byref, c_bool, c_char_p, c_double, c_int, c_int64,
                    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, create_string_buffer, sizeof, string_at)


class As(Union):
    _fields_ = [("integer", c_int64), ("number", c_double), ("bytes", c_void_p)]


class Value(Structure):
    _fields_ = [("type", c_uint16), ("declared", c_uint8), ("transient", c_bool), ("size", c_uint32), ("as_", As)]


class Error(Structure):
    _fields_ = [("code", c_int), ("line", c_int), ("file", c_char_p), ("message", c_char_p), ("traceback", c_char_p),
                ("details", c_void_p)]


class StartOptions(Structure):  # as far as it is used: what a shorter struct lacks is not given
    _fields_ = [("size", c_uint32), ("key", c_char_p), ("definition", c_uint64), ("message", c_char_p),
                ("version", c_int64), ("tenant", c_char_p), ("business_key", c_char_p), ("initiator", c_char_p),
                ("start_event", c_char_p), ("variables", POINTER(Value))]


Delegate = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, POINTER(Error))
orr = CDLL(os.environ.get("ORRERY_LIBRARY", "liborrery-lua.so.1"))
orr.orr_builder_new.restype = c_void_p
VISIBLE = 0


def call(name, *arguments):
    """A function that answers 0, or an error, which is raised."""
    err = Error()
    if getattr(orr, name)(*arguments, byref(err)) != 0:
        raise RuntimeError(err.message.decode())


def value_of(builder, tree):
    """A tree of Python's as a value, which is good until the builder's next one."""
    value = Value()
    orr.orr_builder_reset(builder)
    call("orr_builder_json", builder, json.dumps(tree).encode())
    call("orr_builder_value", builder, byref(value))
    return value


@Delegate
def greet(ud, execution, result, err):
    euros = Value()
    code = orr.orr_execution_get(c_void_p(execution), b"euros", VISIBLE, byref(euros), err)
    print("a large order:", euros.as_.integer, "euros")
    return code


builder = c_void_p(orr.orr_builder_new())
config, engine, records, text = create_string_buffer(4096), c_void_p(), c_void_p(), Value()
orr.orr_config_init(config)  # writes the library's own size of it: the buffer has only to be large enough
orr.orr_lua_use(config, None)
call("orr_engine_open", config, byref(engine))
call("orr_engine_delegate_register", engine, b"greet", greet, None)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "order.bpmn"), encoding="utf-8") as model:
    call("orr_engine_deploy", engine, byref(value_of(builder, {"order.bpmn": model.read()})), None, None)
variables = value_of(builder, {"euros": int(sys.argv[1] if len(sys.argv) > 1 else 120)})
options = StartOptions(size=sizeof(StartOptions), key=b"order", variables=POINTER(Value)(variables))
call("orr_engine_instance_start", engine, byref(options), None)
call("orr_engine_list", engine, b"tasks", None, byref(records))
orr.orr_builder_reset(builder)
call("orr_records_json", records, builder)
call("orr_builder_value", builder, byref(text))
for task in json.loads(string_at(text.as_.bytes, text.size)):
    print("a task:", task["name"])
orr.orr_records_free(records)
orr.orr_builder_free(builder)
orr.orr_engine_close(engine)
