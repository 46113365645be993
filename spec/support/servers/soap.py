"""A web service by spyne, which judges each request by its own schema (validator: lxml). Argument: 11 or 12, the version of SOAP."""
import logging
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

logging.disable(logging.CRITICAL)

from spyne import (Application, Array, Boolean, ByteArray, ComplexModel, DateTime, Decimal, Double, Fault, Integer, Mandatory,  # noqa: E402
                   ServiceBase, String, Unicode, rpc)
from spyne.protocol.soap import Soap11, Soap12  # noqa: E402
from spyne.server.wsgi import WsgiApplication  # noqa: E402

NS = "http://webservice.flowable.org/"


class Line(ComplexModel):
    __namespace__ = NS
    article = Unicode(min_occurs=1, nillable=False)
    count = Integer(min_occurs=1, nillable=False)


class Order(ComplexModel):
    __namespace__ = NS
    id = Integer
    customer = Unicode
    price = Decimal
    weight = Double
    paid = Boolean
    placed = DateTime
    scan = ByteArray
    state = Unicode(values=["open", "closed"])
    lines = Array(Line)
    tags = Unicode(max_occurs="unbounded")


class OutOfStock(Fault):
    __namespace__ = NS


class Counter(ServiceBase):
    @rpc(Unicode, Unicode, _returns=Unicode, _out_variable_name="prettyPrint")
    def prettyPrintCount(ctx, prefix, suffix):
        return "%s7%s" % (prefix, suffix)

    @rpc(Mandatory(Integer), Mandatory(Integer), _returns=Integer, _out_variable_name="sum")
    def add(ctx, a, b):
        return a + b

    @rpc(Order, _returns=Order, _out_variable_name="order")
    def place(ctx, order):
        order.price = (order.price or 0) * 2
        order.id = (order.id or 0) + 1
        return order

    @rpc(Unicode)
    def fails(ctx, kind):
        raise Fault("Client.OutOfStock", "nothing left of " + kind, detail={"OutOfStock": {"article": kind}})

    @rpc()
    def reset(ctx):
        pass


class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass


def start(serve, version="11"):
    protocol = Soap12 if version == "12" else Soap11
    app = Application([Counter], NS, name="Counter", in_protocol=protocol(validator="lxml"), out_protocol=protocol())
    server = make_server("127.0.0.1", 0, WsgiApplication(app), handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    serve([server.server_port], lambda: None)
