"""Server-Sent Events, with the ends of lines that the service writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple


class Frame(NamedTuple):
    """What an event stream says: `id` is a place to resume from, None without one."""

    id: str | None
    event: str
    data: Any


def read_events(lines: Iterable[bytes]) -> Iterator[Frame]:
    """Yields the events of a stream, which is given line by line. Leaves out what is no JSON, and an event that was cut off."""
    event_id: str | None = None
    event, data = "message", []
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line == "":
            if data:
                try:
                    yield Frame(event_id, event, json.loads("\n".join(data)))
                except ValueError:
                    pass
            event_id, event, data = None, "message", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            event_id = value
        elif name == "event":
            event = value
        elif name == "data":
            data.append(value)
