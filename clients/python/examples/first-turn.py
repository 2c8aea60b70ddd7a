"""A first turn: a session, a message, and the answer while it is written.

SVC_URL=http://127.0.0.1:8787 SVC_TOKEN=svct_… python first-turn.py "What is in this folder?"
"""

import os
import sys

from agent_web_service_client import Client

url = os.environ.get("SVC_URL", "http://127.0.0.1:8787")
client = Client(url, os.environ.get("SVC_TOKEN"))

session_id = client.post("/api/session/new")["session"]["session_id"]
stream_id = client.send(session_id, sys.argv[1] if len(sys.argv) > 1 else "help")["stream_id"]
for frame in client.turn(stream_id):
    if frame.event == "token":
        print(frame.data["text"], end="", flush=True)
    if frame.event == "apperror":
        print(frame.data["message"], file=sys.stderr)
print(f"\n\n{url}/session/{session_id}")
