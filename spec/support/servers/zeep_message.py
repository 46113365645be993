"""What zeep would send: the envelope of an operation of a WSDL, canonical. Arguments: WSDL, operation, arguments as JSON, another envelope's
file: prints "same" when that is the same, else both."""
import json
import sys

from lxml import etree
from zeep import Client


def canonical(element):
    for e in element.iter():
        e.text = (e.text or "").strip() or None
        e.tail = None
    return etree.tostring(element, method="c14n", exclusive=True).decode()


def plain(element):
    """Names, attributes and texts, without prefixes."""
    return (element.tag, sorted(element.attrib.items()), (element.text or "").strip(), [plain(e) for e in element])


client = Client(sys.argv[1])
theirs = client.create_message(client.service, sys.argv[2], **json.loads(sys.argv[3]))
ours = etree.parse(sys.argv[4]).getroot()
if plain(theirs) == plain(ours):
    print("same")
else:
    print(canonical(theirs))
    print(canonical(ours))
