"""A report for cron or a CI job: one message, its answer on standard output, and an exit code that says whether there is one.

What would need an approval is denied. Needs a token with the scope approve (with the scope chat, leave on_prompt out).
SVC_URL=http://127.0.0.1:8787 SVC_TOKEN=svct_… python nightly-report.py "Summarise yesterday's commits" /home/ann/site
"""

import datetime
import os
import sys

from agent_web_service_client import ApiError, Client, Prompt, TurnFailed

client = Client(os.environ.get("SVC_URL", "http://127.0.0.1:8787"), os.environ.get("SVC_TOKEN"))


def deny(waiting: Prompt) -> None:
    if waiting.kind == "approval":
        client.approve(waiting.prompt, "deny")
    else:
        client.answer(waiting.prompt, "Nobody is there. Use your best guess.")


try:
    where = {"workspace": sys.argv[2]} if len(sys.argv) > 2 else {}
    session_id = client.post("/api/session/new", where)["session"]["session_id"]
    client.post("/api/session/rename", {"session_id": session_id, "title": f"Report of {datetime.date.today()}"})
    print(client.ask(session_id, sys.argv[1] if len(sys.argv) > 1 else "help", on_prompt=deny).text)
except TurnFailed as error:
    sys.exit(f"{error} {error.hint or ''}")
except ApiError as error:
    sys.exit(f"{error} ({error.code or error.status})")
