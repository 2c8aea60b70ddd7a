"""Uploads a file, and asks about it.

SVC_URL=http://127.0.0.1:8787 SVC_TOKEN=svct_… python upload-and-ask.py plan.png "What is wrong with this plan?"
"""

import os
import sys

from agent_web_service_client import Client

client = Client(os.environ.get("SVC_URL", "http://127.0.0.1:8787"), os.environ.get("SVC_TOKEN"))
session_id = client.post("/api/session/new")["session"]["session_id"]
file = client.upload(session_id, sys.argv[1])
question = sys.argv[2] if len(sys.argv) > 2 else "What is in this file?"
print(client.ask(session_id, question, attachments=[{**file, "name": file["filename"]}]).text)
