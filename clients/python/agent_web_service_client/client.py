"""Calls of the service, and its event streams, which are taken up again where they were cut."""

from __future__ import annotations

import http.client
import json
import mimetypes
import random
import secrets
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from .events import Frame, read_events

if TYPE_CHECKING:
    from . import wire

LAST_FRAMES = frozenset({"stream_end", "cancel", "apperror", "error"})
#: The service sends something every 5 seconds.
SILENT_S = 20.0
#: For how long a turn waits for a service that cannot be reached.
PATIENCE_S = 120.0


class ApiError(Exception):
    """A failed request, with a message for a person. `status` 0: the service cannot be reached. `code`: for programs, None without one."""

    def __init__(self, message: str, status: int, body: Mapping[str, Any] | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = dict(body or {})
        self.code: str | None = self.body.get("code")
        self.retry_after_s = retry_after_s


class TurnFailed(Exception):
    """A turn that did not end with an answer. `type` is that of its last frame, such as `rate_limit` or `cancelled`."""

    def __init__(self, message: str, type: str, hint: str | None) -> None:
        super().__init__(message)
        self.type = type
        self.hint = hint


@dataclass(frozen=True)
class Prompt:
    """What waits for a person: `kind` is `approval` or `question`."""

    kind: Literal["approval", "question"]
    prompt: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """An answer that stands; `done` is the data of its frame."""

    text: str
    stream_id: str
    done: dict[str, Any]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token must not follow to another address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Client:
    """A service, as programs use it. Every failed request is an ApiError."""

    def __init__(
        self, url: str = "http://127.0.0.1:8787", token: str | None = None, *, pauses_s: tuple[float, float] = (0.25, 8.0),
        timeout_s: float = 60.0, silent_s: float = SILENT_S
    ) -> None:
        self.url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._pauses_s = pauses_s
        self._timeout_s = timeout_s
        self._silent_s = silent_s
        self._opener = urllib.request.build_opener(_NoRedirect)

    @staticmethod
    def pair(url: str, code: str) -> wire.Paired:
        """Exchanges the code of `POST /api/auth/tokens/pair` for the token of this device. It is shown once: keep it."""
        return cast("wire.Paired", Client(url).post("/api/auth/pair", {"code": code}))

    def get(self, path: str, **query: Any) -> Any:
        """Sends a GET request; a list in the query is repeated, None is left out."""
        return self._call("GET", self._address(path, query))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Sends a POST request with a body of JSON."""
        return self.request("POST", path, body)

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Sends a request with a body of JSON."""
        return self._call(method, self._address(path, {}), json.dumps(body or {}).encode(), "application/json")

    def send(self, session_id: str, message: str, **more: Any) -> wire.Started:
        """Sends a message, with what it carries beside its text (`model`, `attachments`, …). Sent again without an answer, it counts once."""
        body = {**more, "session_id": session_id, "message": message}
        started = self._once(lambda client_id: self.post("/api/chat/start", {**body, "client_id": client_id}))
        if "stream_id" not in started:
            raise ApiError("The service starts no turn for this message.", 200, started)
        return cast("wire.Started", started)

    def turn(self, stream_id: str, after: str = "", *, patience_s: float = PATIENCE_S, stop: threading.Event | None = None) -> Iterator[Frame]:
        """Yields the frames of a turn, each once and in order, until its last one.

        `after` is the id of the last frame that was seen. Raises ApiError when the service refuses the stream, or is away for longer than
        `patience_s`. Ends without a last frame when `stop` is set; the turn itself goes on.
        """
        retry = _Retry(self._pauses_s, patience_s, stop)
        seq = _seq_of(after)
        while not retry.stopped:
            try:
                for frame in self._frames("/api/chat/stream", {"stream_id": stream_id, "after_seq": seq}, retry):
                    its = _seq_of(frame.id or "")
                    if its <= seq:
                        continue
                    if its > seq + 1:
                        break  # What a proxy has lost is asked for again.
                    seq = its
                    retry.succeeded()
                    yield frame
                    if frame.event in LAST_FRAMES or retry.stopped:
                        return
                status = self.get("/api/chat/stream/status", stream_id=stream_id)
                if not status["active"] and status["journal"]["terminal"] and status["journal"]["last_seq"] <= seq:
                    return
            except (ApiError, OSError, http.client.HTTPException) as error:
                retry.failed(error)
            retry.pause()

    def events(
        self, *, sessions: list[str] | None = None, turns: list[str] | None = None, after: str = "", stop: threading.Event | None = None,
        **query: Any
    ) -> Iterator[Frame]:
        """Yields everything that happens, until `stop` is set: `snapshot` first, and again when the place to resume from is unknown.

        Frames of turns come once and in order, also over lost connections. `turns` holds ids of turns, or of their last frames that were
        seen. Raises ApiError when the service refuses.
        """
        retry = _Retry(self._pauses_s, float("inf"), stop)
        seen = {_stream_of(one): _seq_of(one) for one in turns or []}
        while not retry.stopped:
            follow = [f"{stream}:{seq}" if seq else stream for stream, seq in seen.items()]
            try:
                for frame in self._frames(
                    "/api/events", {**query, "session": sessions, "follow": follow, "after_event_id": after or None}, retry
                ):
                    news = _follow(seen, frame.data) if frame.event == "turn" else "new"
                    if news == "gap":
                        after = ""  # Without the cursor, turns begin at the frames that are named.
                        break
                    if frame.event == "turn_unknown":
                        seen.pop(frame.data["stream_id"], None)
                    after = frame.id or after
                    retry.succeeded()
                    if news == "new":
                        yield frame
                    if retry.stopped:
                        return
            except ApiError as error:
                if error.status != 400 or after == "":
                    retry.failed(error)
                after = "" if error.status == 400 else after  # A refused cursor is useless; a snapshot brings what is missing.
            except (OSError, http.client.HTTPException) as error:
                retry.failed(error)
            retry.pause()

    def prompts(self, session_id: str, *, stop: threading.Event | None = None) -> Iterator[Prompt]:
        """Yields each approval and question of a session when its turn to be answered comes, what waits already first."""
        shown: set[str] = set()
        for frame in self.events(stop=stop, all_profiles="1", limit="1"):
            news = frame.data["prompts"] if frame.event == "snapshot" else [frame.data] if frame.event == "prompts" else []
            for one in news:
                pending = one["data"]["pending"]
                if one["session_id"] != session_id or pending is None:
                    continue
                prompt_id = pending.get("approval_id") or pending["clarify_id"]
                if prompt_id not in shown:
                    shown.add(prompt_id)
                    yield Prompt("approval" if "approval_id" in pending else "question", pending)

    def approve(self, approval: Mapping[str, Any], choice: Literal["once", "session", "always", "deny"] = "once") -> wire.ApprovalAnswer:
        """Answers an approval. Raises ApiError: 409 when it no longer waits, 502 when it still does."""
        ids = {"session_id": approval["session_id"], "approval_id": approval["approval_id"]}
        return cast("wire.ApprovalAnswer", self.post("/api/approval/respond", {**ids, "choice": choice}))

    def answer(self, question: Mapping[str, Any], response: str | Mapping[str, Any] | None) -> wire.ClarifyAnswer:
        """Answers a question: with a text, or the values of its form by name; None declines a form."""
        said = {"decline": True} if response is None else {"response": response}
        ids = {"session_id": question["session_id"], "clarify_id": question["clarify_id"]}
        return cast("wire.ClarifyAnswer", self.post("/api/clarify/respond", {**ids, **said}))

    def cancel(self, stream_id: str) -> bool:
        """Stops a turn. Returns whether there was something to stop."""
        return bool(self.post("/api/chat/cancel", {"stream_id": stream_id})["cancelled"])

    def ask(
        self, session_id: str, message: str, *, on_frame: Callable[[Frame], None] | None = None,
        on_prompt: Callable[[Prompt], None] | None = None, **more: Any
    ) -> Answer:
        """Sends a message and waits for its answer. Raises ApiError and TurnFailed.

        `on_prompt` is called in another thread with each approval and question; without it, a turn that asks waits until somebody answers
        elsewhere. What it raises is raised here; the turn goes on waiting.
        """
        stream_id = self.send(session_id, message, **more)["stream_id"]
        over = threading.Event()
        failures: list[BaseException] = []

        def listen() -> None:
            try:
                for prompt in self.prompts(session_id, stop=over):
                    if not over.is_set() and on_prompt is not None:
                        on_prompt(prompt)
            except BaseException as error:
                failures.append(error)
                over.set()

        if on_prompt is not None:
            threading.Thread(target=listen, daemon=True).start()
        text, done = "", {}
        try:
            for frame in self.turn(stream_id, stop=over):
                if on_frame is not None:
                    on_frame(frame)
                if frame.event == "token":
                    text += frame.data["text"]
                elif frame.event == "tool":
                    text = ""
                elif frame.event == "interim_assistant" and not frame.data["already_streamed"]:
                    text = frame.data["text"]
                elif frame.event == "done":
                    done = frame.data
                elif frame.event in ("cancel", "apperror"):
                    kind = "cancelled" if frame.event == "cancel" else frame.data.get("type", "error")
                    raise TurnFailed(frame.data["message"], kind, frame.data.get("hint"))
        finally:
            over.set()
        if failures:
            raise failures[0]
        return Answer(text.strip(), stream_id, done)

    def upload(self, session_id: str, path: str | Path) -> wire.AttachedFile:
        """Uploads a file; the answer goes into `attachments` of a message. Sent again without an answer, it counts once."""
        file = Path(path)
        content = file.read_bytes()

        def send(client_id: str) -> Any:
            boundary = secrets.token_hex(16)
            name = file.name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            fields = {"session_id": session_id, "client_id": client_id}
            parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in fields.items()]
            parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n')
            body = "".join(parts).encode() + content + f"\r\n--{boundary}--\r\n".encode()
            return self._call("POST", self._address("/api/upload", {}), body, f"multipart/form-data; boundary={boundary}")

        return cast("wire.AttachedFile", self._once(send))

    def _once(self, send: Callable[[str], Any]) -> Any:
        """Sends a request that must not count twice: once more, with the same id, when it is not known to have arrived."""
        client_id = secrets.token_hex(16)
        try:
            return send(client_id)
        except ApiError as error:
            if error.status != 0:
                raise
            return send(client_id)

    def _address(self, path: str, query: Mapping[str, Any]) -> str:
        known = {key: value for key, value in query.items() if value is not None}
        return f"{self.url}{path}{'?' if known else ''}{urllib.parse.urlencode(known, doseq=True)}"

    def _call(self, method: str, address: str, body: bytes | None = None, kind: str | None = None) -> Any:
        headers = {**self._headers, **({} if kind is None else {"Content-Type": kind})}
        with self._open(urllib.request.Request(address, body, headers, method=method), self._timeout_s) as response:
            try:
                return json.load(response)
            except (ValueError, http.client.HTTPException) as error:
                raise ApiError("The answer of the service cannot be read.", response.status) from error
            except OSError as error:
                raise ApiError(f"The service at {self.url} cannot be reached.", 0) from error

    def _open(self, request: urllib.request.Request, timeout_s: float) -> http.client.HTTPResponse:
        try:
            return cast(http.client.HTTPResponse, self._opener.open(request, timeout=timeout_s))
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise ApiError(f"The service at {self.url} cannot be reached.", 0) from error

    def _frames(self, path: str, query: Mapping[str, Any], retry: _Retry) -> Iterator[Frame]:
        """Yields the events of one connection. Raises what reading raises, among it a time-out when nothing arrives."""
        request = urllib.request.Request(self._address(path, query), headers={**self._headers, "Accept": "text/event-stream"})
        with self._open(request, self._silent_s) as response:
            retry.reached()
            yield from read_events(retry.until_stopped(response))


class _Retry:
    """When a stream is opened again, and when that is given up."""

    def __init__(self, pauses_s: tuple[float, float], patience_s: float, stop: threading.Event | None) -> None:
        self._first_s, self._longest_s = pauses_s
        self._patience_s = patience_s
        self._stop = stop or threading.Event()
        self._failures = 0
        self._failed_at_s: float | None = None
        self._last_error: Exception | None = None
        self._asked_s = 0.0

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def until_stopped(self, lines: http.client.HTTPResponse) -> Iterator[bytes]:
        """Yields lines; a heartbeat is one, so that a stop is noticed within seconds."""
        for line in lines:
            if self.stopped:
                return
            yield line

    def reached(self) -> None:
        """The service is there: patience begins anew."""
        self._failed_at_s = None

    def succeeded(self) -> None:
        """Something has come: the next pause is short again."""
        self._failures = 0

    def failed(self, error: Exception) -> None:
        """Raises what trying again does not change: what the service refuses."""
        if isinstance(error, ApiError):
            if 400 <= error.status < 500 and error.status not in (408, 429):
                raise error
            self._asked_s = error.retry_after_s or 0.0
        self._last_error = error

    def pause(self) -> None:
        """Waits before the next attempt: longer each time, not when others try, and as long as the service asks for."""
        now = time.monotonic()
        self._failed_at_s = now if self._failed_at_s is None else self._failed_at_s
        if now - self._failed_at_s > self._patience_s:
            raise self._last_error if isinstance(self._last_error, ApiError) else ApiError("The service cannot be reached any more.", 0)
        pause_s = min(self._longest_s, self._first_s * 2 ** min(self._failures, 16))
        self._failures += 1
        self._stop.wait(max(self._asked_s, pause_s * random.uniform(0.75, 1.25)))
        self._asked_s = 0.0


def _refusal(error: urllib.error.HTTPError) -> ApiError:
    try:
        body = json.load(error)
    except (ValueError, OSError, http.client.HTTPException):
        body = {}
    said = body if isinstance(body, dict) else {}
    # If `error` is a code, `message` is the sentence.
    texts = [text for text in (said.get("message"), said.get("error")) if isinstance(text, str)]
    try:
        retry_after_s = float(error.headers.get("Retry-After", ""))
    except ValueError:
        retry_after_s = None
    return ApiError(texts[0] if texts else f"The service answered with status {error.code}.", error.code, said, retry_after_s)


def _seq_of(frame_id: str) -> int:
    """The number in the id of a frame, `<stream_id>:<seq>`; 0 without one."""
    seq = frame_id.rpartition(":")[2]
    return int(seq) if ":" in frame_id and seq.isdecimal() else 0


def _stream_of(frame_id: str) -> str:
    return frame_id.rpartition(":")[0] if _seq_of(frame_id) else frame_id


def _follow(seen: dict[str, int], turn: Mapping[str, Any]) -> Literal["new", "seen", "gap"]:
    """Moves the place in a turn on. `seen`: the frame came before; `gap`: one before it did not come."""
    before, seq = seen.get(turn["stream_id"]), _seq_of(turn["id"])
    if before is not None and seq <= before:
        return "seen"
    if before is not None and seq > before + 1:
        return "gap"
    if turn["event"] in LAST_FRAMES:
        seen.pop(turn["stream_id"], None)
    else:
        seen[turn["stream_id"]] = seq
    return "new"
