"""Follows a turn that another device or window runs, and asks here for what it may do. Needs a token with the scope approve.

SVC_URL=http://127.0.0.1:8787 SVC_TOKEN=svct_… python follow-and-approve.py <session_id>
"""

import os
import sys
import threading

from agent_web_service_client import Client

client = Client(os.environ.get("SVC_URL", "http://127.0.0.1:8787"), os.environ.get("SVC_TOKEN"))
session_id = sys.argv[1]


def answer() -> None:
    """Asks for each approval and question as it comes."""
    for waiting in client.prompts(session_id):
        prompt = waiting.prompt
        if waiting.kind == "question":
            print(f"\n{prompt['question']} ", end="", file=sys.stderr, flush=True)
            client.answer(prompt, sys.stdin.readline().strip())
        else:
            print(f"\n{prompt['description']}\n{prompt['command']}\nAllow this once? [y/N] ", end="", file=sys.stderr, flush=True)
            client.approve(prompt, "once" if sys.stdin.readline().lower().startswith("y") else "deny")


# It ends with the program.
threading.Thread(target=answer, daemon=True).start()
for frame in client.events(sessions=[session_id]):
    if frame.event != "turn" or frame.data["session_id"] != session_id:
        continue
    event, data = frame.data["event"], frame.data["data"]
    if event == "token":
        print(data["text"], end="", flush=True)
    elif event == "tool_complete":
        print(f"\n[{data['name']}] {data['preview']}", flush=True)
    elif event in ("stream_end", "cancel", "apperror"):
        break
