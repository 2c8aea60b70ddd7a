"""The types of the interface, made from docs/openapi.json: `npm run openapi` writes them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Union


class AbsolutePath(TypedDict):
    ok: bool
    path: str


class ActiveProfile(TypedDict):
    name: str
    path: str
    is_default: bool
    default_workspace: str | None


class AgentModesModesItem(TypedDict):
    id: str
    label: str
    asks: bool
    allowed: bool


class AgentModesIsolationReason(TypedDict):
    """`isolation_note` as a code with parameters, for a client with words of its own"""

    code: Literal["outside", "outside_for_lack", "no_sandbox", "container", "offline", "whole_network", "whole_network_open", "internet", "places"]
    params: dict[str, str]


class AgentModes(TypedDict):
    id: str
    display_name: str
    known: bool
    reached: bool
    protocol: int | None
    any_mode: bool
    modes: list[AgentModesModesItem]
    isolation: Literal["auto"] | Literal["sandbox"] | Literal["none"]
    isolated: bool
    isolation_reason: AgentModesIsolationReason
    isolation_note: str
    problem: str | None


class AgentModesListRegistry(TypedDict):
    date: str
    versions_date: str


class AgentModesList(TypedDict):
    agents: list[AgentModes]
    installable: list[InstallableAgent]
    registry: AgentModesListRegistry


class AgentModesReply(TypedDict):
    ok: Literal[True]
    agent: AgentModes


class Alive(TypedDict):
    status: Literal["ok"]


class AllSharesSharesItem(TypedDict):
    title: str
    share_id: str
    session_id: str
    profile: str
    created_at: float


class AllShares(TypedDict):
    shares: list[AllSharesSharesItem]


class ApprovalAnswer(TypedDict):
    ok: bool
    choice: str
    stale_cleared: NotRequired[bool]
    relayed: NotRequired[bool]


class ApprovalEventInitial(TypedDict):
    id: NotRequired[str]
    event: Literal["initial"]
    data: ApprovalPending


class ApprovalEventApproval(TypedDict):
    id: NotRequired[str]
    event: Literal["approval"]
    data: ApprovalPending


ApprovalEvent: TypeAlias = Union["ApprovalEventInitial", "ApprovalEventApproval"]


class ApprovalPending(TypedDict):
    pending: PendingApproval | None
    pending_count: int


class ApprovalTextMasksItem(TypedDict):
    field: str
    start: int
    end: int
    hidden: NotRequired[int]


class ApprovalText(TypedDict):
    text: str
    masks: list[ApprovalTextMasksItem]
    next: int | None
    left: int


class AttachAnswer(TypedDict):
    session_id: str
    attached: bool
    agent: str | None
    maker: str
    can_attach: bool
    why: str | None


class AttachedFile(TypedDict):
    filename: str
    size: int
    mime: str
    is_image: bool
    path: str


class Attempt(TypedDict):
    session_id: str
    model: str | None
    model_provider: str | None
    workspace: str
    branch: str | None
    has_worktree: bool
    state: Literal["waiting", "running", "checking", "reviewing", "done", "failed", "cancelled", "stopped"]
    waits_for_you: bool
    error: str | None
    check_passed: bool | None
    check_output: str | None
    files: int | None
    additions: int | None
    deletions: int | None
    input_tokens: int
    output_tokens: int
    cost: float | None
    started_at: float | None
    ended_at: float | None
    answer: str
    review: str | None
    reason: str | None


class AttemptDiffFilesItem(TypedDict):
    path: str
    status: Literal["added", "modified", "deleted"]
    additions: int
    deletions: int
    binary: bool


class AttemptDiff(TypedDict):
    version: str
    files: list[AttemptDiffFilesItem]
    truncated: bool
    diff: str | None


class AttemptsBudget(TypedDict):
    usd: float
    tokens: int
    limit_usd: float | None
    limit_tokens: int | None


class Attempts(TypedDict):
    attempts_id: str
    session_id: str | None
    workspace: str
    message: str
    state: Literal["running", "judging", "ready"]
    count: int
    taken_session_id: str | None
    created_at: float
    version: int
    carried: bool
    check: str | None
    reviewer: str | None
    budget: AttemptsBudget
    best_session_id: str | None
    verdict: str | None
    can_undo: bool
    kept_until: float | None
    sessions: list[Attempt]


class AttemptsBegunSessionsItem(TypedDict):
    session_id: str
    model: str | None
    workspace: str


class AttemptsBegun(TypedDict):
    attempts_id: str
    sessions: list[AttemptsBegunSessionsItem]


class AttemptsChanged(TypedDict):
    """attempts have changed: read GET /api/attempts"""

    attempts_id: str
    version: int


class AttemptsList(TypedDict):
    attempts: list[AttemptsSummary]


class AttemptsSummary(TypedDict):
    attempts_id: str
    session_id: str | None
    workspace: str
    message: str
    state: Literal["running", "judging", "ready"]
    count: int
    taken_session_id: str | None
    created_at: float
    version: int


class Attention(TypedDict):
    kind: Literal["approval", "clarify"]
    count: int
    severity: Literal["critical", "question"]


class AuditActor(TypedDict):
    kind: Literal["person", "device", "nobody", "agent", "service", "console"]
    id: str | None
    name: str | None


class AuditEntry1Details(TypedDict):
    method: Literal["password", "passkey", "oidc", "token", "code"]
    session: str | None


class AuditEntry1(TypedDict):
    """Someone signed in or tried to"""

    id: int
    at: float
    kind: Literal["auth.sign_in"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry1Details


class AuditEntry2Details(TypedDict):
    session: str


class AuditEntry2(TypedDict):
    """Someone signed out"""

    id: int
    at: float
    kind: Literal["auth.sign_out"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry2Details


class AuditEntry3Details(TypedDict):
    change: Literal["set", "changed", "removed"]


class AuditEntry3(TypedDict):
    """The password was set, changed or removed, which ended all sign-ins"""

    id: int
    at: float
    kind: Literal["auth.password"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry3Details


class AuditEntry4Details(TypedDict):
    on: bool


class AuditEntry4(TypedDict):
    """Passwordless sign-in was switched on or off"""

    id: int
    at: float
    kind: Literal["auth.passwordless"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry4Details


class AuditEntry5Details(TypedDict):
    acknowledged: bool


class AuditEntry5(TypedDict):
    """The warning that no sign-in is needed was acknowledged, or the acknowledgement was withdrawn"""

    id: int
    at: float
    kind: Literal["auth.open_acknowledged"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry5Details


class AuditEntry6Details(TypedDict):
    passkey: str
    label: str


class AuditEntry6(TypedDict):
    """A passkey was registered"""

    id: int
    at: float
    kind: Literal["passkey.registered"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry6Details


class AuditEntry7Details(TypedDict):
    passkey: str
    label: str


class AuditEntry7(TypedDict):
    """A passkey was renamed"""

    id: int
    at: float
    kind: Literal["passkey.renamed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry7Details


class AuditEntry8Details(TypedDict):
    passkey: str


class AuditEntry8(TypedDict):
    """A passkey was deleted, which ended its sign-ins"""

    id: int
    at: float
    kind: Literal["passkey.deleted"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry8Details


class AuditEntry9Details(TypedDict):
    device: str
    name: str
    scope: Literal["read"] | Literal["chat"] | Literal["approve"] | Literal["admin"]
    expires_at: float | None


class AuditEntry9(TypedDict):
    """A token was created"""

    id: int
    at: float
    kind: Literal["device.created"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry9Details


class AuditEntry10Details(TypedDict):
    device: str
    name: str


class AuditEntry10(TypedDict):
    """A token or a paired browser was renamed"""

    id: int
    at: float
    kind: Literal["device.renamed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry10Details


class AuditEntry11Details(TypedDict):
    device: str
    name: str
    scope: Literal["read"] | Literal["chat"] | Literal["approve"] | Literal["admin"]


class AuditEntry11(TypedDict):
    """A token or a paired browser was revoked"""

    id: int
    at: float
    kind: Literal["device.revoked"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry11Details


class AuditEntry12Details(TypedDict):
    device: str
    name: str
    scope: Literal["read"] | Literal["chat"] | Literal["approve"] | Literal["admin"]


class AuditEntry12(TypedDict):
    """A pairing code was created"""

    id: int
    at: float
    kind: Literal["pairing.begun"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry12Details


class AuditEntry13Details(TypedDict):
    device: str


class AuditEntry13(TypedDict):
    """A pairing code was cancelled"""

    id: int
    at: float
    kind: Literal["pairing.ended"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry13Details


AuditEntry14Details = TypedDict("AuditEntry14Details", {"device": "str", "name": "str", "scope": "Literal[\"read\"] | Literal[\"chat\"] | Literal[\"approve\"] | Literal[\"admin\"]", "as": "Literal[\"token\", \"session\"]"})


class AuditEntry14(TypedDict):
    """A device was paired with a code"""

    id: int
    at: float
    kind: Literal["pairing.completed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry14Details


class AuditEntry15Details(TypedDict):
    session: str
    approval: str
    choice: Literal["once", "session", "always", "deny"]
    command: str
    pattern_keys: list[str]


class AuditEntry15(TypedDict):
    """An approval was answered"""

    id: int
    at: float
    kind: Literal["approval.answered"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry15Details


class AuditEntry16Details(TypedDict):
    session: str
    question_id: str
    question: str
    declined: bool


class AuditEntry16(TypedDict):
    """A question was answered; the answer itself is not recorded"""

    id: int
    at: float
    kind: Literal["question.answered"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry16Details


class AuditEntry17Details(TypedDict):
    profile: str
    pattern_key: str


class AuditEntry17(TypedDict):
    """A permanent grant was added"""

    id: int
    at: float
    kind: Literal["grant.added"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry17Details


class AuditEntry18Details(TypedDict):
    profile: str
    pattern_key: str


class AuditEntry18(TypedDict):
    """A permanent grant was removed"""

    id: int
    at: float
    kind: Literal["grant.removed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry18Details


class AuditEntry19Details(TypedDict):
    session: str
    on: bool


class AuditEntry19(TypedDict):
    """Yolo (run everything without asking) was switched on or off for a conversation"""

    id: int
    at: float
    kind: Literal["yolo.switched"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry19Details


class AuditEntry20Details(TypedDict):
    session: str
    mode: Literal["default", "plan"]


class AuditEntry20(TypedDict):
    """Plan mode was switched on or off for a conversation"""

    id: int
    at: float
    kind: Literal["mode.switched"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry20Details


class AuditEntry21Details(TypedDict):
    session: str
    version: int


class AuditEntry21(TypedDict):
    """A plan was started: it became the goal of its conversation, which left plan mode"""

    id: int
    at: float
    kind: Literal["plan.started"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry21Details


AuditEntry22DetailsChangesItem = TypedDict("AuditEntry22DetailsChangesItem", {"key": "str", "from": "str | None", "to": "str | None"})


class AuditEntry22Details(TypedDict):
    changes: list[AuditEntry22DetailsChangesItem]


class AuditEntry22(TypedDict):
    """Settings of the instance were changed"""

    id: int
    at: float
    kind: Literal["settings.changed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry22Details


AuditEntry23DetailsChangesItem = TypedDict("AuditEntry23DetailsChangesItem", {"key": "str", "from": "str | None", "to": "str | None"})


class AuditEntry23Details(TypedDict):
    profile: str
    changes: list[AuditEntry23DetailsChangesItem]


class AuditEntry23(TypedDict):
    """The service changed the config.yaml of a profile"""

    id: int
    at: float
    kind: Literal["config.changed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry23Details


class AuditEntry24Details(TypedDict):
    profile: str
    variable: str


class AuditEntry24(TypedDict):
    """A variable in the .env of a profile was set, such as a provider key; the value is not recorded"""

    id: int
    at: float
    kind: Literal["key.set"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry24Details


class AuditEntry25Details(TypedDict):
    profile: str
    variable: str


class AuditEntry25(TypedDict):
    """A variable in the .env of a profile was removed"""

    id: int
    at: float
    kind: Literal["key.removed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry25Details


class AuditEntry26Details(TypedDict):
    profile: str
    server: str
    change: Literal["added", "changed", "removed", "on", "off"]


class AuditEntry26(TypedDict):
    """An MCP server was added, changed, removed, or switched on or off"""

    id: int
    at: float
    kind: Literal["mcp.server"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry26Details


class AuditEntry27Details(TypedDict):
    server: str


class AuditEntry27(TypedDict):
    """Someone started to sign in to an MCP server"""

    id: int
    at: float
    kind: Literal["mcp.sign_in"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry27Details


class AuditEntry28Details(TypedDict):
    server: str


class AuditEntry28(TypedDict):
    """Someone signed out of an MCP server"""

    id: int
    at: float
    kind: Literal["mcp.sign_out"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry28Details


class AuditEntry29Details(TypedDict):
    profile: str
    plugin: str
    on: bool


class AuditEntry29(TypedDict):
    """A plugin was switched on or off"""

    id: int
    at: float
    kind: Literal["plugin.switched"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry29Details


class AuditEntry30Details(TypedDict):
    profile: str
    skill: str


class AuditEntry30(TypedDict):
    """A skill was saved"""

    id: int
    at: float
    kind: Literal["skill.saved"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry30Details


class AuditEntry31Details(TypedDict):
    profile: str
    skills: list[str]
    replaced: list[str]


class AuditEntry31(TypedDict):
    """Skills were imported from an archive"""

    id: int
    at: float
    kind: Literal["skill.imported"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry31Details


class AuditEntry32Details(TypedDict):
    profile: str
    removed: list[str]
    restored: list[str]


class AuditEntry32(TypedDict):
    """An import of skills was undone"""

    id: int
    at: float
    kind: Literal["skill.import_undone"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry32Details


class AuditEntry33Details(TypedDict):
    profile: str
    skill: str


class AuditEntry33(TypedDict):
    """A skill was deleted"""

    id: int
    at: float
    kind: Literal["skill.deleted"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry33Details


class AuditEntry34Details(TypedDict):
    profile: str
    section: Literal["memory", "user", "soul"]
    bytes_before: int
    bytes: int


class AuditEntry34(TypedDict):
    """A memory document was changed or cleared"""

    id: int
    at: float
    kind: Literal["memory.changed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry34Details


class AuditEntry35Details(TypedDict):
    profile: str


class AuditEntry35(TypedDict):
    """A profile was created"""

    id: int
    at: float
    kind: Literal["profile.created"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry35Details


class AuditEntry36Details(TypedDict):
    profile: str


class AuditEntry36(TypedDict):
    """A profile was deleted"""

    id: int
    at: float
    kind: Literal["profile.deleted"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry36Details


class AuditEntry37Details(TypedDict):
    profile: str
    job: str
    name: str


class AuditEntry37(TypedDict):
    """A scheduled job was created"""

    id: int
    at: float
    kind: Literal["job.created"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry37Details


class AuditEntry38Details(TypedDict):
    profile: str
    job: str
    name: str


class AuditEntry38(TypedDict):
    """A scheduled job was changed, paused or resumed"""

    id: int
    at: float
    kind: Literal["job.changed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry38Details


class AuditEntry39Details(TypedDict):
    profile: str
    job: str
    name: str


class AuditEntry39(TypedDict):
    """A scheduled job was deleted"""

    id: int
    at: float
    kind: Literal["job.deleted"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry39Details


class AuditEntry40Details(TypedDict):
    profile: str
    hook: str
    name: str


class AuditEntry40(TypedDict):
    """A hook was created; its secret is not recorded"""

    id: int
    at: float
    kind: Literal["hook.created"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry40Details


class AuditEntry41Details(TypedDict):
    profile: str
    hook: str
    name: str
    secret: bool


class AuditEntry41(TypedDict):
    """A hook was changed, paused or resumed, or got a new secret"""

    id: int
    at: float
    kind: Literal["hook.changed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry41Details


class AuditEntry42Details(TypedDict):
    profile: str
    hook: str
    name: str


class AuditEntry42(TypedDict):
    """A hook was deleted"""

    id: int
    at: float
    kind: Literal["hook.deleted"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry42Details


class AuditEntry43Details(TypedDict):
    session: str
    profile: str


class AuditEntry43(TypedDict):
    """A conversation was deleted, including its side turns"""

    id: int
    at: float
    kind: Literal["session.deleted"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry43Details


class AuditEntry44Details(TypedDict):
    session: str
    removed: int


class AuditEntry44(TypedDict):
    """Messages at the end of a conversation were removed"""

    id: int
    at: float
    kind: Literal["session.cut"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry44Details


class AuditEntry45Details(TypedDict):
    session: str
    format: Literal["json", "html"]


class AuditEntry45(TypedDict):
    """A conversation was exported"""

    id: int
    at: float
    kind: Literal["session.exported"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry45Details


class AuditEntry46Details(TypedDict):
    session: str
    profile: str


class AuditEntry46(TypedDict):
    """A conversation was imported"""

    id: int
    at: float
    kind: Literal["session.imported"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry46Details


class AuditEntry47Details(TypedDict):
    session: str
    profile: str


class AuditEntry47(TypedDict):
    """A conversation of another program was continued here, in place"""

    id: int
    at: float
    kind: Literal["session.attached"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry47Details


class AuditEntry48Details(TypedDict):
    profile: str
    project: str
    name: str
    workspace: bool
    instructions: bool


class AuditEntry48(TypedDict):
    """The folder or the instructions of a project were changed"""

    id: int
    at: float
    kind: Literal["project.changed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry48Details


class AuditEntry49Details(TypedDict):
    profile: str
    project: str
    name: str


class AuditEntry49(TypedDict):
    """A project was deleted; its conversations stay"""

    id: int
    at: float
    kind: Literal["project.deleted"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry49Details


class AuditEntry50Details(TypedDict):
    session: str
    share: str


class AuditEntry50(TypedDict):
    """A public page of a conversation was created"""

    id: int
    at: float
    kind: Literal["share.created"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry50Details


class AuditEntry51Details(TypedDict):
    session: str
    share: str


class AuditEntry51(TypedDict):
    """A public page was revoked"""

    id: int
    at: float
    kind: Literal["share.revoked"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry51Details


class AuditEntry52Details(TypedDict):
    session: str
    path: str
    permanent: bool


class AuditEntry52(TypedDict):
    """A file or folder of a workspace was deleted"""

    id: int
    at: float
    kind: Literal["file.deleted"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry52Details


class AuditEntry53Details(TypedDict):
    session: str
    item: str | None


class AuditEntry53(TypedDict):
    """An item was removed from the trash, or the trash was emptied"""

    id: int
    at: float
    kind: Literal["trash.removed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry53Details


class AuditEntry54Details(TypedDict):
    session: str | None
    checkpoint: str
    files: int | None


class AuditEntry54(TypedDict):
    """A workspace, or some of its files, was restored from a checkpoint"""

    id: int
    at: float
    kind: Literal["checkpoint.restored"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry54Details


class AuditEntry55Details(TypedDict):
    session: str
    files: int
    untracked: bool


class AuditEntry55(TypedDict):
    """Uncommitted changes were discarded"""

    id: int
    at: float
    kind: Literal["git.discarded"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry55Details


class AuditEntry56Details(TypedDict):
    session: str


class AuditEntry56(TypedDict):
    """A branch was pushed to its remote"""

    id: int
    at: float
    kind: Literal["git.pushed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry56Details


class AuditEntry57Details(TypedDict):
    attempts: str
    profile: str
    count: int
    check: str | None


class AuditEntry57(TypedDict):
    """Several attempts at one task were started"""

    id: int
    at: float
    kind: Literal["attempts.begun"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry57Details


class AuditEntry58Details(TypedDict):
    attempts: str
    session: str
    files: int
    whole: bool


class AuditEntry58(TypedDict):
    """Changes of an attempt were applied to the folder that it started from"""

    id: int
    at: float
    kind: Literal["attempts.taken"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry58Details


class AuditEntry59Details(TypedDict):
    attempts: str
    session: str
    files: int


class AuditEntry59(TypedDict):
    """Applied changes of an attempt were undone"""

    id: int
    at: float
    kind: Literal["attempts.taken_back"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry59Details


class AuditEntry60Details(TypedDict):
    profile: str
    workspace: str
    check: str
    command: str
    after_turn: Literal["off", "ask", "run"]
    auto_send: int


class AuditEntry60(TypedDict):
    """A check of a folder was saved, which permits it to run"""

    id: int
    at: float
    kind: Literal["check.saved"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry60Details


class AuditEntry61Details(TypedDict):
    profile: str
    workspace: str
    check: str


class AuditEntry61(TypedDict):
    """A check of a folder was deleted"""

    id: int
    at: float
    kind: Literal["check.removed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry61Details


class AuditEntry62Details(TypedDict):
    attempts: str


class AuditEntry62(TypedDict):
    """Attempts at a task were stopped"""

    id: int
    at: float
    kind: Literal["attempts.stopped"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry62Details


class AuditEntry63Details(TypedDict):
    attempts: str
    sessions: int


class AuditEntry63(TypedDict):
    """Worktrees of attempts were removed"""

    id: int
    at: float
    kind: Literal["attempts.removed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry63Details


class AuditEntry64Details(TypedDict):
    session: str
    host: str
    repository: str
    number: int


class AuditEntry64(TypedDict):
    """A pull request was opened"""

    id: int
    at: float
    kind: Literal["pull.opened"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry64Details


class AuditEntry65Details(TypedDict):
    session: str
    host: str
    repository: str
    number: int


class AuditEntry65(TypedDict):
    """A draft of a pull request was made ready for review"""

    id: int
    at: float
    kind: Literal["pull.ready"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry65Details


class AuditEntry66Details(TypedDict):
    session: str
    host: str
    repository: str
    number: int


class AuditEntry66(TypedDict):
    """A pull request, or a comment on it, was commented on; the text is not recorded"""

    id: int
    at: float
    kind: Literal["pull.commented"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry66Details


class AuditEntry67Details(TypedDict):
    session: str
    host: str
    repository: str
    number: int
    resolved: bool


class AuditEntry67(TypedDict):
    """A thread of comments on a pull request was resolved or reopened"""

    id: int
    at: float
    kind: Literal["pull.resolved"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry67Details


class AuditEntry68Details(TypedDict):
    session: str
    host: str
    repository: str
    number: int
    sha: str
    method: Literal["merge", "squash", "rebase"]


class AuditEntry68(TypedDict):
    """A pull request was merged"""

    id: int
    at: float
    kind: Literal["pull.merged"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry68Details


class AuditEntry69Details(TypedDict):
    session: str
    host: str
    repository: str
    number: int


class AuditEntry69(TypedDict):
    """A pull request was closed without merging it"""

    id: int
    at: float
    kind: Literal["pull.closed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry69Details


class AuditEntry70Details(TypedDict):
    backup: str


class AuditEntry70(TypedDict):
    """A backup was created"""

    id: int
    at: float
    kind: Literal["backup.created"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry70Details


class AuditEntry71Details(TypedDict):
    backup: str


class AuditEntry71(TypedDict):
    """The database was restored from a backup; earlier entries come from that backup"""

    id: int
    at: float
    kind: Literal["backup.restored"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry71Details


class AuditEntry72Details(TypedDict):
    message: str


class AuditEntry72(TypedDict):
    """An update was installed or failed"""

    id: int
    at: float
    kind: Literal["update.applied"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry72Details


class AuditEntry73Details(TypedDict):
    machine: str
    note: str | None


class AuditEntry73(TypedDict):
    """A machine joined or was refused"""

    id: int
    at: float
    kind: Literal["machine.joined"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry73Details


class AuditEntry74Details(TypedDict):
    machine: str


class AuditEntry74(TypedDict):
    """A machine left"""

    id: int
    at: float
    kind: Literal["machine.left"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry74Details


class AuditEntry75Details(TypedDict):
    machine: str


class AuditEntry75(TypedDict):
    """A disconnected machine was removed from the list"""

    id: int
    at: float
    kind: Literal["machine.forgotten"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry75Details


class AuditEntry76Details(TypedDict):
    format: Literal["ndjson", "csv"]


class AuditEntry76(TypedDict):
    """The audit log was exported"""

    id: int
    at: float
    kind: Literal["audit.exported"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry76Details


class AuditEntry77Details(TypedDict):
    removed: int
    up_to: int


class AuditEntry77(TypedDict):
    """Entries older than audit.keep_days were removed"""

    id: int
    at: float
    kind: Literal["audit.trimmed"]
    outcome: Literal["ok", "failed", "throttled"]
    actor: AuditActor
    address: str | None
    previous_hash: str
    hash: str
    details: AuditEntry77Details


AuditEntry: TypeAlias = Union["AuditEntry1", "AuditEntry2", "AuditEntry3", "AuditEntry4", "AuditEntry5", "AuditEntry6", "AuditEntry7", "AuditEntry8", "AuditEntry9", "AuditEntry10", "AuditEntry11", "AuditEntry12", "AuditEntry13", "AuditEntry14", "AuditEntry15", "AuditEntry16", "AuditEntry17", "AuditEntry18", "AuditEntry19", "AuditEntry20", "AuditEntry21", "AuditEntry22", "AuditEntry23", "AuditEntry24", "AuditEntry25", "AuditEntry26", "AuditEntry27", "AuditEntry28", "AuditEntry29", "AuditEntry30", "AuditEntry31", "AuditEntry32", "AuditEntry33", "AuditEntry34", "AuditEntry35", "AuditEntry36", "AuditEntry37", "AuditEntry38", "AuditEntry39", "AuditEntry40", "AuditEntry41", "AuditEntry42", "AuditEntry43", "AuditEntry44", "AuditEntry45", "AuditEntry46", "AuditEntry47", "AuditEntry48", "AuditEntry49", "AuditEntry50", "AuditEntry51", "AuditEntry52", "AuditEntry53", "AuditEntry54", "AuditEntry55", "AuditEntry56", "AuditEntry57", "AuditEntry58", "AuditEntry59", "AuditEntry60", "AuditEntry61", "AuditEntry62", "AuditEntry63", "AuditEntry64", "AuditEntry65", "AuditEntry66", "AuditEntry67", "AuditEntry68", "AuditEntry69", "AuditEntry70", "AuditEntry71", "AuditEntry72", "AuditEntry73", "AuditEntry74", "AuditEntry75", "AuditEntry76", "AuditEntry77"]


class AuditPage(TypedDict):
    entries: list[AuditEntry]
    next_before: int | None


class AuthStatus(TypedDict):
    authenticated: bool
    password_required: bool
    auth_enabled: bool
    logged_in: bool
    password_auth_enabled: bool
    passkeys_enabled: bool
    passkeys_count: int
    passkey_feature_flag: bool
    passwordless_enabled: bool
    oidc_enabled: bool
    oidc_name: str | None
    auth_disabled_acknowledged: bool
    token_scope: Literal["read"] | Literal["chat"] | Literal["approve"] | Literal["admin"] | None
    csrf_token: str


class AuxiliaryModelsTasksItem(TypedDict):
    task: str
    label: str
    description: str
    model: str
    provider: str
    base_url: str
    api_key_set: bool
    timeout: float | None
    download_timeout: float | None
    max_concurrency: int | None
    service_tier: str
    extra_body: dict[str, Any]


class AuxiliaryModelsMain(TypedDict):
    model: str | None
    provider: str | None
    timeout: float | None
    download_timeout: float | None
    max_concurrency: int | None
    service_tier: str
    extra_body: dict[str, Any]


class AuxiliaryModels(TypedDict):
    tasks: list[AuxiliaryModelsTasksItem]
    main: AuxiliaryModelsMain


class BackgroundAnswer(TypedDict):
    task_id: str
    stream_id: str
    session_id: str
    parent_session_id: str


class BackgroundResultsResultsItem(TypedDict):
    task_id: str
    prompt: str
    answer: str
    completed_at: float


class BackgroundResults(TypedDict):
    results: list[BackgroundResultsResultsItem]


class BackgroundTaskComplete(TypedDict):
    """a background task has finished: read GET /api/background/status"""

    session_id: str
    task_id: str
    completed_at: float


class BadRequest(TypedDict):
    """a field is missing or invalid (the message names all of them), the body is not valid JSON, or the workspace cannot be used"""

    error: str
    code: NotRequired[Literal["auth_failed", "conflict", "duplicate", "exists", "filtered_path", "git_failed", "identity_missing", "invalid_goal", "invalid_ref", "is_folder", "network_failed", "no_commits", "no_forge", "no_forge_token", "no_steps", "no_goal", "no_upstream", "not_a_repo", "not_an_archive", "not_text", "nothing_to_commit", "office", "other_disk", "outside_workspace", "path_outside_workspace", "schedule_cron", "schedule_never", "schedule_past", "schedule_unclear", "symlink", "timeout", "unsafe_archive"]]
    ok: NotRequired[Literal[False]]
    action: NotRequired[Literal["error"]]
    message: NotRequired[str]
    message_key: NotRequired[str]
    goal: NotRequired[Goal | None]
    version: NotRequired[str]


class BranchAnswer(TypedDict):
    title: str
    session_id: str
    parent_session_id: str


class BtwAnswer(TypedDict):
    stream_id: str
    session_id: str
    parent_session_id: str


class BudgetLimits(TypedDict):
    soft_usd: float | None
    hard_usd: float | None
    soft_tokens: int | None
    hard_tokens: int | None


class BudgetUse(TypedDict):
    tokens: int
    usd: float
    unpriced_model: str | None
    allowed_usd: float | None
    allowed_tokens: int | None
    lifted: list[str]


class BudgetsLimits(TypedDict):
    turn: BudgetLimits
    session: BudgetLimits
    attempts: BudgetLimits
    job: BudgetLimits
    day: BudgetLimits


class Budgets(TypedDict):
    profile: str
    limits: BudgetsLimits
    problems: list[str]
    day: BudgetUse
    date: str
    resets_at: float
    session: BudgetUse | None
    turn: BudgetUse | None


class BundleListBundlesItem(TypedDict):
    name: str
    description: str
    skill_count: int
    source: Literal["bundle"]


class BundleList(TypedDict):
    bundles: list[BundleListBundlesItem]


class CalledFunction(TypedDict):
    name: NotRequired[str]
    arguments: NotRequired[str | dict[str, Any]]


class CancelAnswer(TypedDict):
    ok: bool
    cancelled: bool
    stream_id: str


class Cancelled(TypedDict):
    session: SessionDetail | SessionWithoutMessages
    session_id: str
    type: Literal["cancelled"]
    status: Literal["cancelled"]
    message: str


class CancelledChecks(TypedDict):
    ok: Literal[True]
    cancelled: list[str]


class ChangedSession(TypedDict):
    ok: bool
    session: SessionRow


class ChangedWorkspaces(TypedDict):
    ok: bool
    workspaces: list[Workspace]


class ChatEventToken(TypedDict):
    """text to append to the answer"""

    id: NotRequired[str]
    event: Literal["token"]
    data: Token


class ChatEventReasoning(TypedDict):
    """text to append to the reasoning"""

    id: NotRequired[str]
    event: Literal["reasoning"]
    data: Reasoning


class ChatEventInterimAssistant(TypedDict):
    """true: the text repeats what was streamed before a tool call. false: what was streamed since the last tool call is void, because a retry answers differently; this text replaces it"""

    id: NotRequired[str]
    event: Literal["interim_assistant"]
    data: InterimAssistant


class ChatEventTool(TypedDict):
    """a tool call begins, or waits for approval"""

    id: NotRequired[str]
    event: Literal["tool"]
    data: ToolStarted


class ChatEventToolOutput(TypedDict):
    """output of a running tool call: append the text. If left_out_bytes is higher than in the frame before (initially 0), the text replaces everything that arrived since left_out_bytes was 0"""

    id: NotRequired[str]
    event: Literal["tool_output"]
    data: ToolOutput


class ChatEventToolComplete(TypedDict):
    """a tool call ended; preview is the beginning of its result"""

    id: NotRequired[str]
    event: Literal["tool_complete"]
    data: ToolCompleted


class ChatEventTodoState(TypedDict):
    """the complete to-do list; each frame replaces the one before"""

    id: NotRequired[str]
    event: Literal["todo_state"]
    data: TodoState


class ChatEventMetering(TypedDict):
    """speed of the answer, at most once a second"""

    id: NotRequired[str]
    event: Literal["metering"]
    data: Metering


class ChatEventCompressing(TypedDict):
    """the earlier part of the conversation is being summarised for the model"""

    id: NotRequired[str]
    event: Literal["compressing"]
    data: Compressing


class ChatEventCompressed(TypedDict):
    """the earlier part has been summarised; the four ids are the same"""

    id: NotRequired[str]
    event: Literal["compressed"]
    data: Compressed


class ChatEventCheckpoint(TypedDict):
    """a checkpoint of the workspace was made, before the turn first writes to it"""

    id: NotRequired[str]
    event: Literal["checkpoint"]
    data: CheckpointTaken


class ChatEventStateSaved(TypedDict):
    """the agent has changed a memory document or a skill"""

    id: NotRequired[str]
    event: Literal["state_saved"]
    data: StateSaved


class ChatEventWarning(TypedDict):
    """a notice for the person; the turn continues"""

    id: NotRequired[str]
    event: Literal["warning"]
    data: Warning


class ChatEventParked(TypedDict):
    """the provider has reached its limit; the turn stays open until `resumed` or its last frame"""

    id: NotRequired[str]
    event: Literal["parked"]
    data: TurnParked


class ChatEventResumed(TypedDict):
    """a parked turn continues where it stopped"""

    id: NotRequired[str]
    event: Literal["resumed"]
    data: TurnResumed


class ChatEventTitle(TypedDict):
    """the session got a title; may follow `done`"""

    id: NotRequired[str]
    event: Literal["title"]
    data: TitleFound


class ChatEventPendingSteerLeftover(TypedDict):
    """steering text that the turn did not use"""

    id: NotRequired[str]
    event: Literal["pending_steer_leftover"]
    data: SteerLeftover


class ChatEventDone(TypedDict):
    """the answer is final; `session` has its messages, unless they are too many"""

    id: NotRequired[str]
    event: Literal["done"]
    data: Done | DoneOnTheSide | LostFrame


class ChatEventStreamEnd(TypedDict):
    """last frame of a turn that succeeded, after done"""

    id: NotRequired[str]
    event: Literal["stream_end"]
    data: StreamEnd | LostFrame


class ChatEventCancel(TypedDict):
    """last frame of a turn that was cancelled"""

    id: NotRequired[str]
    event: Literal["cancel"]
    data: Cancelled | LostFrame


class ChatEventApperror(TypedDict):
    """last frame of a turn that failed; error and message are the same text"""

    id: NotRequired[str]
    event: Literal["apperror"]
    data: Failed | LostFrame


class ChatEventGoal(TypedDict):
    """the state of the goal after this turn"""

    id: NotRequired[str]
    event: Literal["goal"]
    data: GoalState


class ChatEventGoalContinue(TypedDict):
    """the message of the next turn, which starts automatically"""

    id: NotRequired[str]
    event: Literal["goal_continue"]
    data: GoalContinue


ChatEvent: TypeAlias = Union["ChatEventToken", "ChatEventReasoning", "ChatEventInterimAssistant", "ChatEventTool", "ChatEventToolOutput", "ChatEventToolComplete", "ChatEventTodoState", "ChatEventMetering", "ChatEventCompressing", "ChatEventCompressed", "ChatEventCheckpoint", "ChatEventStateSaved", "ChatEventWarning", "ChatEventParked", "ChatEventResumed", "ChatEventTitle", "ChatEventPendingSteerLeftover", "ChatEventDone", "ChatEventStreamEnd", "ChatEventCancel", "ChatEventApperror", "ChatEventGoal", "ChatEventGoalContinue"]


class Check(TypedDict):
    id: str
    name: str
    kind: Literal["test", "lint", "types", "other"]
    command: str
    file: str | None
    script: str | None
    changed_script: str | None
    after_turn: Literal["off", "ask", "run"]
    auto_send: int
    seconds: int


class CheckProblem(TypedDict):
    path: str | None
    file: str
    line: int | None
    column: int | None
    severity: Literal["error", "warning", "info"]
    text: str
    code: str | None


class CheckProposal(TypedDict):
    name: str
    kind: Literal["test", "lint", "types", "other"]
    command: str
    file: str
    script: str | None


class CheckRun(TypedDict):
    id: str
    check_id: str
    session_id: str
    name: str
    command: str
    state: Literal["waiting", "running", "passed", "failed", "timed_out", "over_limit", "cancelled", "interrupted"]
    turn_id: str | None
    confined: bool
    exit_code: int | None
    errors: int
    warnings: int
    infos: int
    files: int
    sent_at: float | None
    created_at: float
    started_at: float | None
    ended_at: float | None


class CheckRunDetail(TypedDict):
    id: str
    check_id: str
    session_id: str
    name: str
    command: str
    state: Literal["waiting", "running", "passed", "failed", "timed_out", "over_limit", "cancelled", "interrupted"]
    turn_id: str | None
    confined: bool
    exit_code: int | None
    errors: int
    warnings: int
    infos: int
    files: int
    sent_at: float | None
    created_at: float
    started_at: float | None
    ended_at: float | None
    problems: list[CheckProblem]
    output: str


class CheckRunsBegun(TypedDict):
    runs: list[CheckRun]


class CheckpointDiffFilesChangedItem(TypedDict):
    file: str
    status: str
    old_file: NotRequired[str]


class CheckpointDiff(TypedDict):
    checkpoint: str
    diff: str
    truncated: bool
    files_changed: list[CheckpointDiffFilesChangedItem]
    total_changes: int


class CheckpointEntry(TypedDict):
    title: str
    id: str
    checkpoint: str
    kind: str
    state: str
    reason: str | None
    session_id: str
    stream_id: str | None
    files_count: int | None
    created_at: float


class CheckpointList(TypedDict):
    checkpoints: list[CheckpointEntry]
    workspace: str
    checkpoint_dir: str


class CheckpointTaken(TypedDict):
    """a checkpoint of the workspace was made, before the turn first writes to it"""

    session_id: str
    id: str
    state: str
    reason: str | None


class Checks(TypedDict):
    workspace: str
    available: bool
    confined: bool
    checks: list[Check]
    proposals: list[CheckProposal]
    runs: list[CheckRun]


class ChecksChanged(TypedDict):
    """the checks of a folder, or their runs, have changed: read GET /api/checks"""

    workspace: str
    session_id: str | None


class ClarifyAnswer(TypedDict):
    ok: bool
    response: str | dict[str, Any]
    relayed: NotRequired[bool]


class ClarifyPending(TypedDict):
    pending: PendingClarification | None
    pending_count: int


class Command(TypedDict):
    name: str
    description: str
    category: str
    aliases: list[str]
    args_hint: str
    subcommands: list[str]
    cli_only: bool
    gateway_only: bool


class CommandList(TypedDict):
    commands: list[Command]


class CommandOutput(TypedDict):
    output: str


class CompletionChoicesItemMessage(TypedDict):
    role: Literal["assistant"]
    content: str | None
    refusal: None
    tool_calls: NotRequired[list[OpenAiToolCall]]


class CompletionChoicesItem(TypedDict):
    index: int
    message: CompletionChoicesItemMessage
    logprobs: None
    finish_reason: Literal["stop", "length", "content_filter", "tool_calls", None]


class CompletionUsagePromptTokensDetails(TypedDict):
    cached_tokens: int
    audio_tokens: int


class CompletionUsageCompletionTokensDetails(TypedDict):
    reasoning_tokens: int
    audio_tokens: int
    accepted_prediction_tokens: int
    rejected_prediction_tokens: int


class CompletionUsage(TypedDict):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: CompletionUsagePromptTokensDetails
    completion_tokens_details: CompletionUsageCompletionTokensDetails


class Completion(TypedDict):
    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[CompletionChoicesItem]
    usage: CompletionUsage


class CompletionBodyMessagesItem(TypedDict):
    """a message, a call of a client tool (function_call) or its result (function_call_output)"""

    type: NotRequired[str]
    role: NotRequired[str]
    content: NotRequired[Any]


class CompletionBodyStreamOptions(TypedDict):
    include_usage: NotRequired[bool | None]


class CompletionBody(TypedDict):
    model: NotRequired[str]
    messages: list[CompletionBodyMessagesItem]
    stream: NotRequired[bool]
    stream_options: NotRequired[CompletionBodyStreamOptions]
    tools: NotRequired[Any]
    tool_choice: NotRequired[Any]
    parallel_tool_calls: NotRequired[bool]
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    store: NotRequired[bool]
    frequency_penalty: NotRequired[float]
    presence_penalty: NotRequired[float]
    seed: NotRequired[float]
    max_tokens: NotRequired[float]
    max_completion_tokens: NotRequired[float]
    verbosity: NotRequired[str]
    response_format: NotRequired[Any]
    reasoning_effort: NotRequired[str]


class CompletionChunkChoicesItemDelta(TypedDict):
    role: NotRequired[Literal["assistant"]]
    content: NotRequired[str]
    tool_calls: NotRequired[list[OpenAiToolCallPiece]]


class CompletionChunkChoicesItem(TypedDict):
    index: int
    delta: CompletionChunkChoicesItemDelta
    logprobs: None
    finish_reason: Literal["stop", "length", "content_filter", "tool_calls", None]


class CompletionChunkUsagePromptTokensDetails(TypedDict):
    cached_tokens: int
    audio_tokens: int


class CompletionChunkUsageCompletionTokensDetails(TypedDict):
    reasoning_tokens: int
    audio_tokens: int
    accepted_prediction_tokens: int
    rejected_prediction_tokens: int


class CompletionChunkUsage(TypedDict):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: CompletionChunkUsagePromptTokensDetails
    completion_tokens_details: CompletionChunkUsageCompletionTokensDetails


class CompletionChunk(TypedDict):
    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[CompletionChunkChoicesItem]
    usage: NotRequired[CompletionChunkUsage]


class CompletionEvent1(TypedDict):
    data: CompletionChunk


class CompletionEvent2(TypedDict):
    data: OpenAiError


CompletionEvent: TypeAlias = Union["CompletionEvent1", "CompletionEvent2"]


class CompressAnswer(TypedDict):
    ok: bool
    session: SessionDetail
    summary: CompressionSummary
    focus_topic: str | None


class CompressedUsage(TypedDict):
    context_tokens_before: int
    post_compression_context_tokens_estimate: int


class Compressed(TypedDict):
    """the earlier part has been summarised; the four ids are the same"""

    session_id: str
    old_session_id: str
    new_session_id: str
    continuation_session_id: str
    message: str
    usage: CompressedUsage


class Compressing(TypedDict):
    """the earlier part of the conversation is being summarised for the model"""

    session_id: str
    message: str


class CompressionStatus(TypedDict):
    ok: bool
    status: Literal["idle", "running", "done", "error"]
    session_id: str
    focus_topic: str | None
    started_at: float | None
    updated_at: float | None
    summary: CompressionSummary | None
    error: str | None


class CompressionSummary(TypedDict):
    headline: str
    token_line: str
    note: str
    reference_message: str


class ConfigProblem(TypedDict):
    path: str
    line: int | None
    level: Literal["error", "warning"]
    message: str


class CreatedProfile(TypedDict):
    ok: Literal[True]
    profile: Profile


class CronAnswer(TypedDict):
    ok: Literal[True]
    job: CronJob


class CronChange(TypedDict):
    """a job has changed, or one of its runs started, ended or was skipped; sent once"""

    job_id: str
    profile: str | None
    name: str | None
    event: Literal["created", "updated", "removed", "started", "ended", "skipped", "delivered"]
    status: str | None
    session_id: str | None
    toast: bool
    at: float


class CronHistoryRunsItemUsage(TypedDict):
    """usage of the turn of the run"""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    estimated_cost: float | None
    model: str | None


class CronHistoryRunsItem(TypedDict):
    filename: str
    size: int
    modified: float
    usage: CronHistoryRunsItemUsage | None


class CronHistory(TypedDict):
    job_id: str
    runs: list[CronHistoryRunsItem]
    total: int
    offset: int


class CronJobRepeat(TypedDict):
    times: int | None
    completed: int


class CronJobOrigin(TypedDict):
    """the conversation that created the job"""

    session_id: str


class CronJobLatestExecution(TypedDict):
    """the latest run"""

    session_id: str | None
    stream_id: str | None
    status: Literal["queued", "running", "ok", "error", "blocked_config"]
    started_at: str | None
    ended_at: str | None


class CronJob(TypedDict):
    id: str
    job_id: str
    name: str
    prompt: str
    skills: list[str]
    skill: str | None
    model: str | None
    provider: str | None
    provider_snapshot: None
    model_snapshot: None
    base_url: None
    script: None
    no_agent: Literal[False]
    context_from: None
    enabled_toolsets: None
    profile: str | None
    workspace: str | None
    workdir: str | None
    schedule: Schedule
    schedule_display: str
    repeat: CronJobRepeat
    enabled: bool
    state: Literal["scheduled", "paused", "completed", "error"]
    paused_at: str | None
    paused_reason: str | None
    created_at: str | None
    next_run_at: str | None
    last_run_at: str | None
    last_skipped_at: str | None
    last_status: Literal["ok", "error", "delivery_failed", "blocked_config", None]
    last_error: str | None
    last_delivery_error: str | None
    failure_streak: int
    deliver: str
    origin: CronJobOrigin | None
    ask: Literal["deny", "wait"]
    toast_notifications: bool
    latest_execution: CronJobLatestExecution | None


class CronList(TypedDict):
    jobs: list[CronJob]
    active_profile: str
    all_profiles: bool
    other_profile_count: int


class CronOutputOutputsItem(TypedDict):
    filename: str
    content: str


class CronOutput(TypedDict):
    job_id: str
    outputs: list[CronOutputOutputsItem]


class CronPreview(TypedDict):
    ok: Literal[True]
    schedule: Schedule
    schedule_display: str
    next_runs: list[str]
    days: list[str]


class CronRecentCompletionsItem(TypedDict):
    job_id: str
    name: str
    status: str | None
    completed_at: float
    toast_notifications: bool
    session_id: str | None
    message_count: NotRequired[int]


class CronRecent(TypedDict):
    completions: list[CronRecentCompletionsItem]
    since: float


class CronRunUsage(TypedDict):
    """usage of the turn of the run"""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    estimated_cost: float | None
    model: str | None


class CronRun(TypedDict):
    job_id: str
    filename: str
    content: str
    snippet: str
    usage: CronRunUsage | None


class CronStatus1(TypedDict):
    job_id: str
    running: bool
    elapsed: float


class CronStatus2(TypedDict):
    running: dict[str, float]


CronStatus: TypeAlias = Union["CronStatus1", "CronStatus2"]


class CuratedMemory(TypedDict):
    section: Literal["memory", "user", "soul"]
    text: str
    diff: str
    version: str


class CustomProviderReply(TypedDict):
    ok: Literal[True]
    provider: str
    display_name: str
    base_url: str


class DayUse(TypedDict):
    date: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    sessions: int
    cost: float


class DefaultModelReply(TypedDict):
    ok: Literal[True]
    model: str
    provider: str


class DeleteAnswer(TypedDict):
    ok: bool
    kept: NotRequired[Literal[True]]
    worktree_retained: NotRequired[bool]
    worktree_path: NotRequired[str | None]
    worktree_branch: NotRequired[str | None]
    worktree_repo_root: NotRequired[str | None]


class DeletedCron(TypedDict):
    ok: Literal[True]
    job_id: str


class DeletedEntry(TypedDict):
    ok: bool
    path: str
    trash_id: str | None


class DeletedHook(TypedDict):
    ok: Literal[True]
    id: str


class DeletedProfile(TypedDict):
    ok: Literal[True]
    name: str


class DeletedSkill(TypedDict):
    ok: Literal[True]
    name: str


class DeliveryOptionsPlatformsItem(TypedDict):
    value: str
    label: str


class DeliveryOptions(TypedDict):
    platforms: list[DeliveryOptionsPlatformsItem]


class Device(TypedDict):
    id: str
    name: str
    scope: Literal["read"] | Literal["chat"] | Literal["approve"] | Literal["admin"]
    kind: Literal["token"] | Literal["browser"]
    created_at: float
    expires_at: float | None
    is_expired: bool
    last_used_at: float | None
    made_by: str | None
    is_current: bool


class DeviceMade(TypedDict):
    ok: Literal[True]
    token: str
    device: Device


class Devices(TypedDict):
    tokens: list[Device]


class DevicesChanged(TypedDict):
    ok: Literal[True]
    tokens: list[Device]


class DevicesRevoked(TypedDict):
    ok: Literal[True]
    revoked: list[str]
    tokens: list[Device]


class DiagnosticsCheck(TypedDict):
    title: str
    id: str
    group: Literal["service", "storage", "access", "agent", "models", "connections"]
    about: str | None
    status: Literal["ok", "warning", "error", "skipped"]
    message: str
    fix: str | None
    code: str | None
    values: NotRequired[dict[str, str]]


class DiagnosticsReport(TypedDict):
    status: Literal["ok", "warning", "error"]
    version: str
    at: float
    took_ms: int
    checks: list[DiagnosticsCheck]


class DiscoveredServersServersItem(TypedDict):
    provider: Literal["ollama", "lmstudio", "llamacpp", "vllm", None]
    display_name: str
    base_url: str
    is_configured: bool
    models: list[ModelRow]
    models_total: int


class DiscoveredServers(TypedDict):
    servers: list[DiscoveredServersServersItem]


class Done(TypedDict):
    session: SessionDetail | SessionWithoutMessages
    session_id: str
    message_id: str | None
    usage: TurnUsage
    terminal_state: NotRequired[Literal["tool_limit_reached", "budget_exhausted", "client_calls"]]
    terminal_reason: NotRequired[Literal["max_iterations", "budget", "client_calls"]]
    finish_reason: NotRequired[Literal["length", "content_filter", "budget_exhausted"]]
    hint: NotRequired[str]


class DoneOnTheSideUsage(TypedDict):
    input_tokens: int
    output_tokens: int


class DoneOnTheSide(TypedDict):
    session: SessionDetail | SessionWithoutMessages
    session_id: str
    message_id: str | None
    ephemeral: Literal[True]
    answer: str
    usage: DoneOnTheSideUsage
    finish_reason: NotRequired[Literal["length", "content_filter", "budget_exhausted"]]
    hint: NotRequired[str]


class Draft(TypedDict):
    text: str
    files: list[Any]


class DraftAnswer(TypedDict):
    ok: bool
    draft: Draft


class Entry(TypedDict):
    """A file, folder or symlink of a workspace"""

    name: str
    path: str
    type: Literal["file", "dir", "symlink"]
    is_dir: bool
    size: int | None
    mtime_ns: int
    modified: float
    workspace_sort_rank: int
    target: NotRequired[str]
    target_outside_workspace: NotRequired[bool]


class EntryAnswer(TypedDict):
    ok: bool
    path: str


class ExportDocument(TypedDict):
    """A session in the form that an import accepts"""

    title: str
    format: int
    session_id: str
    display_title: str
    workspace: str
    host: NotRequired[str]
    model: str | None
    model_provider: str | None
    message_count: int
    user_message_count: int
    created_at: float
    updated_at: float
    last_message_at: float | None
    pinned: bool
    archived: bool
    project_id: str | None
    profile: str
    personality: str | None
    mode: NotRequired[Literal["plan"]]
    temporary: NotRequired[Literal[True]]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_hit_percent: int | None
    estimated_cost: float | None
    context_length: int | None
    window_usage_percent: int | None
    session_source: str
    source_tag: str
    raw_source: str
    is_cli_session: bool
    is_messaging_session: bool
    is_streaming: bool
    active_stream_id: str | None
    has_pending_user_message: bool
    pending_started_at: float | None
    default_hidden: bool
    worktree_path: str | None
    worktree_branch: str | None
    worktree_repo_root: str | None
    worktree_created_at: float | None
    parent_session_id: str | None
    relationship_type: str | None
    read_only: bool
    is_read_only: bool
    attention: Attention | None
    queued_count: NotRequired[int]
    resumes_at: NotRequired[float | None]
    threshold_tokens: NotRequired[int | None]
    last_prompt_tokens: NotRequired[int | None]
    compression_summary: NotRequired[str | None]
    compressed_before: NotRequired[int | None]
    messages: list[Message]
    tool_calls: list[ToolCard]
    context_messages: list[ModelMessage | None]


class ExtractedFiles(TypedDict):
    ok: bool
    extracted: int
    files: list[str]
    truncated: bool
    skipped: int
    dest: str


class FailedAbout(TypedDict):
    """whom and which model the message names; only if it is the usual sentence of its type, so that a client can say it in its own words. Absent: the message says more, and is shown as it is"""

    provider: str
    model: NotRequired[str]


class Failed(TypedDict):
    session: SessionDetail | SessionWithoutMessages | None
    session_id: str
    error: str
    message: str
    type: str
    hint: NotRequired[str]
    about: NotRequired[FailedAbout]
    retry_after: NotRequired[int]
    recovery_control: NotRequired[Literal[True]]
    stream_id: NotRequired[str]
    terminal_state: str


class Fault(TypedDict):
    """the service failed, and its log has the details under the id of the request"""

    error: str


class FeedEventSnapshotDataPromptsItemData(TypedDict):
    """as in the stream of the session"""

    pending: PendingApproval | PendingClarification | None
    pending_count: int


class FeedEventSnapshotDataPromptsItem(TypedDict):
    session_id: str
    session_title: str | None
    profile: str | None
    event: Literal["approval"] | Literal["clarify"]
    data: FeedEventSnapshotDataPromptsItemData
    waiting: list[PendingApproval | PendingClarification]


class FeedEventSnapshotData(TypedDict):
    profile: str
    list: SessionPage
    prompts: list[FeedEventSnapshotDataPromptsItem]
    settings: StoredSettings
    saved_settings: list[str]
    config_error: str | None
    config_problems: list[ConfigProblem]
    counts: HomeCounts


class FeedEventSnapshot(TypedDict):
    id: NotRequired[str]
    event: Literal["snapshot"]
    data: FeedEventSnapshotData


class FeedEventSessionsData(TypedDict):
    list: SessionPage


class FeedEventSessions(TypedDict):
    id: NotRequired[str]
    event: Literal["sessions"]
    data: FeedEventSessionsData


class FeedEventSessionData(TypedDict):
    session_id: str
    version: int
    session: PageRow


class FeedEventSession(TypedDict):
    id: NotRequired[str]
    event: Literal["session"]
    data: FeedEventSessionData


class FeedEventSessionGoneData(TypedDict):
    session_id: str
    version: int


class FeedEventSessionGone(TypedDict):
    id: NotRequired[str]
    event: Literal["session_gone"]
    data: FeedEventSessionGoneData


class FeedEventPromptsDataData(TypedDict):
    """as in the stream of the session"""

    pending: PendingApproval | PendingClarification | None
    pending_count: int


class FeedEventPromptsData(TypedDict):
    session_id: str
    session_title: str | None
    profile: str | None
    event: Literal["approval"] | Literal["clarify"]
    data: FeedEventPromptsDataData
    waiting: list[PendingApproval | PendingClarification]


class FeedEventPrompts(TypedDict):
    id: NotRequired[str]
    event: Literal["prompts"]
    data: FeedEventPromptsData


class FeedEventSettingsData(TypedDict):
    settings: StoredSettings
    saved_settings: list[str]


class FeedEventSettings(TypedDict):
    id: NotRequired[str]
    event: Literal["settings"]
    data: FeedEventSettingsData


class FeedEventHostsDataHostsItem(TypedDict):
    name: str
    state: Literal["ready", "away", "refused"]
    since: float


class FeedEventHostsData(TypedDict):
    """a machine has joined, disconnected or reconnected: read GET /api/hosts"""

    hosts: list[FeedEventHostsDataHostsItem]


class FeedEventHosts(TypedDict):
    """a machine has joined, disconnected or reconnected: read GET /api/hosts"""

    id: NotRequired[str]
    event: Literal["hosts"]
    data: FeedEventHostsData


class FeedEventProfileData(TypedDict):
    """config.yaml or .env of the profile has changed, or the profile was created or deleted"""

    profile: str
    exists: bool
    config_error: str | None
    config_problems: list[ConfigProblem]


class FeedEventProfile(TypedDict):
    """config.yaml or .env of the profile has changed, or the profile was created or deleted"""

    id: NotRequired[str]
    event: Literal["profile"]
    data: FeedEventProfileData


class FeedEventMemoryData(TypedDict):
    """a memory document has changed: read GET /api/memory"""

    profile: str
    section: Literal["memory", "user", "soul"]
    mtime: float | None


class FeedEventMemory(TypedDict):
    """a memory document has changed: read GET /api/memory"""

    id: NotRequired[str]
    event: Literal["memory"]
    data: FeedEventMemoryData


class FeedEventHomeData(TypedDict):
    """someone has looked at the home screen, or a turn has become silent or active again: read GET /api/home"""

    profile: str
    seen_at: int | None


class FeedEventHome(TypedDict):
    """someone has looked at the home screen, or a turn has become silent or active again: read GET /api/home"""

    id: NotRequired[str]
    event: Literal["home"]
    data: FeedEventHomeData


class FeedEventCountsData(TypedDict):
    """the numbers of GET /api/home have changed; at most one frame a second"""

    profile: str
    counts: HomeCounts


class FeedEventCounts(TypedDict):
    """the numbers of GET /api/home have changed; at most one frame a second"""

    id: NotRequired[str]
    event: Literal["counts"]
    data: FeedEventCountsData


class FeedEventNoticeData(TypedDict):
    kind: str
    session_id: str
    ref: str
    at: float


class FeedEventNotice(TypedDict):
    id: NotRequired[str]
    event: Literal["notice"]
    data: FeedEventNoticeData


class FeedEventCron(TypedDict):
    """a job has changed, or one of its runs started, ended or was skipped; sent once"""

    id: NotRequired[str]
    event: Literal["cron"]
    data: CronChange


class FeedEventPull(TypedDict):
    """a pull request that was opened here has news on the forge; sent once"""

    id: NotRequired[str]
    event: Literal["pull"]
    data: PullNews


class FeedEventAttemptsChanged(TypedDict):
    """attempts have changed: read GET /api/attempts"""

    id: NotRequired[str]
    event: Literal["attempts_changed"]
    data: AttemptsChanged


class FeedEventChecksChanged(TypedDict):
    """the checks of a folder, or their runs, have changed: read GET /api/checks"""

    id: NotRequired[str]
    event: Literal["checks_changed"]
    data: ChecksChanged


class FeedEventTurnDataToken(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["token"]
    data: Token


class FeedEventTurnDataReasoning(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["reasoning"]
    data: Reasoning


class FeedEventTurnDataInterimAssistant(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["interim_assistant"]
    data: InterimAssistant


class FeedEventTurnDataTool(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["tool"]
    data: ToolStarted


class FeedEventTurnDataToolOutput(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["tool_output"]
    data: ToolOutput


class FeedEventTurnDataToolComplete(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["tool_complete"]
    data: ToolCompleted


class FeedEventTurnDataTodoState(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["todo_state"]
    data: TodoState


class FeedEventTurnDataMetering(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["metering"]
    data: Metering


class FeedEventTurnDataCompressing(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["compressing"]
    data: Compressing


class FeedEventTurnDataCompressed(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["compressed"]
    data: Compressed


class FeedEventTurnDataCheckpoint(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["checkpoint"]
    data: CheckpointTaken


class FeedEventTurnDataStateSaved(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["state_saved"]
    data: StateSaved


class FeedEventTurnDataWarning(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["warning"]
    data: Warning


class FeedEventTurnDataParked(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["parked"]
    data: TurnParked


class FeedEventTurnDataResumed(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["resumed"]
    data: TurnResumed


class FeedEventTurnDataTitle(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["title"]
    data: TitleFound


class FeedEventTurnDataPendingSteerLeftover(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["pending_steer_leftover"]
    data: SteerLeftover


class FeedEventTurnDataDone(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["done"]
    data: Done | DoneOnTheSide | LostFrame


class FeedEventTurnDataStreamEnd(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["stream_end"]
    data: StreamEnd | LostFrame


class FeedEventTurnDataCancel(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["cancel"]
    data: Cancelled | LostFrame


class FeedEventTurnDataApperror(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["apperror"]
    data: Failed | LostFrame


class FeedEventTurnDataGoal(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["goal"]
    data: GoalState


class FeedEventTurnDataGoalContinue(TypedDict):
    session_id: str
    stream_id: str
    id: str
    event: Literal["goal_continue"]
    data: GoalContinue


class FeedEventTurn(TypedDict):
    """event and data as in the stream of the turn"""

    id: NotRequired[str]
    event: Literal["turn"]
    data: FeedEventTurnDataToken | FeedEventTurnDataReasoning | FeedEventTurnDataInterimAssistant | FeedEventTurnDataTool | FeedEventTurnDataToolOutput | FeedEventTurnDataToolComplete | FeedEventTurnDataTodoState | FeedEventTurnDataMetering | FeedEventTurnDataCompressing | FeedEventTurnDataCompressed | FeedEventTurnDataCheckpoint | FeedEventTurnDataStateSaved | FeedEventTurnDataWarning | FeedEventTurnDataParked | FeedEventTurnDataResumed | FeedEventTurnDataTitle | FeedEventTurnDataPendingSteerLeftover | FeedEventTurnDataDone | FeedEventTurnDataStreamEnd | FeedEventTurnDataCancel | FeedEventTurnDataApperror | FeedEventTurnDataGoal | FeedEventTurnDataGoalContinue


class FeedEventTurnUnknownData(TypedDict):
    session_id: str | None
    stream_id: str
    error: str


class FeedEventTurnUnknown(TypedDict):
    id: NotRequired[str]
    event: Literal["turn_unknown"]
    data: FeedEventTurnUnknownData


class FeedEventConversationDataInitial(TypedDict):
    session_id: str
    event: Literal["initial"]
    data: SessionNews


class FeedEventConversationDataSessionUpdated(TypedDict):
    session_id: str
    event: Literal["session-updated"]
    data: SessionUpdated


class FeedEventConversationDataServerTurnStarted(TypedDict):
    session_id: str
    event: Literal["server_turn_started"]
    data: ServerTurnStarted


class FeedEventConversationDataQueueChanged(TypedDict):
    session_id: str
    event: Literal["queue_changed"]
    data: QueueChanged


class FeedEventConversationDataReviewsChanged(TypedDict):
    session_id: str
    event: Literal["reviews_changed"]
    data: ReviewsChanged


class FeedEventConversationDataPlanChanged(TypedDict):
    session_id: str
    event: Literal["plan_changed"]
    data: PlanChanged


class FeedEventConversationDataViewCallsChanged(TypedDict):
    session_id: str
    event: Literal["view_calls_changed"]
    data: ViewCallsChanged


class FeedEventConversationDataBgTaskComplete(TypedDict):
    session_id: str
    event: Literal["bg_task_complete"]
    data: BackgroundTaskComplete


class FeedEventConversation(TypedDict):
    """event and data as in the stream of the session"""

    id: NotRequired[str]
    event: Literal["conversation"]
    data: FeedEventConversationDataInitial | FeedEventConversationDataSessionUpdated | FeedEventConversationDataServerTurnStarted | FeedEventConversationDataQueueChanged | FeedEventConversationDataReviewsChanged | FeedEventConversationDataPlanChanged | FeedEventConversationDataViewCallsChanged | FeedEventConversationDataBgTaskComplete


class FeedEventConversationUnknownData(TypedDict):
    session_id: str
    error: str


class FeedEventConversationUnknown(TypedDict):
    id: NotRequired[str]
    event: Literal["conversation_unknown"]
    data: FeedEventConversationUnknownData


class FeedEventFolderDataData(TypedDict):
    """as in the stream of the folder"""

    workspace: str
    path: str
    signature: str | None


class FeedEventFolderData(TypedDict):
    session_id: str
    path: str
    event: Literal["initial"] | Literal["workspace_changed"]
    data: FeedEventFolderDataData


class FeedEventFolder(TypedDict):
    id: NotRequired[str]
    event: Literal["folder"]
    data: FeedEventFolderData


class FeedEventFolderUnknownData(TypedDict):
    session_id: str
    path: str
    error: str


class FeedEventFolderUnknown(TypedDict):
    id: NotRequired[str]
    event: Literal["folder_unknown"]
    data: FeedEventFolderUnknownData


FeedEvent: TypeAlias = Union["FeedEventSnapshot", "FeedEventSessions", "FeedEventSession", "FeedEventSessionGone", "FeedEventPrompts", "FeedEventSettings", "FeedEventHosts", "FeedEventProfile", "FeedEventMemory", "FeedEventHome", "FeedEventCounts", "FeedEventNotice", "FeedEventCron", "FeedEventPull", "FeedEventAttemptsChanged", "FeedEventChecksChanged", "FeedEventTurn", "FeedEventTurnUnknown", "FeedEventConversation", "FeedEventConversationUnknown", "FeedEventFolder", "FeedEventFolderUnknown"]


class FileMatches(TypedDict):
    entries: list[Entry]
    query: str
    workspace: str
    truncated: bool


class FileText(TypedDict):
    path: str
    content: str
    size: int
    lines: int
    mtime_ns: int
    version: str
    mime: str
    is_binary: bool
    is_lossy: bool
    preview: Preview | None


class FolderEventInitial(TypedDict):
    """the state of the folder: once at the start, then whenever something in it has changed"""

    id: NotRequired[str]
    event: Literal["initial"]
    data: FolderState


class FolderEventWorkspaceChanged(TypedDict):
    """the state of the folder: once at the start, then whenever something in it has changed"""

    id: NotRequired[str]
    event: Literal["workspace_changed"]
    data: FolderState


class FolderEventWorkspaceUnreachable(TypedDict):
    """the machine of the folder is not connected; `initial` follows when it is back"""

    id: NotRequired[str]
    event: Literal["workspace_unreachable"]
    data: FolderUnreachable


FolderEvent: TypeAlias = Union["FolderEventInitial", "FolderEventWorkspaceChanged", "FolderEventWorkspaceUnreachable"]


class FolderList(TypedDict):
    entries: list[Entry]
    signature: str
    path: str
    workspace: str
    workspace_recovered: bool


class FolderState(TypedDict):
    """the state of the folder: once at the start, then whenever something in it has changed"""

    workspace: str
    path: str
    signature: str | None


class FolderUnreachable(TypedDict):
    """the machine of the folder is not connected; `initial` follows when it is back"""

    workspace: str
    path: str
    error: str


class ForgeInfo(TypedDict):
    kind: Literal["github", "gitlab", "gitea"]
    name: str
    host: str
    url: str
    token_from: Literal["profile", "gh", "glab", None]


class ForgeList(TypedDict):
    forges: list[ForgeInfo]


class ForgeSet(TypedDict):
    ok: Literal[True]
    forge: ForgeInfo


class FormFieldOptionsItem(TypedDict):
    title: str
    value: str


class FormField(TypedDict):
    title: str
    name: str
    type: Literal["string", "number", "integer", "boolean", "array"]
    description: str
    required: bool
    options: NotRequired[list[FormFieldOptionsItem]]
    default: NotRequired[str | float | bool | list[str]]
    format: NotRequired[Literal["email", "uri", "date", "date-time"]]
    min: NotRequired[float]
    max: NotRequired[float]


class FoundSession(TypedDict):
    title: str
    match_type: NotRequired[Literal["title", "content"]]
    match_preview: NotRequired[str]
    session_id: str
    display_title: str
    workspace: str
    host: NotRequired[str]
    model: str | None
    model_provider: str | None
    message_count: int
    user_message_count: int
    created_at: float
    updated_at: float
    last_message_at: float | None
    pinned: bool
    archived: bool
    project_id: str | None
    profile: str
    personality: str | None
    mode: NotRequired[Literal["plan"]]
    temporary: NotRequired[Literal[True]]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_hit_percent: int | None
    estimated_cost: float | None
    context_length: int | None
    window_usage_percent: int | None
    session_source: str
    source_tag: str
    raw_source: str
    is_cli_session: bool
    is_messaging_session: bool
    is_streaming: bool
    active_stream_id: str | None
    has_pending_user_message: bool
    pending_started_at: float | None
    default_hidden: bool
    worktree_path: str | None
    worktree_branch: str | None
    worktree_repo_root: str | None
    worktree_created_at: float | None
    parent_session_id: str | None
    relationship_type: str | None
    read_only: bool
    is_read_only: bool
    attention: Attention | None
    queued_count: NotRequired[int]
    resumes_at: NotRequired[float | None]


class GitBranch(TypedDict):
    name: str
    sha: str
    updated: int
    updated_relative: str
    author: str
    subject: str
    upstream: str | None
    ahead: int
    behind: int


class GitBranches(TypedDict):
    is_git: Literal[True]
    current: str
    detached: bool
    head: str
    upstream: str | None
    ahead: int
    behind: int
    local: list[GitBranch]
    remote: list[GitBranch]


class GitBranchesAnswer(TypedDict):
    branches: GitBranches


class GitChanged(TypedDict):
    ok: Literal[True]
    git: GitStatus | None


class GitCheckedOut(TypedDict):
    ok: Literal[True]
    git: GitStatus | None
    status: GitStatus | None
    branches: GitBranches | None
    current_branch: str
    message: str


class GitCommit(TypedDict):
    sha: str
    parents: list[str]
    author: str
    email: str
    authored_at: float
    committed_at: float
    committed_relative: str
    subject: str
    body: str
    refs: list[str]


class GitCommitted(TypedDict):
    ok: Literal[True]
    commit: str
    status: GitStatus | None
    git: GitStatus | None


class GitCommittedSelected(TypedDict):
    ok: Literal[True]
    commit: str
    paths: list[str]
    status: GitStatus | None
    git: GitStatus | None


class GitDiffAnswerDiff(TypedDict):
    path: str
    kind: str
    binary: bool
    too_large: bool
    additions: int
    deletions: int
    diff: str


class GitDiffAnswer(TypedDict):
    diff: GitDiffAnswerDiff


class GitFile(TypedDict):
    path: str
    workspace_path: str
    old_path: str | None
    status: str
    staged: bool
    unstaged: bool
    untracked: bool
    conflict: bool
    ignored: bool
    additions: int
    deletions: int
    binary: bool


class GitInfoAnswerGit(TypedDict):
    branch: str
    dirty: int
    modified: int
    untracked: int
    ahead: int
    behind: int
    is_git: Literal[True]


class GitInfoAnswer(TypedDict):
    git: GitInfoAnswerGit | None


class GitLogAnswer(TypedDict):
    commits: list[GitCommit]
    next_offset: int | None


class GitMessageAnswer(TypedDict):
    ok: Literal[True]
    message: str
    truncated: bool
    source: Literal["model", "summary"]


class GitShowAnswerFilesItem(TypedDict):
    path: str
    old_path: str | None
    status: str
    additions: int
    deletions: int
    binary: bool


class GitShowAnswer(TypedDict):
    commit: GitCommit
    files: list[GitShowAnswerFilesItem]
    diff: str
    too_large: bool
    truncated: bool


class GitStashCheckedOutRestoredStash(TypedDict):
    ref: str
    branch: str | None
    message: str


class GitStashCheckedOutRestoreStash(TypedDict):
    ref: str
    branch: str | None
    message: str


class GitStashCheckedOut(TypedDict):
    ok: Literal[True]
    git: GitStatus | None
    status: GitStatus | None
    branches: GitBranches | None
    current_branch: str
    message: str
    stash_name: str
    stashed: bool
    restored_stash: GitStashCheckedOutRestoredStash | None
    restore_failed: bool
    restore_error: str | None
    restore_stash: GitStashCheckedOutRestoreStash | None


class GitStashesAnswerStashesItem(TypedDict):
    ref: str
    sha: str
    branch: str | None
    message: str
    created_at: float


class GitStashesAnswer(TypedDict):
    stashes: list[GitStashesAnswerStashesItem]


class GitStatus1Totals(TypedDict):
    changed: int
    staged: int
    unstaged: int
    untracked: int
    conflicts: int


class GitStatus1(TypedDict):
    is_git: Literal[True]
    branch: str
    detached: bool
    upstream: str | None
    ahead: int
    behind: int
    totals: GitStatus1Totals
    files: list[GitFile]
    truncated: bool


class GitStatus2(TypedDict):
    is_git: Literal[False]


GitStatus: TypeAlias = Union["GitStatus1", "GitStatus2"]


class GitStatusAnswer(TypedDict):
    git: GitStatus


class GitTalked(TypedDict):
    ok: Literal[True]
    message: str
    status: GitStatus | None
    git: GitStatus | None


class Goal(TypedDict):
    goal: str
    status: Literal["active", "paused", "done", "cleared"]
    turns_used: int
    max_turns: int
    last_verdict: Literal["done", "continue", "skipped", None]
    last_reason: str | None
    paused_reason: str | None
    paused_code: Literal["person", "turns", "budget", "cancelled", "failed", "cut_off", "not_started", "judge_silent", "judge_unclear", None]


class GoalAnswer(TypedDict):
    title: NotRequired[str]
    ok: bool
    action: Literal["status", "pause", "resume", "clear", "set"]
    message: str
    message_key: str
    goal: Goal | None
    kickoff_prompt: NotRequired[str]
    stream_id: NotRequired[str]
    session_id: NotRequired[str]
    pending_started_at: NotRequired[float]
    turn_id: NotRequired[str]
    effective_model: NotRequired[str | None]
    effective_model_provider: NotRequired[str | None]


class GoalContinue(TypedDict):
    """the message of the next turn, which starts automatically"""

    session_id: str
    continuation_prompt: str | None
    text: str | None
    message: str
    message_key: str
    message_args: dict[str, str | float]
    decision: GoalDecision


class GoalDecision(TypedDict):
    status: Literal["active", "paused", "done", "cleared"]
    should_continue: bool
    continuation_prompt: str | None
    verdict: Literal["done", "continue", "skipped", None]
    reason: str | None
    message: str
    message_key: str
    message_args: dict[str, str | float]


class GoalState(TypedDict):
    """the state of the goal after this turn"""

    session_id: str
    state: Literal["evaluating", "continuing", "idle"]
    message: str
    message_key: str
    message_args: dict[str, str | float]
    goal: Goal
    decision: NotRequired[GoalDecision]


class GrantListGrantsItem(TypedDict):
    pattern_key: str


class GrantList(TypedDict):
    grants: list[GrantListGrantsItem]


class GrantRevokedGrantsItem(TypedDict):
    pattern_key: str


class GrantRevoked(TypedDict):
    ok: Literal[True]
    grants: list[GrantRevokedGrantsItem]


class Health(TypedDict):
    status: Literal["ok", "degraded", "upgrading"]
    reason: NotRequired[Literal["disk_full", "disk_read_only", "disk_failing", "database_locked", "database_damaged", "no_file_handles", "upgrading"]]
    message: NotRequired[str]
    progress: NotRequired[float]
    sessions: NotRequired[int]
    active_streams: int
    active_runs: int
    uptime_seconds: float
    log_lines_dropped: int


class HomeFinishedItemProblemAbout(TypedDict):
    """whom and which model the message names; only if it is the usual sentence of its type, so that a client can say it in its own words. Absent: the message says more, and is shown as it is"""

    provider: str
    model: NotRequired[str]


class HomeFinishedItemProblem(TypedDict):
    """the error that the turn ended with; null: it ended with an answer, or without one"""

    type: str | None
    message: str
    about: NotRequired[HomeFinishedItemProblemAbout]


class HomeFinishedItem(TypedDict):
    title: str
    session_id: str
    finished_at: int
    excerpt: str
    files_changed: int
    state: Literal["done", "failed", "stopped"]
    source: Literal["chat", "task"]
    problem: HomeFinishedItemProblem | None
    job_id: NotRequired[str]


class HomeRunningItemParked(TypedDict):
    """the turn waits for the limit of this provider; null: it does not"""

    provider: str
    resumes_at: int | None
    problem: str | None


class HomeRunningItem(TypedDict):
    title: str
    session_id: str
    started_at: int
    note: str | None
    silent: SilentTurn | None
    parked: HomeRunningItemParked | None


class HomeWaitingItemParked(TypedDict):
    provider: str
    resumes_at: int | None
    problem: str | None


class HomeWaitingItem(TypedDict):
    title: str
    id: str
    session_id: str
    kind: Literal["approval", "question", "limit"]
    since: int
    expires_at: int | None
    parked: NotRequired[HomeWaitingItemParked]


class HomeQueuesItemHeld(TypedDict):
    """why the queue is held; null: it continues automatically"""

    reason: Literal["failed", "cancelled", "budget", "restored", "waiting", "limit"]


class HomeQueuesItem(TypedDict):
    title: str
    session_id: str
    count: int
    held: HomeQueuesItemHeld | None
    not_before: int | None


class HomeNextRun(TypedDict):
    """the next run of a scheduled job"""

    job_id: str
    name: str
    at: int


class HomeFailedRunsItem(TypedDict):
    job_id: str
    name: str
    at: int
    error: str


class Home(TypedDict):
    seen_at: int | None
    now: int
    finished: list[HomeFinishedItem]
    files_changed: int
    running: list[HomeRunningItem]
    waiting: list[HomeWaitingItem]
    queued: int
    queues: list[HomeQueuesItem]
    next_run: HomeNextRun | None
    failed_runs: list[HomeFailedRunsItem]


class HomeCounts(TypedDict):
    """GET /api/home as numbers"""

    running: int
    silent: int
    waiting: int
    queued: int
    ended: int
    failed: int


class Hook(TypedDict):
    id: str
    path: str
    job_id: str
    name: str
    template: str
    events: list[str]
    match: dict[str, str]
    profile: str
    workspace: str | None
    model: str | None
    provider: str | None
    skills: list[str]
    ask: Literal["deny", "wait"]
    daily_budget_usd: float | None
    deliver: str
    enabled: bool
    created_at: float
    calls: int
    last_call_at: float | None
    last_outcome: Literal["started", "event", "match", "paused", "ping", None]
    last_run_at: float | None
    last_status: Literal["ok", "error", "delivery_failed", "blocked_config", None]
    last_error: str | None


class HookAnswer(TypedDict):
    ok: Literal[True]
    hook: Hook


class HookCalled(TypedDict):
    ok: Literal[True]
    started: bool
    reason: Literal["duplicate", "started", "event", "match", "paused", "ping", None]
    run_id: str | None


class HookCalls(TypedDict):
    calls: list[HookLogEntry]
    payload: str | None


class HookList(TypedDict):
    hooks: list[Hook]


class HookLogEntry(TypedDict):
    at: float
    outcome: Literal["started", "event", "match", "paused", "ping", "duplicate", "refused", "invalid", "busy"]
    event: str | None
    count: int
    run_id: str | None
    session_id: str | None
    state: Literal["queued", "running", "done", "skipped", None]
    status: str | None


class HookPreview(TypedDict):
    request: str
    events: list[str]
    reason: Literal["event", "match", None]


class HookSecret(TypedDict):
    ok: Literal[True]
    hook: Hook
    secret: str


class HostModelsItem(TypedDict):
    profile: str
    provider: str
    id: str
    label: str


class HostSandbox(TypedDict):
    available: bool
    reason: NotRequired[str]


class HostLoad(TypedDict):
    """null: the machine is not connected"""

    one_minute: float
    cores: int
    memory_free_mb: int
    runs: int


class Host(TypedDict):
    """A machine that turns can run on"""

    name: str | None
    state: Literal["ready", "away", "refused"]
    since: float
    note: str | None
    version: str | None
    platform: str | None
    profiles: list[str]
    models: list[HostModelsItem]
    sandbox: HostSandbox | None
    load: HostLoad | None
    workspaces: list[str]


class Hosts(TypedDict):
    enabled: bool
    connected: bool
    error: str | None
    hosts: list[Host]


class ImportAnswerDropped(TypedDict):
    system: int
    context: int


class ImportAnswer(TypedDict):
    ok: bool
    session: SessionDetail
    dropped: NotRequired[ImportAnswerDropped]
    warning: NotRequired[str]


class ImportedSkillsImportedItem(TypedDict):
    name: str
    path: str
    replaced: bool


class ImportedSkills(TypedDict):
    ok: Literal[True]
    imported: list[ImportedSkillsImportedItem]


class InsightsActivityByDayItem(TypedDict):
    day: Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    sessions: int


class InsightsActivityByHourItem(TypedDict):
    hour: int
    sessions: int


class Insights(TypedDict):
    """Usage of a period of whole days, in the time zone of the service"""

    period_days: int
    total_sessions: int
    total_messages: int
    total_input_tokens: int
    total_output_tokens: int
    total_cache_read_tokens: int
    total_cache_hit_percent: int | None
    total_tokens: int
    total_cost: float
    models: list[ModelUse]
    daily_tokens: list[DayUse]
    activity_by_day: list[InsightsActivityByDayItem]
    activity_by_hour: list[InsightsActivityByHourItem]


class InsightsBreakdownKindsItem(TypedDict):
    kind: str
    turns: int
    total_tokens: int
    cost: float


class InsightsBreakdownProjectsItem(TypedDict):
    project_id: str | None
    name: str | None
    turns: int
    total_tokens: int
    cost: float


class InsightsBreakdownToolsItem(TypedDict):
    tool: str
    calls: int
    failures: int
    total_seconds: float
    mean_seconds: float


class InsightsBreakdownJobsItem(TypedDict):
    job_id: str
    name: str | None
    runs: int
    failures: int
    turns: int
    total_tokens: int
    cost: float


class InsightsBreakdownPromptsItem(TypedDict):
    kind: Literal["approval", "clarify"]
    asked: int
    allowed: int
    denied: int
    answered: int
    expired: int
    cancelled: int
    open: int


class InsightsBreakdown(TypedDict):
    period_days: int
    kinds: list[InsightsBreakdownKindsItem]
    projects: list[InsightsBreakdownProjectsItem]
    tools: list[InsightsBreakdownToolsItem]
    tools_since: str | None
    jobs: list[InsightsBreakdownJobsItem]
    prompts: list[InsightsBreakdownPromptsItem]


class InsightsExportItem1(TypedDict):
    date: str
    model: str
    turns: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost: float | None


class InsightsExportItem2(TypedDict):
    date: str
    kind: str
    turns: int
    total_tokens: int
    cost: float


class InsightsExportItem3(TypedDict):
    date: str
    project_id: str | None
    name: str | None
    turns: int
    total_tokens: int
    cost: float


class InsightsExportItem4(TypedDict):
    date: str
    tool: str
    calls: int
    failures: int
    total_seconds: float


class InsightsExportItem5(TypedDict):
    date: str
    job_id: str
    name: str | None
    runs: int
    failures: int
    turns: int
    total_tokens: int
    cost: float


class InsightsExportItem6(TypedDict):
    date: str
    kind: Literal["approval", "clarify"]
    asked: int
    allowed: int
    denied: int
    answered: int
    expired: int
    cancelled: int
    open: int


InsightsExport: TypeAlias = Union["list[InsightsExportItem1 | InsightsExportItem2 | InsightsExportItem3 | InsightsExportItem4 | InsightsExportItem5 | InsightsExportItem6]"]


class InspectedSkillFilesItem(TypedDict):
    path: str
    size: int
    executable: bool
    script: bool


class InspectedSkillConflict(TypedDict):
    """the profile's own skill of this name; null: none"""

    path: str
    same: bool


class InspectedSkill(TypedDict):
    id: str
    name: str
    description: str
    warning: str | None
    problem: str | None
    content: str
    files: list[InspectedSkillFilesItem]
    conflict: InspectedSkillConflict | None
    hides: list[Literal["profile", "external", "plugin", "claude", "shipped"]]


class InstallableAgent(TypedDict):
    id: str
    name: str
    description: str
    licence: str
    page: str | None
    version: str
    install: str
    command: list[str]
    preset: bool


class InterimAssistant(TypedDict):
    """true: the text repeats what was streamed before a tool call. false: what was streamed since the last tool call is void, because a retry answers differently; this text replaces it"""

    text: str
    already_streamed: bool


class JobChange(TypedDict):
    """For a change of a scheduled job: what `diff` says as text. Without `before` the job is new, without `after` it is removed. Both are absent if `diff` is too long for a card"""

    action: Literal["create", "update", "pause", "resume", "remove"]
    name: str
    before: NotRequired[JobFacts]
    after: NotRequired[JobFacts]
    prompt_diff: NotRequired[str]


class JobFacts(TypedDict):
    """A scheduled job, as it is or would be"""

    name: str
    kind: Literal["cron", "interval", "once", "hook"]
    schedule: str
    words: NotRequired[str]
    zone: str
    next_runs: list[str]
    state: Literal["scheduled", "paused", "completed", "error"]
    deliver: str
    model: NotRequired[str]
    skills: NotRequired[list[str]]
    workspace: NotRequired[str]
    ask: Literal["deny", "wait"]
    prompt: str


class LiveModelsReply(TypedDict):
    provider: str | None
    models: list[ModelRow]
    count: int
    error: NotRequired[str]


class LoggedIn(TypedDict):
    ok: Literal[True]
    message: NotRequired[str]


class LoggedOut(TypedDict):
    ok: Literal[True]


class LostFrame(TypedDict):
    """stands for a frame that is too large to be sent again: load the session"""

    message: str
    error: str
    session: None
    usage: None


class McpClientDocument(TypedDict):
    client_id: str
    client_name: str
    redirect_uris: list[str]
    grant_types: list[str]
    response_types: list[str]
    token_endpoint_auth_method: str
    application_type: str


class McpEventMessage(TypedDict):
    """a message of the Model Context Protocol (JSON-RPC 2.0)"""

    id: NotRequired[str]
    event: Literal["message"]
    data: dict[str, Any]


McpEvent: TypeAlias = Union["McpEventMessage"]


class McpPromptsPromptsItemArgumentsItem(TypedDict):
    name: str
    description: str
    required: bool


class McpPromptsPromptsItem(TypedDict):
    server: str
    name: str
    description: str
    arguments: list[McpPromptsPromptsItemArgumentsItem]


class McpPrompts(TypedDict):
    prompts: list[McpPromptsPromptsItem]


class McpServerOauth(TypedDict):
    """the sign-in settings; the secret is never shown"""

    client_id: str | None
    scope: str | None
    issuer: str | None


class McpServerLeftOutItem(TypedDict):
    tool: str
    reason: str


class McpServer(TypedDict):
    name: str
    plugin: str | None
    transport: Literal["stdio"] | Literal["http"] | None
    enabled: bool
    status: Literal["disabled"] | Literal["idle"] | Literal["starting"] | Literal["ready"] | Literal["needs_sign_in"] | Literal["failed"]
    error: str | None
    command: str | None
    args: list[str]
    url: str | None
    env: list[str]
    headers: list[str]
    signed_in: bool
    oauth: McpServerOauth | None
    cwd: str | None
    sandbox: bool
    sampling: bool
    timeout: float
    connect_timeout: float
    include: list[str] | None
    exclude: list[str]
    tools_count: int
    tool_count: int
    toggle_supported: Literal[True]
    tools: list[McpTool]
    left_out: list[McpServerLeftOutItem]
    started_at: float | None
    log: list[str]


class McpServers(TypedDict):
    servers: list[McpServer]


class McpTool(TypedDict):
    name: str
    tool: str
    description: str
    read_only: bool | None


class McpToolsToolsItem(TypedDict):
    server: str
    name: str
    tool: str
    description: str
    read_only: bool | None


class McpTools(TypedDict):
    tools: list[McpToolsToolsItem]


class McpViewPageDomains(TypedDict):
    """the network hosts that the server declares for the view"""

    connect: list[str]
    resource: list[str]
    frame: list[str]
    base: list[str]


class McpViewPage(TypedDict):
    """null: it is no longer kept"""

    html: str
    domains: McpViewPageDomains


class McpView(TypedDict):
    call_id: str
    server: str
    tool: str
    uri: str
    page: McpViewPage | None
    arguments: dict[str, Any]
    result: Any


class McpViewCall1(TypedDict):
    state: Literal["done"]
    result: Any


class McpViewCall2(TypedDict):
    state: Literal["refused"]
    message: str


class McpViewCall3(TypedDict):
    state: Literal["asked"]
    ask_id: str
    server: str
    tool: str | None
    arguments: dict[str, Any]
    description: str
    may_last: bool


McpViewCall: TypeAlias = Union["McpViewCall1", "McpViewCall2", "McpViewCall3"]


class McpViewCalls(TypedDict):
    calls: list[McpViewMade]


class McpViewMade(TypedDict):
    id: str
    call_id: str
    server: str
    tool: str | None
    arguments: dict[str, Any]
    state: Literal["running", "done", "failed", "refused", "lost"]
    answer: str
    created_at: float


class McpViews(TypedDict):
    call_ids: list[str]


class MemoryDifference(TypedDict):
    section: Literal["memory", "user", "soul"]
    diff: str
    text: str


class MemoryDocumentsProblemsItem(TypedDict):
    section: Literal["memory", "user", "soul"]
    problem: str


class MemoryDocuments(TypedDict):
    memory: str
    user: str
    soul: str
    memory_path: str
    user_path: str
    soul_path: str
    memory_mtime: float | None
    user_mtime: float | None
    soul_mtime: float | None
    memory_version: str
    user_version: str
    soul_version: str
    problems: list[MemoryDocumentsProblemsItem]
    max_bytes: int
    project_context: str
    project_context_path: str
    project_context_name: str
    project_context_workspace: str
    project_context_mtime: float | None
    project_context_shadowed: list[str]
    external_notes_enabled: bool


class MemoryHistoryVersionsItem(TypedDict):
    id: int
    author: Literal["person", "agent", "disk"]
    created_at: float
    bytes: int
    missing: bool


class MemoryHistory(TypedDict):
    section: Literal["memory", "user", "soul"]
    versions: list[MemoryHistoryVersionsItem]


class MessageErrorAbout(TypedDict):
    """whom and which model the message names; only if it is the usual sentence of its type, so that a client can say it in its own words. Absent: the message says more, and is shown as it is"""

    provider: str
    model: NotRequired[str]


class Message(TypedDict):
    """A message of a transcript, in chat-completions form"""

    role: Literal["user", "assistant", "tool", "system"]
    content: str | list[dict[str, Any]]
    message_id: str
    tool_calls: NotRequired[list[MessageToolCall]]
    reasoning: NotRequired[str]
    attachments: NotRequired[list[MessageAttachment | str]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str]
    is_error: NotRequired[bool]
    duration: NotRequired[float]
    finish_reason: NotRequired[str]
    hint: NotRequired[str]
    timestamp: float
    _ts: float
    _source: NotRequired[str]
    _active_turn_user: NotRequired[bool]
    _partial: NotRequired[bool]
    _error: NotRequired[bool]
    _errorAbout: NotRequired[MessageErrorAbout]
    _unreadable: NotRequired[bool]
    _usedModel: NotRequired[str]
    _usedProvider: NotRequired[str]
    _turnDuration: NotRequired[float]
    _turnTps: NotRequired[float]
    _firstTokenMs: NotRequired[float]
    id: NotRequired[str]
    tool_use_id: NotRequired[str]
    reasoning_content: NotRequired[str]
    thinking: NotRequired[str]
    _reasoning: NotRequired[str]
    provider_details: NotRequired[str]
    provider_details_label: NotRequired[str]
    _partial_tool_calls: NotRequired[list[PartialToolCall]]
    _recovered: NotRequired[bool]
    _pending_journal_recovery: NotRequired[bool]
    _gatewayRouting: NotRequired[dict[str, Any]]
    _compressionRecovery: NotRequired[dict[str, Any]]
    _statusCard: NotRequired[dict[str, Any]]
    _anchor_activity_scene: NotRequired[dict[str, Any]]


class MessageAttachment(TypedDict):
    """A file sent with a message. Files of this service have all keys but filename"""

    name: NotRequired[str]
    filename: NotRequired[str]
    path: NotRequired[str]
    mime: NotRequired[str | None]
    size: NotRequired[float | None]
    is_image: NotRequired[bool]


class MessageToolCall(TypedDict):
    """A tool call of an assistant message. Calls of this service have id, type and function"""

    id: NotRequired[str]
    call_id: NotRequired[str]
    type: NotRequired[str]
    function: NotRequired[CalledFunction]
    name: NotRequired[str]
    args: NotRequired[str | dict[str, Any]]


class MessageVersions(TypedDict):
    """The sessions that hold the versions of a message of a person, and of what answered it"""

    index: int
    session_ids: list[str]


class Metering(TypedDict):
    """speed of the answer, at most once a second"""

    tps: float | None
    tps_available: bool
    estimated: bool
    high: None
    low: None
    active: int
    ttft_ms: int | None
    session_id: str


class ModelBadge(TypedDict):
    role: Literal["primary", "fallback", "auxiliary"]
    label: str
    provider: str
    tasks: list[str]


class ModelFallbacksFallbacksItemMeans(TypedDict):
    """the model that the entry stands for at present"""

    provider: str
    provider_name: str
    model: str
    label: str


class ModelFallbacksFallbacksItem(TypedDict):
    provider: str | None
    model: str | None
    means: ModelFallbacksFallbacksItemMeans | None
    problem: str | None


class ModelFallbacks(TypedDict):
    fallbacks: list[ModelFallbacksFallbacksItem]
    version: str


class ModelGroup(TypedDict):
    provider: str
    name: str
    provider_id: str
    models: list[ModelRow]
    extra_models: list[ModelRow]
    models_endpoint_error: NotRequired[str]


class ModelMessage(TypedDict):
    """A message as the model gets it, in the form of the AI SDK"""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | list[dict[str, Any]]
    providerOptions: NotRequired[dict[str, Any]]


class ModelPriceTiersItem(TypedDict):
    input_tokens_above: int
    input: float
    output: float


class ModelPrice(TypedDict):
    """What a model costs; 0: free of charge"""

    input: float
    output: float
    tiers: NotRequired[list[ModelPriceTiersItem]]


class ModelRow(TypedDict):
    id: str
    label: str
    name: str
    context_length: int | None
    price: ModelPrice | None
    vision: bool | None
    reasoning: bool | None


class ModelUse(TypedDict):
    model: str
    sessions: int
    input_tokens: int
    output_tokens: int
    cache_hit_percent: int | None
    total_tokens: int
    cost: float
    session_share: int
    token_share: int
    cost_share: int


class ModelsReply(TypedDict):
    active_provider: str | None
    default_model: str | None
    configured_model_badges: dict[str, ModelBadge]
    groups: list[ModelGroup]
    aliases: dict[str, str]


class MovedEntry(TypedDict):
    ok: bool
    old_path: str
    new_path: str


class NoSkill(TypedDict):
    success: Literal[False]
    error: str
    code: NotRequired[str]


class NotFound(TypedDict):
    """the session, stream (`stream not found`) or path does not exist, or the path lies outside the folder"""

    error: str
    code: NotRequired[Literal["preview_failed", "skipped", "too_large", "workspace_missing"]]


class NotRelayed(TypedDict):
    """the agent process did not confirm in time, or the speech service failed"""

    error: str
    code: NotRequired[Literal["forge_unreadable", "gateway_approval_relay_failed", "model_failed"]]
    ok: NotRequired[Literal[False]]


class NothingToDo(TypedDict):
    """no turn was found to undo or retry, so nothing was changed"""

    error: str


class Ok(TypedDict):
    ok: bool


class OkSession(TypedDict):
    ok: bool
    session: SessionDetail


class OpenAiErrorError(TypedDict):
    message: str
    type: str
    param: str | None
    code: str | None


class OpenAiError(TypedDict):
    """an error in the form that clients of OpenAI expect"""

    error: OpenAiErrorError


class OpenAiFunctionCall(TypedDict):
    type: Literal["function_call"]
    id: str
    call_id: str
    name: str
    arguments: str
    status: Literal["in_progress", "completed"]


class OpenAiModelArchitecture(TypedDict):
    input_modalities: list[Literal["text", "image"]]
    output_modalities: list[Literal["text"]]


class OpenAiModel(TypedDict):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    name: NotRequired[str]
    context_length: NotRequired[int]
    architecture: NotRequired[OpenAiModelArchitecture]
    supported_parameters: NotRequired[list[str]]


class OpenAiModels(TypedDict):
    object: Literal["list"]
    data: list[OpenAiModel]


class OpenAiOutputMessage(TypedDict):
    type: Literal["message"]
    id: str
    status: Literal["in_progress", "completed", "incomplete"]
    role: Literal["assistant"]
    content: list[OpenAiTextPart]


class OpenAiResponseError(TypedDict):
    code: str
    message: str


class OpenAiResponseIncompleteDetails(TypedDict):
    reason: Literal["content_filter", "max_output_tokens"]


class OpenAiResponseReasoning(TypedDict):
    effort: None
    summary: None


class OpenAiResponseTextFormat1(TypedDict):
    type: Literal["text", "json_object"]


class OpenAiResponseTextFormatJsonSchema(TypedDict):
    type: Literal["json_schema"]
    name: str
    description: NotRequired[str]
    schema: dict[str, Any]
    strict: bool


class OpenAiResponseText(TypedDict):
    format: OpenAiResponseTextFormat1 | OpenAiResponseTextFormatJsonSchema


class OpenAiResponseToolChoiceFunction(TypedDict):
    type: Literal["function"]
    name: str


class OpenAiResponseToolsItem(TypedDict):
    type: Literal["function"]
    name: str
    description: str | None
    parameters: dict[str, Any]
    strict: bool | None


class OpenAiResponseUsageInputTokensDetails(TypedDict):
    cached_tokens: int


class OpenAiResponseUsageOutputTokensDetails(TypedDict):
    reasoning_tokens: int


class OpenAiResponseUsage(TypedDict):
    input_tokens: int
    input_tokens_details: OpenAiResponseUsageInputTokensDetails
    output_tokens: int
    output_tokens_details: OpenAiResponseUsageOutputTokensDetails
    total_tokens: int


class OpenAiResponse(TypedDict):
    id: str
    object: Literal["response"]
    created_at: int
    status: Literal["in_progress", "completed", "incomplete", "failed", "cancelled"]
    background: bool
    error: OpenAiResponseError | None
    incomplete_details: OpenAiResponseIncompleteDetails | None
    instructions: str | None
    max_output_tokens: None
    model: str
    output: list[OpenAiOutputMessage | OpenAiFunctionCall]
    parallel_tool_calls: bool
    previous_response_id: str | None
    reasoning: OpenAiResponseReasoning
    store: bool
    temperature: None
    text: OpenAiResponseText
    tool_choice: Literal["auto", "required"] | OpenAiResponseToolChoiceFunction
    tools: list[OpenAiResponseToolsItem]
    top_p: None
    truncation: Literal["auto", "disabled"]
    usage: OpenAiResponseUsage | None
    user: None
    metadata: dict[str, str]


class OpenAiTextPart(TypedDict):
    type: Literal["output_text"]
    text: str
    annotations: list[Any]
    logprobs: list[Any]


class OpenAiToolCallFunction(TypedDict):
    name: str
    arguments: str


class OpenAiToolCall(TypedDict):
    id: str
    type: Literal["function"]
    function: OpenAiToolCallFunction


class OpenAiToolCallPieceFunction(TypedDict):
    name: NotRequired[str]
    arguments: str


class OpenAiToolCallPiece(TypedDict):
    index: int
    id: NotRequired[str]
    type: NotRequired[Literal["function"]]
    function: OpenAiToolCallPieceFunction


class OpenApprovalCommandPartsItem(TypedDict):
    program: str
    args: list[str]


class OpenApprovalRequest(TypedDict):
    """for a network request: its address"""

    method: str
    scheme: str
    host: str
    path: str


class OpenApprovalBudgetItem(TypedDict):
    scope: Literal["turn", "session", "attempts", "job", "day"]
    measure: Literal["usd", "tokens"]
    used: float
    limit: float
    up_to: float


class OpenApprovalMasksItem(TypedDict):
    field: str
    start: int
    end: int
    hidden: NotRequired[int]


class OpenApprovalRestItem(TypedDict):
    field: str
    at: int
    chars: int


class OpenApproval(TypedDict):
    type: Literal["approval"]
    session_title: str
    profile: str
    approval_id: str
    session_id: str
    command: str
    description: str
    reasons: NotRequired[list[Reason]]
    pattern_key: str
    pattern_keys: list[str]
    max_scope: str
    content: NotRequired[str]
    content_truncated: NotRequired[bool]
    file: NotRequired[str]
    diff: NotRequired[str]
    diff_truncated: NotRequired[bool]
    job_change: NotRequired[JobChange]
    diff_note: NotRequired[str]
    diff_note_reason: NotRequired[Reason]
    command_parts: NotRequired[list[OpenApprovalCommandPartsItem]]
    command_parts_truncated: NotRequired[bool]
    folder: NotRequired[str]
    sandboxed: NotRequired[bool]
    limited_by: NotRequired[Literal["container"]]
    request: NotRequired[OpenApprovalRequest]
    budget: NotRequired[list[OpenApprovalBudgetItem]]
    masks: NotRequired[list[OpenApprovalMasksItem]]
    rest: NotRequired[list[OpenApprovalRestItem]]
    requested_at: float
    timeout_seconds: float
    expires_at: float


class OpenPrompts(TypedDict):
    prompts: list[OpenApproval | OpenQuestion]
    approval_count: int
    clarify_count: int


class OpenQuestionForm(TypedDict):
    """a form, answered as a whole; `question` describes it as text, for clients without forms"""

    message: str
    fields: list[FormField]


class OpenQuestionLink(TypedDict):
    """a page that the person is asked to open; never open it automatically. `question` names it without its query and fragment"""

    host: str
    url: str | None


class OpenQuestionMasksItem(TypedDict):
    field: str
    start: int
    end: int
    hidden: NotRequired[int]


class OpenQuestion(TypedDict):
    type: Literal["clarify"]
    session_title: str
    profile: str
    clarify_id: str
    session_id: str
    question: str
    choices_offered: list[str]
    kind: str
    form: NotRequired[OpenQuestionForm]
    link: NotRequired[OpenQuestionLink]
    masks: NotRequired[list[OpenQuestionMasksItem]]
    requested_at: float
    timeout_seconds: float
    expires_at: float | None


class OutlineEntry(TypedDict):
    index: int
    kind: Literal["message", "heading"]
    level: int
    text: str
    source: str | None
    timestamp: float | None


class PageRow(TypedDict):
    """A session as a row in pages of the list"""

    title: str
    session_id: str
    workspace: str
    host: NotRequired[str]
    model: str | None
    model_provider: str | None
    profile: str
    project_id: str | None
    message_count: int
    created_at: float
    updated_at: float
    last_message_at: float | None
    pinned: bool
    archived: bool
    session_source: str
    source_tag: str
    is_cli_session: bool
    read_only: bool
    is_streaming: bool
    active_stream_id: str | None
    attention: Attention | None
    worktree_branch: str | None
    parent_session_id: str | None
    relationship_type: str | None
    queued_count: NotRequired[int]
    resumes_at: NotRequired[float | None]
    mode: NotRequired[Literal["plan"]]
    preview: str | None


class Paired(TypedDict):
    ok: Literal[True]
    token: str | None
    device: Device


class PairingBegun(TypedDict):
    ok: Literal[True]
    id: str
    code: str
    path: str
    expires_at: float


class PairingEnded(TypedDict):
    ok: Literal[True]


class PartialToolCall(TypedDict):
    name: NotRequired[str]
    tid: NotRequired[str]
    args: NotRequired[str | dict[str, Any]]
    snippet: NotRequired[str]
    done: NotRequired[bool]
    is_error: NotRequired[bool]
    duration: NotRequired[float]


class PartialTranscript(TypedDict):
    """partial transcript, at most ten frames a second; engines that return everything at once send none"""

    text: str


class Passkey(TypedDict):
    id: str
    label: str
    created_at: float
    last_used_at: float | None
    sign_count: int


class PasskeyNamedCredential(TypedDict):
    id: str
    label: str


class PasskeyNamed(TypedDict):
    ok: Literal[True]
    credential: PasskeyNamedCredential
    credentials: list[Passkey]


class PasskeyRegisterOptionsPublicKeyRp(TypedDict):
    name: str
    id: str


class PasskeyRegisterOptionsPublicKeyUser(TypedDict):
    id: str
    name: str
    displayName: str


class PasskeyRegisterOptionsPublicKeyPubKeyCredParamsItem(TypedDict):
    type: Literal["public-key"]
    alg: int


class PasskeyRegisterOptionsPublicKeyAuthenticatorSelection(TypedDict):
    residentKey: Literal["preferred"]
    userVerification: Literal["preferred"]


class PasskeyRegisterOptionsPublicKeyExcludeCredentialsItem(TypedDict):
    type: Literal["public-key"]
    id: str


class PasskeyRegisterOptionsPublicKey(TypedDict):
    challenge: str
    rp: PasskeyRegisterOptionsPublicKeyRp
    user: PasskeyRegisterOptionsPublicKeyUser
    pubKeyCredParams: list[PasskeyRegisterOptionsPublicKeyPubKeyCredParamsItem]
    authenticatorSelection: PasskeyRegisterOptionsPublicKeyAuthenticatorSelection
    timeout: int
    attestation: Literal["none"]
    excludeCredentials: list[PasskeyRegisterOptionsPublicKeyExcludeCredentialsItem]


class PasskeyRegisterOptions(TypedDict):
    ok: Literal[True]
    publicKey: PasskeyRegisterOptionsPublicKey


class PasskeySignInOptionsPublicKeyAllowCredentialsItem(TypedDict):
    type: Literal["public-key"]
    id: str


class PasskeySignInOptionsPublicKey(TypedDict):
    challenge: str
    rpId: str
    allowCredentials: list[PasskeySignInOptionsPublicKeyAllowCredentialsItem]
    timeout: int
    userVerification: Literal["preferred"]


class PasskeySignInOptions(TypedDict):
    ok: Literal[True]
    publicKey: PasskeySignInOptionsPublicKey


class Passkeys(TypedDict):
    credentials: list[Passkey]


class PasskeysLeft(TypedDict):
    ok: Literal[True]
    credentials: list[Passkey]


class PendingApprovalCommandPartsItem(TypedDict):
    program: str
    args: list[str]


class PendingApprovalRequest(TypedDict):
    """for a network request: its address"""

    method: str
    scheme: str
    host: str
    path: str


class PendingApprovalBudgetItem(TypedDict):
    scope: Literal["turn", "session", "attempts", "job", "day"]
    measure: Literal["usd", "tokens"]
    used: float
    limit: float
    up_to: float


class PendingApprovalMasksItem(TypedDict):
    field: str
    start: int
    end: int
    hidden: NotRequired[int]


class PendingApprovalRestItem(TypedDict):
    field: str
    at: int
    chars: int


class PendingApproval(TypedDict):
    """Clients that may answer see everything that would be done, except for masked secrets of the service. For tokens without the scope `approve`, everything that looks like a credential is masked."""

    approval_id: str
    session_id: str
    command: str
    description: str
    reasons: NotRequired[list[Reason]]
    pattern_key: str
    pattern_keys: list[str]
    max_scope: str
    content: NotRequired[str]
    content_truncated: NotRequired[bool]
    file: NotRequired[str]
    diff: NotRequired[str]
    diff_truncated: NotRequired[bool]
    job_change: NotRequired[JobChange]
    diff_note: NotRequired[str]
    diff_note_reason: NotRequired[Reason]
    command_parts: NotRequired[list[PendingApprovalCommandPartsItem]]
    command_parts_truncated: NotRequired[bool]
    folder: NotRequired[str]
    sandboxed: NotRequired[bool]
    limited_by: NotRequired[Literal["container"]]
    request: NotRequired[PendingApprovalRequest]
    budget: NotRequired[list[PendingApprovalBudgetItem]]
    masks: NotRequired[list[PendingApprovalMasksItem]]
    rest: NotRequired[list[PendingApprovalRestItem]]
    requested_at: float
    timeout_seconds: float
    expires_at: float


class PendingClarificationForm(TypedDict):
    """a form, answered as a whole; `question` describes it as text, for clients without forms"""

    message: str
    fields: list[FormField]


class PendingClarificationLink(TypedDict):
    """a page that the person is asked to open; never open it automatically. `question` names it without its query and fragment"""

    host: str
    url: str | None


class PendingClarificationMasksItem(TypedDict):
    field: str
    start: int
    end: int
    hidden: NotRequired[int]


class PendingClarification(TypedDict):
    clarify_id: str
    session_id: str
    question: str
    choices_offered: list[str]
    kind: str
    form: NotRequired[PendingClarificationForm]
    link: NotRequired[PendingClarificationLink]
    masks: NotRequired[list[PendingClarificationMasksItem]]
    requested_at: float
    timeout_seconds: float
    expires_at: float | None


class PersonalityDeleted(TypedDict):
    ok: Literal[True]
    name: str


class PersonalityListPersonalitiesItem(TypedDict):
    name: str
    description: str


class PersonalityList(TypedDict):
    personalities: list[PersonalityListPersonalitiesItem]


class PersonalitySaved(TypedDict):
    ok: Literal[True]
    personality: PersonalityText


class PersonalitySet(TypedDict):
    ok: Literal[True]
    personality: str | None
    prompt: str


class PersonalityText(TypedDict):
    """as written in config.yaml; empty texts are absent"""

    name: str
    prompt: str
    description: str
    tone: str
    style: str


class PlacedFile(TypedDict):
    ok: bool
    filename: str
    size: int
    mime: str
    is_image: bool
    path: str


class PlanPlanStepsItem(TypedDict):
    content: str
    status: Literal["pending", "completed"]


class PlanPlan(TypedDict):
    """null: none"""

    title: str
    version: int
    text: str
    steps: list[PlanPlanStepsItem]
    author: Literal["agent", "person"]
    created_at: float
    started_at: float | None


class PlanVersionsItem(TypedDict):
    version: int
    author: Literal["agent", "person"]
    created_at: float
    started_at: float | None


class Plan(TypedDict):
    """The plan of a session"""

    session_id: str
    mode: Literal["default", "plan"]
    plan: PlanPlan | None
    versions: list[PlanVersionsItem]


class PlanChanged(TypedDict):
    """the plan of the session was written, edited or started: read GET /api/session/plan"""

    session_id: str
    version: int
    author: Literal["agent", "person"]
    started_at: float | None


class PluginBringsCommandsItem(TypedDict):
    name: str
    description: str


class PluginBringsSkillsItem(TypedDict):
    name: str
    description: str


class PluginBringsMcpServersItem(TypedDict):
    name: str
    runs: str | None
    url: str | None
    variables: list[str]
    sandbox: bool
    problem: str | None


class PluginBrings(TypedDict):
    commands: list[PluginBringsCommandsItem]
    skills: list[PluginBringsSkillsItem]
    mcp_servers: list[PluginBringsMcpServersItem]


class PluginFilesItem(TypedDict):
    path: str
    size: int
    executable: bool
    change: Literal["added", "changed", "removed", None]


class Plugin(TypedDict):
    name: str
    description: str
    version: str | None
    author: str | None
    enabled: bool
    changed: bool
    problem: str | None
    seal: str
    brings: PluginBrings
    unused: list[str]
    files: list[PluginFilesItem]
    files_count: int
    size: int


class PluginFile(TypedDict):
    content: str | None
    diff: str | None


class PluginList(TypedDict):
    plugins: list[Plugin]


class PluginReply(TypedDict):
    ok: Literal[True]
    plugin: Plugin


class PreviewSheetsItem(TypedDict):
    name: str
    rows: list[list[str | float | bool | None]]


class Preview(TypedDict):
    """The parts of an office document; `content` has its whole text"""

    kind: Literal["docx", "xlsx", "pptx", "odt", "ods", "odp"]
    truncated: bool
    sheets: NotRequired[list[PreviewSheetsItem]]
    slides: NotRequired[list[str]]


class ProbeEventSeenData(TypedDict):
    """what the service saw of the request"""

    protocol: Literal["http", "https"]
    host: str
    address: str
    peer: str
    forwarded_is_believed: bool
    forwarded_for: str | None
    forwarded_proto: str | None
    forwarded_host: str | None
    last_event_id: str | None
    secure_cookies: bool
    max_upload_bytes: int
    hold_s: int
    at: float


class ProbeEventSeen(TypedDict):
    """what the service saw of the request"""

    id: NotRequired[str]
    event: Literal["seen"]
    data: ProbeEventSeenData


class ProbeEventTickData(TypedDict):
    """one of eight frames, 150 ms apart; a proxy that buffers delivers them together"""

    number: int
    sent_ms: float


class ProbeEventTick(TypedDict):
    """one of eight frames, 150 ms apart; a proxy that buffers delivers them together"""

    id: NotRequired[str]
    event: Literal["tick"]
    data: ProbeEventTickData


class ProbeEventEndData(TypedDict):
    """the stream was not cut"""

    pass


class ProbeEventEnd(TypedDict):
    """the stream was not cut"""

    id: NotRequired[str]
    event: Literal["end"]
    data: ProbeEventEndData


ProbeEvent: TypeAlias = Union["ProbeEventSeen", "ProbeEventTick", "ProbeEventEnd"]


class ProbeUpload(TypedDict):
    received_bytes: int


class Profile(TypedDict):
    name: str
    path: str
    is_default: bool
    is_active: bool
    gateway_running: bool
    model: str | None
    provider: str | None
    visible: bool
    has_env: bool
    skill_count: int
    enabled_skills: int
    total_skills: int


class ProfileList(TypedDict):
    profiles: list[Profile]
    active: str
    single_profile_mode: bool


class Project(TypedDict):
    """A folder of sessions"""

    project_id: str
    name: str
    color: str | None
    profile: str
    workspace: NotRequired[str]
    instructions: NotRequired[str]
    created_at: float


class ProjectAnswer(TypedDict):
    ok: bool
    project: Project


class ProjectList(TypedDict):
    projects: list[Project]
    active_profile: str
    all_profiles: bool
    other_profile_count: int


class Provider(TypedDict):
    id: str
    display_name: str
    has_key: bool
    configurable: bool
    is_self_hosted: bool
    base_url: str | None
    is_oauth: bool
    key_source: Literal["env_file", "env_var", "config_yaml", "oauth", "token", "none"]
    auth_error: str | None
    models: list[ModelRow]
    models_total: int
    is_plugin_provider: bool
    is_custom: bool
    reason: str | None


class ProviderChanged(TypedDict):
    ok: Literal[True]
    provider: str
    display_name: str
    action: Literal["updated", "removed"]


class ProviderRefreshed(TypedDict):
    ok: Literal[True]
    provider: str


class ProviderTestReply(TypedDict):
    ok: bool
    provider: str
    code: Literal["not_set_up", "invalid_key", "no_quota", "rate_limited", "unknown_model", "tls", "name_not_found", "refused", "timed_out", "no_answer", "wrong_address", "proxy", "provider_failed", "not_understood", None]
    message: str
    models: int
    model: str | None
    took_ms: int


class ProvidersReply(TypedDict):
    active_provider: str | None
    providers: list[Provider]


class Pull(TypedDict):
    title: str
    number: int
    state: Literal["open", "merged", "closed"]
    draft: bool
    author: str
    base: str
    head: str
    sha: str
    web: str
    updated_at: float
    body: str
    labels: list[str]
    reviewers: list[str]
    mergeable: bool | None


class PullAnswerForge(TypedDict):
    """null: unknown"""

    kind: Literal["github", "gitlab", "gitea"]
    name: str
    host: str


class PullAnswerRepository(TypedDict):
    path: str
    default_branch: str
    methods: list[Literal["merge", "squash", "rebase"]]


class PullAnswerBranch(TypedDict):
    """the branch that is checked out; null: none"""

    name: str
    sha: str | None
    pushed: bool
    ahead: int
    behind: int


class PullAnswer(TypedDict):
    reason: Literal["no_repo", "no_remote", "no_forge", "no_token", None]
    host: str | None
    forge: PullAnswerForge | None
    repository: PullAnswerRepository | None
    branch: PullAnswerBranch | None
    pull: Pull | None
    checks: list[PullCheck]
    threads: list[PullThread]
    problems: list[str]
    next_look_s: float


class PullCheck(TypedDict):
    id: str
    name: str
    state: Literal["pending", "passed", "failed", "skipped"]
    summary: str
    web: str
    has_log: bool


class PullDone(TypedDict):
    ok: Literal[True]


class PullDraftAnswer(TypedDict):
    title: str
    body: str
    base: str
    source: Literal["model", "summary"]


class PullListAnswerPullsItem(TypedDict):
    title: str
    number: int
    state: Literal["open", "merged", "closed"]
    draft: bool
    author: str
    base: str
    head: str
    sha: str
    web: str
    updated_at: float


class PullListAnswer(TypedDict):
    pulls: list[PullListAnswerPullsItem]


class PullLogAnswer(TypedDict):
    text: str
    truncated: bool


class PullNews(TypedDict):
    """a pull request that was opened here has news on the forge; sent once"""

    session_id: str
    profile: str
    host: str
    repository: str
    number: int
    event: Literal["checks_failed", "checks_passed", "approved", "commented", "merged", "closed"]
    at: float


class PullOpened(TypedDict):
    ok: Literal[True]
    number: int
    notes: list[str]


class PullThreadCommentsItem(TypedDict):
    id: str
    author: str
    bot: bool
    body: str
    created_at: float


class PullThread(TypedDict):
    id: str
    path: str | None
    line: int | None
    resolved: bool | None
    can_reply: bool
    comments: list[PullThreadCommentsItem]


class PushPayloadCounts(TypedDict):
    """the numbers of a digest"""

    ended: int
    failed: int
    waiting: int
    running: int
    queued: int


class PushPayload(TypedDict):
    title: str
    kind: Literal["approval", "question", "turn", "job", "pull", "digest"]
    profile: str
    session_id: str | None
    prompt_id: NotRequired[str]
    job_id: NotRequired[str]
    pull_number: NotRequired[int]
    status: NotRequired[str]
    counts: NotRequired[PushPayloadCounts]
    tag: str
    at: float


class PushPreferences(TypedDict):
    approvals: bool
    questions: bool
    finished_turns: bool
    finished_jobs: bool
    pull_requests: bool


class PushStatus(TypedDict):
    available: bool
    reason: str | None
    reason_code: str | None
    public_key: str | None
    limit: int
    subscriptions: list[PushSubscription]


class PushSubscription(TypedDict):
    """A browser that is subscribed to notifications"""

    id: str
    service: str
    user_agent: str | None
    preferences: PushPreferences
    created_at: float
    last_sent_at: float | None
    last_error: str | None


class QuestionEventInitial(TypedDict):
    id: NotRequired[str]
    event: Literal["initial"]
    data: ClarifyPending


class QuestionEventClarify(TypedDict):
    id: NotRequired[str]
    event: Literal["clarify"]
    data: ClarifyPending


QuestionEvent: TypeAlias = Union["QuestionEventInitial", "QuestionEventClarify"]


class QueueHeld(TypedDict):
    """why the queue is held; null: it continues automatically"""

    reason: Literal["failed", "cancelled", "budget", "restored", "waiting", "limit"]


class Queue(TypedDict):
    """The messages that wait in a session for its running turn"""

    queue: list[QueuedMessage]
    held: QueueHeld | None


class QueueAnswerHeld(TypedDict):
    """why the queue is held; null: it continues automatically"""

    reason: Literal["failed", "cancelled", "budget", "restored", "waiting", "limit"]


class QueueAnswer(TypedDict):
    """The result, and the queue after the change"""

    ok: Literal[True]
    id: NotRequired[str]
    sent: NotRequired[Literal["started", "steered", "next"]]
    queue: list[QueuedMessage]
    held: QueueAnswerHeld | None


class QueueChangedHeld(TypedDict):
    """why the queue is held; null: it continues automatically"""

    reason: Literal["failed", "cancelled", "budget", "restored", "waiting", "limit"]


class QueueChanged(TypedDict):
    """the queue of the session has changed: read GET /api/session/queue"""

    session_id: str
    queued_count: int
    version: int
    held: QueueChangedHeld | None


class Queued(TypedDict):
    queued: Literal[True]
    queue_id: str
    position: int


class QueuedMessage(TypedDict):
    id: str
    message: str
    attachments: list[MessageAttachment]
    created_at: float
    not_before: float | None
    version: int
    model: NotRequired[str]
    model_provider: NotRequired[str]
    explicit_model_pick: NotRequired[bool]
    effort: NotRequired[Literal["", "none", "minimal", "low", "medium", "high", "xhigh", "max"]]
    personality: NotRequired[str]
    workspace: NotRequired[str]


class RangeNotSatisfiable(TypedDict):
    """the requested range begins after the end of the file"""

    error: str


class Ready(TypedDict):
    status: Literal["ok", "unavailable"]
    reason: NotRequired[Literal["disk_full", "disk_read_only", "disk_failing", "database_locked", "database_damaged", "no_file_handles", "upgrading"]]
    message: NotRequired[str]
    progress: NotRequired[float]
    database: bool
    agent: bool


class Reason(TypedDict):
    code: Literal["acts_on_machine", "acts_with_rights", "addresses_decide_place", "agent_asked_unshown", "agent_kept_from", "agent_kept_from_metadata", "agent_kept_from_private", "agent_plan_after_edit", "agent_plan_unheld", "agent_plan_unsaved", "agent_plan_without_steps", "agent_says", "agent_unconfined", "agent_without_servers", "argument_may_be_option", "argument_runs_other", "arguments_as_variables", "arguments_may_be_options", "asked_by_agent", "bits_taken", "builds_commands", "calculates_unknown", "call_refused", "change_memory", "change_schedules", "changes_meaning", "changes_protected", "changes_reading", "changes_stay", "command_changed", "connects", "connects_to", "connects_to_unknown", "container_may_remove", "container_removes", "depends_on_repeats", "diff_edit_unfit", "diff_file_too_long", "diff_file_unreadable", "diff_text_too_large", "diff_too_many_changes", "diff_unreadable", "exceeds_container", "fetch", "files_decide_options", "files_decide_program", "files_decide_run", "folder_rules", "folder_rules_unaccepted", "followed_later", "follows_links", "git_attributes", "git_brought_files", "git_closed", "git_enters_made", "git_enters_unknown", "git_follows_made", "git_found", "git_head_invalid", "git_history", "git_hook", "git_hook_beside", "git_hooks_elsewhere", "git_includes_too_many", "git_link", "git_named_by", "git_names_repository", "git_names_too_many", "git_objects_elsewhere", "git_objects_missing", "git_planted", "git_planted_by", "git_push_runs", "git_pushes_to", "git_rebase_runs", "git_remote_program", "git_running", "git_runs_own", "git_sets", "git_sets_to", "git_settings_elsewhere", "git_too_deep", "git_too_large", "git_too_many_files", "git_undone", "git_undone_by", "git_unlooked", "git_unread", "git_worktree_elsewhere", "hides_run", "host", "image_undescribed", "image_unseen", "input_starts_programs", "instructions_changed", "invalid_syntax", "invisible_characters", "keeps_program_text", "leaves_sandbox", "left_by_sandbox", "link_leads", "links_unchecked", "lookalike_characters", "mcp_asks_model", "mcp_says_adds", "mcp_says_destroys", "mcp_says_reads", "mcp_tool_changed", "mcp_unanswered", "name_with_spaces", "needs_network", "needs_network_elsewhere", "nested_too_deeply", "only_bash", "other_shell", "own_startup_file", "page_unextracted", "reaches_processes", "read_files", "reads_outside", "reads_secrets", "recall_unsummed", "redirect_decides", "rules_changed", "run_command", "run_command_in", "runs_input", "runs_own_words", "runs_text", "runs_text_calculating", "runs_text_reading", "runs_unwatched", "runs_variable", "sandbox_may_remove", "sandbox_removes", "save_skill", "script_runs", "second_name", "sets_steering", "sets_steering_named", "sets_unnamed", "setting_changes_reading", "setting_runs_other", "settings_unaccepted", "strange_name", "terminal_wrote", "too_long", "too_long_name", "too_many_folders", "too_many_things", "too_much_work", "took_too_long", "touches_outside", "touches_protected_read", "touches_protected_write", "touches_read", "touches_write", "unforeseeable", "unknown_effect", "unknown_file", "unknown_folder", "unknown_host", "unknown_option", "unknown_place", "unknown_program", "unknown_run", "unknown_run_of", "unknown_target", "unknown_variable", "unknown_written", "use_mcp_tool", "use_tool", "write_files", "writes_outside"]
    params: dict[str, str | float]
    details: NotRequired[list[ReasonDetail]]


class ReasonDetail(TypedDict):
    code: Literal["acts_on_machine", "acts_with_rights", "addresses_decide_place", "agent_asked_unshown", "agent_kept_from", "agent_kept_from_metadata", "agent_kept_from_private", "agent_plan_after_edit", "agent_plan_unheld", "agent_plan_unsaved", "agent_plan_without_steps", "agent_says", "agent_unconfined", "agent_without_servers", "argument_may_be_option", "argument_runs_other", "arguments_as_variables", "arguments_may_be_options", "asked_by_agent", "bits_taken", "builds_commands", "calculates_unknown", "call_refused", "change_memory", "change_schedules", "changes_meaning", "changes_protected", "changes_reading", "changes_stay", "command_changed", "connects", "connects_to", "connects_to_unknown", "container_may_remove", "container_removes", "depends_on_repeats", "diff_edit_unfit", "diff_file_too_long", "diff_file_unreadable", "diff_text_too_large", "diff_too_many_changes", "diff_unreadable", "exceeds_container", "fetch", "files_decide_options", "files_decide_program", "files_decide_run", "folder_rules", "folder_rules_unaccepted", "followed_later", "follows_links", "git_attributes", "git_brought_files", "git_closed", "git_enters_made", "git_enters_unknown", "git_follows_made", "git_found", "git_head_invalid", "git_history", "git_hook", "git_hook_beside", "git_hooks_elsewhere", "git_includes_too_many", "git_link", "git_named_by", "git_names_repository", "git_names_too_many", "git_objects_elsewhere", "git_objects_missing", "git_planted", "git_planted_by", "git_push_runs", "git_pushes_to", "git_rebase_runs", "git_remote_program", "git_running", "git_runs_own", "git_sets", "git_sets_to", "git_settings_elsewhere", "git_too_deep", "git_too_large", "git_too_many_files", "git_undone", "git_undone_by", "git_unlooked", "git_unread", "git_worktree_elsewhere", "hides_run", "host", "image_undescribed", "image_unseen", "input_starts_programs", "instructions_changed", "invalid_syntax", "invisible_characters", "keeps_program_text", "leaves_sandbox", "left_by_sandbox", "link_leads", "links_unchecked", "lookalike_characters", "mcp_asks_model", "mcp_says_adds", "mcp_says_destroys", "mcp_says_reads", "mcp_tool_changed", "mcp_unanswered", "name_with_spaces", "needs_network", "needs_network_elsewhere", "nested_too_deeply", "only_bash", "other_shell", "own_startup_file", "page_unextracted", "reaches_processes", "read_files", "reads_outside", "reads_secrets", "recall_unsummed", "redirect_decides", "rules_changed", "run_command", "run_command_in", "runs_input", "runs_own_words", "runs_text", "runs_text_calculating", "runs_text_reading", "runs_unwatched", "runs_variable", "sandbox_may_remove", "sandbox_removes", "save_skill", "script_runs", "second_name", "sets_steering", "sets_steering_named", "sets_unnamed", "setting_changes_reading", "setting_runs_other", "settings_unaccepted", "strange_name", "terminal_wrote", "too_long", "too_long_name", "too_many_folders", "too_many_things", "too_much_work", "took_too_long", "touches_outside", "touches_protected_read", "touches_protected_write", "touches_read", "touches_write", "unforeseeable", "unknown_effect", "unknown_file", "unknown_folder", "unknown_host", "unknown_option", "unknown_place", "unknown_program", "unknown_run", "unknown_run_of", "unknown_target", "unknown_variable", "unknown_written", "use_mcp_tool", "use_tool", "write_files", "writes_outside"]
    params: dict[str, str | float]


class Reasoning(TypedDict):
    """text to append to the reasoning"""

    text: str


class ReasoningReply(TypedDict):
    ok: Literal[True]
    show_reasoning: bool
    reasoning_effort: str
    supported_efforts: list[str]
    supports_reasoning_effort: bool
    supports_thinking_toggle: bool


class ReferenceRow(TypedDict):
    title: str
    _sidebar_reference_only: Literal[True]
    session_id: str
    display_title: str
    workspace: str
    host: NotRequired[str]
    model: str | None
    model_provider: str | None
    message_count: int
    user_message_count: int
    created_at: float
    updated_at: float
    last_message_at: float | None
    pinned: bool
    archived: bool
    project_id: str | None
    profile: str
    personality: str | None
    mode: NotRequired[Literal["plan"]]
    temporary: NotRequired[Literal[True]]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_hit_percent: int | None
    estimated_cost: float | None
    context_length: int | None
    window_usage_percent: int | None
    session_source: str
    source_tag: str
    raw_source: str
    is_cli_session: bool
    is_messaging_session: bool
    is_streaming: bool
    active_stream_id: str | None
    has_pending_user_message: bool
    pending_started_at: float | None
    default_hidden: bool
    worktree_path: str | None
    worktree_branch: str | None
    worktree_repo_root: str | None
    worktree_created_at: float | None
    parent_session_id: str | None
    relationship_type: str | None
    read_only: bool
    is_read_only: bool
    attention: Attention | None
    queued_count: NotRequired[int]
    resumes_at: NotRequired[float | None]


class Refused(TypedDict):
    """the request comes from another site, has no CSRF token or a foreign host name, or would change a read-only session or something that belongs to the service"""

    error: str
    code: NotRequired[Literal["destructive_git_disabled", "hook_refused", "git_failed", "read_only", "scope_too_narrow"]]
    scope: NotRequired[str]
    needed_scope: NotRequired[str]


class RemovedAttempts(TypedDict):
    ok: Literal[True]
    removed: list[str]


class RemovedCount(TypedDict):
    ok: bool
    removed: int


class RepoInfo(TypedDict):
    name: Literal["webui", "agent"]
    behind: int | None
    current_sha: NotRequired[str]
    latest_sha: NotRequired[str | None]
    current_version: NotRequired[str]
    latest_version: NotRequired[str]
    branch: NotRequired[str | None]
    repo_url: NotRequired[str | None]
    compare_url: NotRequired[str | None]
    dirty: NotRequired[bool]
    no_git: NotRequired[Literal[True]]
    ignored: NotRequired[Literal[True]]
    error: NotRequired[str]
    stale_check: NotRequired[Literal[True]]
    message: NotRequired[str]
    command: NotRequired[str]


class ResolvedBundle(TypedDict):
    name: str
    source: Literal["bundle"]
    message: str
    loaded_skills: list[str]
    missing_skills: list[str]


class ResponseBodyInput2Item(TypedDict):
    """a message, a call of a client tool (function_call) or its result (function_call_output)"""

    type: NotRequired[str]
    role: NotRequired[str]
    content: NotRequired[Any]


class ResponseBodyText(TypedDict):
    format: NotRequired[Any]
    verbosity: NotRequired[str | None]


class ResponseBodyReasoning(TypedDict):
    effort: NotRequired[str | None]


class ResponseBody(TypedDict):
    model: NotRequired[str]
    input: str | list[ResponseBodyInput2Item]
    instructions: NotRequired[str]
    previous_response_id: NotRequired[str]
    metadata: NotRequired[dict[str, str]]
    background: NotRequired[bool]
    stream: NotRequired[bool]
    tools: NotRequired[Any]
    tool_choice: NotRequired[Any]
    parallel_tool_calls: NotRequired[bool]
    temperature: NotRequired[float]
    top_p: NotRequired[float]
    store: NotRequired[bool]
    max_output_tokens: NotRequired[float]
    text: NotRequired[ResponseBodyText]
    reasoning: NotRequired[ResponseBodyReasoning]


class ResponseEventResponseCreatedData(TypedDict):
    type: Literal["response.created"]
    sequence_number: int
    response: OpenAiResponse


class ResponseEventResponseCreated(TypedDict):
    id: NotRequired[str]
    event: Literal["response.created"]
    data: ResponseEventResponseCreatedData


class ResponseEventResponseInProgressData(TypedDict):
    type: Literal["response.in_progress"]
    sequence_number: int
    response: OpenAiResponse


class ResponseEventResponseInProgress(TypedDict):
    id: NotRequired[str]
    event: Literal["response.in_progress"]
    data: ResponseEventResponseInProgressData


class ResponseEventResponseOutputItemAddedData(TypedDict):
    type: Literal["response.output_item.added"]
    sequence_number: int
    output_index: int
    item: OpenAiOutputMessage | OpenAiFunctionCall


class ResponseEventResponseOutputItemAdded(TypedDict):
    id: NotRequired[str]
    event: Literal["response.output_item.added"]
    data: ResponseEventResponseOutputItemAddedData


class ResponseEventResponseContentPartAddedData(TypedDict):
    type: Literal["response.content_part.added"]
    sequence_number: int
    item_id: str
    output_index: int
    content_index: int
    part: OpenAiTextPart


class ResponseEventResponseContentPartAdded(TypedDict):
    id: NotRequired[str]
    event: Literal["response.content_part.added"]
    data: ResponseEventResponseContentPartAddedData


class ResponseEventResponseOutputTextDeltaData(TypedDict):
    type: Literal["response.output_text.delta"]
    sequence_number: int
    item_id: str
    output_index: int
    content_index: int
    delta: str
    logprobs: list[Any]


class ResponseEventResponseOutputTextDelta(TypedDict):
    id: NotRequired[str]
    event: Literal["response.output_text.delta"]
    data: ResponseEventResponseOutputTextDeltaData


class ResponseEventResponseOutputTextDoneData(TypedDict):
    type: Literal["response.output_text.done"]
    sequence_number: int
    item_id: str
    output_index: int
    content_index: int
    text: str
    logprobs: list[Any]


class ResponseEventResponseOutputTextDone(TypedDict):
    id: NotRequired[str]
    event: Literal["response.output_text.done"]
    data: ResponseEventResponseOutputTextDoneData


class ResponseEventResponseContentPartDoneData(TypedDict):
    type: Literal["response.content_part.done"]
    sequence_number: int
    item_id: str
    output_index: int
    content_index: int
    part: OpenAiTextPart


class ResponseEventResponseContentPartDone(TypedDict):
    id: NotRequired[str]
    event: Literal["response.content_part.done"]
    data: ResponseEventResponseContentPartDoneData


class ResponseEventResponseOutputItemDoneData(TypedDict):
    type: Literal["response.output_item.done"]
    sequence_number: int
    output_index: int
    item: OpenAiOutputMessage | OpenAiFunctionCall


class ResponseEventResponseOutputItemDone(TypedDict):
    id: NotRequired[str]
    event: Literal["response.output_item.done"]
    data: ResponseEventResponseOutputItemDoneData


class ResponseEventResponseFunctionCallArgumentsDeltaData(TypedDict):
    type: Literal["response.function_call_arguments.delta"]
    sequence_number: int
    item_id: str
    output_index: int
    delta: str


class ResponseEventResponseFunctionCallArgumentsDelta(TypedDict):
    id: NotRequired[str]
    event: Literal["response.function_call_arguments.delta"]
    data: ResponseEventResponseFunctionCallArgumentsDeltaData


class ResponseEventResponseFunctionCallArgumentsDoneData(TypedDict):
    type: Literal["response.function_call_arguments.done"]
    sequence_number: int
    item_id: str
    output_index: int
    name: str
    arguments: str


class ResponseEventResponseFunctionCallArgumentsDone(TypedDict):
    id: NotRequired[str]
    event: Literal["response.function_call_arguments.done"]
    data: ResponseEventResponseFunctionCallArgumentsDoneData


class ResponseEventResponseCompletedData(TypedDict):
    type: Literal["response.completed"]
    sequence_number: int
    response: OpenAiResponse


class ResponseEventResponseCompleted(TypedDict):
    id: NotRequired[str]
    event: Literal["response.completed"]
    data: ResponseEventResponseCompletedData


class ResponseEventResponseIncompleteData(TypedDict):
    type: Literal["response.incomplete"]
    sequence_number: int
    response: OpenAiResponse


class ResponseEventResponseIncomplete(TypedDict):
    id: NotRequired[str]
    event: Literal["response.incomplete"]
    data: ResponseEventResponseIncompleteData


class ResponseEventResponseFailedData(TypedDict):
    type: Literal["response.failed"]
    sequence_number: int
    response: OpenAiResponse


class ResponseEventResponseFailed(TypedDict):
    id: NotRequired[str]
    event: Literal["response.failed"]
    data: ResponseEventResponseFailedData


ResponseEvent: TypeAlias = Union["ResponseEventResponseCreated", "ResponseEventResponseInProgress", "ResponseEventResponseOutputItemAdded", "ResponseEventResponseContentPartAdded", "ResponseEventResponseOutputTextDelta", "ResponseEventResponseOutputTextDone", "ResponseEventResponseContentPartDone", "ResponseEventResponseOutputItemDone", "ResponseEventResponseFunctionCallArgumentsDelta", "ResponseEventResponseFunctionCallArgumentsDone", "ResponseEventResponseCompleted", "ResponseEventResponseIncomplete", "ResponseEventResponseFailed"]


class RestoredErrorsItem(TypedDict):
    file: str
    error: str


class Restored(TypedDict):
    ok: bool
    files_restored: list[str]
    files_restored_count: int
    errors: list[RestoredErrorsItem]
    safety_checkpoint: str | None


class RestoredEntry(TypedDict):
    ok: bool
    path: str


class ResumeAnswer(TypedDict):
    ok: bool
    resumed: bool
    stream_id: str
    resumes_at: float | None


class RetitledAnswer(TypedDict):
    title: str
    ok: Literal[True]
    session: SessionRow


class RetractedPart(TypedDict):
    """the part is void, because the model starts it again"""

    part: int


class RetryAnswer(TypedDict):
    ok: bool
    last_user_text: str
    removed_count: int


class Review(TypedDict):
    """Comments on the changes of a session"""

    session_id: str
    comments: list[ReviewComment]
    seen: list[str]
    version: int


class ReviewCommentPlace(TypedDict):
    """where its lines are now; null: not found, or the file was deleted"""

    path: str
    line: int
    end_line: int
    found: Literal["here", "moved", "changed", "deleted"]


class ReviewComment(TypedDict):
    id: str
    path: str
    side: Literal["old", "new"]
    line: int
    end_line: int
    text: str
    state: Literal["draft", "sent", "changed", "answered", "open", "resolved"]
    quote: list[str]
    place: ReviewCommentPlace | None
    turn_id: str | None
    changed_in: str | None
    answer: str | None
    version: int
    created_at: float


class ReviewsChanged(TypedDict):
    """the review of the session has changed: read GET /api/session/reviews"""

    session_id: str
    drafts: int
    total: int
    version: int


class Revoked(TypedDict):
    ok: bool
    revoked: int


class RunCron(TypedDict):
    ok: bool
    job_id: str
    status: Literal["running", "already_running"]
    elapsed: NotRequired[float]


class SavedCheck(TypedDict):
    check: Check


class SavedSkill(TypedDict):
    ok: Literal[True]
    name: str
    path: str


class Schedule(TypedDict):
    kind: Literal["cron", "interval", "once", "hook"]
    expression: str
    expr: str
    display: str
    minutes: NotRequired[int]
    run_at: NotRequired[str]
    timezone: str
    words: str | None


class SearchAnswer(TypedDict):
    sessions: list[FoundSession]
    query: str
    count: int
    active_profile: str


class SelfHostedReply(TypedDict):
    ok: Literal[True]
    provider: str
    base_url: str
    model: str


class ServerTurnStarted(TypedDict):
    """a turn has begun"""

    session_id: str
    stream_id: str | None
    active_stream_id: str | None
    pending_started_at: float | None
    message_count: int
    updated_at: float | None
    reason: str


class SessionAnswer(TypedDict):
    session: SessionDetail


class SessionDetailCompressionAnchorMessageKey(TypedDict):
    role: str
    ts: float | None
    text: str
    attachments: int


class SessionDetail(TypedDict):
    """A session with its messages"""

    title: str
    session_id: str
    display_title: str
    workspace: str
    host: NotRequired[str]
    model: str | None
    model_provider: str | None
    message_count: int
    user_message_count: int
    created_at: float
    updated_at: float
    last_message_at: float | None
    pinned: bool
    archived: bool
    project_id: str | None
    profile: str
    personality: str | None
    mode: NotRequired[Literal["plan"]]
    temporary: NotRequired[Literal[True]]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_hit_percent: int | None
    estimated_cost: float | None
    context_length: int | None
    window_usage_percent: int | None
    session_source: str
    source_tag: str
    raw_source: str
    is_cli_session: bool
    is_messaging_session: bool
    is_streaming: bool
    active_stream_id: str | None
    has_pending_user_message: bool
    pending_started_at: float | None
    default_hidden: bool
    worktree_path: str | None
    worktree_branch: str | None
    worktree_repo_root: str | None
    worktree_created_at: float | None
    parent_session_id: str | None
    relationship_type: str | None
    read_only: bool
    is_read_only: bool
    attention: Attention | None
    queued_count: NotRequired[int]
    resumes_at: NotRequired[float | None]
    pending_user_message: str | None
    pending_attachments: list[MessageAttachment]
    threshold_tokens: int | None
    last_prompt_tokens: int | None
    compression_anchor_visible_idx: int | None
    compression_anchor_message_key: SessionDetailCompressionAnchorMessageKey | None
    compression_anchor_summary: str | None
    versions: NotRequired[list[MessageVersions]]
    todo_state: TodoState | None
    composer_draft: NotRequired[Draft | None]
    runtime_journal: StreamJournal | None
    _messages_truncated: bool
    _messages_offset: int
    _msg_limit_max: int
    messages: list[Message]
    tool_calls: list[ToolCard]


class SessionEventInitial(TypedDict):
    """The state of a session when a stream opens"""

    id: NotRequired[str]
    event: Literal["initial"]
    data: SessionNews


class SessionEventSessionUpdated(TypedDict):
    """the session has changed"""

    id: NotRequired[str]
    event: Literal["session-updated"]
    data: SessionUpdated


class SessionEventServerTurnStarted(TypedDict):
    """a turn has begun"""

    id: NotRequired[str]
    event: Literal["server_turn_started"]
    data: ServerTurnStarted


class SessionEventQueueChanged(TypedDict):
    """the queue of the session has changed: read GET /api/session/queue"""

    id: NotRequired[str]
    event: Literal["queue_changed"]
    data: QueueChanged


class SessionEventReviewsChanged(TypedDict):
    """the review of the session has changed: read GET /api/session/reviews"""

    id: NotRequired[str]
    event: Literal["reviews_changed"]
    data: ReviewsChanged


class SessionEventPlanChanged(TypedDict):
    """the plan of the session was written, edited or started: read GET /api/session/plan"""

    id: NotRequired[str]
    event: Literal["plan_changed"]
    data: PlanChanged


class SessionEventViewCallsChanged(TypedDict):
    """a call of a view has started or ended: read GET /api/mcp/view/calls"""

    id: NotRequired[str]
    event: Literal["view_calls_changed"]
    data: ViewCallsChanged


class SessionEventBgTaskComplete(TypedDict):
    """a background task has finished: read GET /api/background/status"""

    id: NotRequired[str]
    event: Literal["bg_task_complete"]
    data: BackgroundTaskComplete


SessionEvent: TypeAlias = Union["SessionEventInitial", "SessionEventSessionUpdated", "SessionEventServerTurnStarted", "SessionEventQueueChanged", "SessionEventReviewsChanged", "SessionEventPlanChanged", "SessionEventViewCallsChanged", "SessionEventBgTaskComplete"]


class SessionList(TypedDict):
    sessions: list[SessionRow]
    sidebar_reference_sessions: list[ReferenceRow]
    cli_count: int
    archived_count: int
    active_profile: str
    all_profiles: bool
    include_archived: bool
    archived_limit: int
    archived_offset: int
    webui_session_count: int
    cli_session_count: int
    archived_webui_count: int
    archived_cli_count: int
    other_profile_count: int
    server_time: float
    server_tz: str


class SessionListEventSessionsChanged(TypedDict):
    """sent first, and whenever the list may have changed: load the list again"""

    id: NotRequired[str]
    event: Literal["sessions_changed"]
    data: SessionsChanged


SessionListEvent: TypeAlias = Union["SessionListEventSessionsChanged"]


class SessionNews(TypedDict):
    """The state of a session when a stream opens"""

    session_id: str
    stream_id: str | None
    active_stream_id: str | None
    pending_started_at: float | None
    message_count: int
    updated_at: float | None


class SessionOutline(TypedDict):
    """The user messages of a session, and the headings of its answers"""

    session_id: str
    message_count: int
    entries: list[OutlineEntry]
    truncated: bool


class SessionPage(TypedDict):
    """One page of the list, for requests with `limit`"""

    sessions: list[PageRow]
    pinned: list[PageRow]
    next_cursor: str | None
    version: int


class SessionRow(TypedDict):
    """A session as a row of a list"""

    title: str
    session_id: str
    display_title: str
    workspace: str
    host: NotRequired[str]
    model: str | None
    model_provider: str | None
    message_count: int
    user_message_count: int
    created_at: float
    updated_at: float
    last_message_at: float | None
    pinned: bool
    archived: bool
    project_id: str | None
    profile: str
    personality: str | None
    mode: NotRequired[Literal["plan"]]
    temporary: NotRequired[Literal[True]]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_hit_percent: int | None
    estimated_cost: float | None
    context_length: int | None
    window_usage_percent: int | None
    session_source: str
    source_tag: str
    raw_source: str
    is_cli_session: bool
    is_messaging_session: bool
    is_streaming: bool
    active_stream_id: str | None
    has_pending_user_message: bool
    pending_started_at: float | None
    default_hidden: bool
    worktree_path: str | None
    worktree_branch: str | None
    worktree_repo_root: str | None
    worktree_created_at: float | None
    parent_session_id: str | None
    relationship_type: str | None
    read_only: bool
    is_read_only: bool
    attention: Attention | None
    queued_count: NotRequired[int]
    resumes_at: NotRequired[float | None]


class SessionRowAnswer(TypedDict):
    session: SessionRow


class SessionStatus(TypedDict):
    title: str
    session_id: str
    model: str | None
    profile: str
    workspace: str
    host: NotRequired[str]
    personality: str | None
    message_count: int
    agent_running: bool
    is_streaming: bool
    active_stream_id: str | None
    silent: SilentTurn | None
    pending_user_message: str | None
    input_tokens: int
    output_tokens: int
    total_tokens: int
    estimated_cost: float | None
    created_at: float
    updated_at: float


class SessionUpdated(TypedDict):
    """the session has changed"""

    session_id: str
    stream_id: str | None
    active_stream_id: str | None
    pending_started_at: float | None
    message_count: int
    updated_at: float | None
    reason: str


class SessionWithoutMessagesCompressionAnchorMessageKey(TypedDict):
    role: str
    ts: float | None
    text: str
    attachments: int


class SessionWithoutMessages(TypedDict):
    """A session in a frame, without its messages because they exceed 2,000 or 1 MiB: read GET /api/session"""

    title: str
    session_id: str
    display_title: str
    workspace: str
    host: NotRequired[str]
    model: str | None
    model_provider: str | None
    message_count: int
    user_message_count: int
    created_at: float
    updated_at: float
    last_message_at: float | None
    pinned: bool
    archived: bool
    project_id: str | None
    profile: str
    personality: str | None
    mode: NotRequired[Literal["plan"]]
    temporary: NotRequired[Literal[True]]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_hit_percent: int | None
    estimated_cost: float | None
    context_length: int | None
    window_usage_percent: int | None
    session_source: str
    source_tag: str
    raw_source: str
    is_cli_session: bool
    is_messaging_session: bool
    is_streaming: bool
    active_stream_id: str | None
    has_pending_user_message: bool
    pending_started_at: float | None
    default_hidden: bool
    worktree_path: str | None
    worktree_branch: str | None
    worktree_repo_root: str | None
    worktree_created_at: float | None
    parent_session_id: str | None
    relationship_type: str | None
    read_only: bool
    is_read_only: bool
    attention: Attention | None
    queued_count: NotRequired[int]
    resumes_at: NotRequired[float | None]
    pending_user_message: str | None
    pending_attachments: list[MessageAttachment]
    threshold_tokens: int | None
    last_prompt_tokens: int | None
    compression_anchor_visible_idx: int | None
    compression_anchor_message_key: SessionWithoutMessagesCompressionAnchorMessageKey | None
    compression_anchor_summary: str | None
    versions: NotRequired[list[MessageVersions]]
    todo_state: TodoState | None
    composer_draft: NotRequired[Draft | None]
    runtime_journal: StreamJournal | None
    _messages_truncated: bool
    _messages_offset: int
    _msg_limit_max: int
    _messages_omitted: Literal[True]


class SessionsChanged(TypedDict):
    """sent first, and whenever the list may have changed: load the list again"""

    type: Literal["sessions_changed"]
    version: int
    reason: str
    session_id: NotRequired[str]


class SetModelReply(TypedDict):
    ok: Literal[True]
    scope: Literal["main", "auxiliary"]
    task: str | None
    model: str
    provider: str


class Settings(TypedDict):
    update_channel_version: str
    api_redact_enabled: bool
    pinned_sessions_limit: int
    session_ttl_seconds: int
    bot_name: str
    default_workspace: str
    show_cli_sessions: bool
    show_claude_code_sessions: bool
    show_cron_sessions: bool
    check_for_updates: bool
    update_channel: Literal["stable", "experimental"]
    ignore_agent_updates: bool
    push_quiet_from: str
    push_quiet_until: str
    push_quiet_waiting: bool
    push_time_zone: str
    push_digest_at: str
    auto_title_refresh_every: Literal["0", "5", "10", "20"]
    onboarding_completed: bool
    send_key: Literal["enter", "ctrl+enter", "shift+enter"]
    theme: Literal["light", "dark", "system"]
    skin: str
    font_size: Literal["small", "default", "large", "xlarge"]
    language: str
    show_webhook_sessions: bool
    show_kanban_sessions: bool
    show_previous_messaging_sessions: bool
    whats_new_summary_enabled: bool
    sync_to_insights: bool
    dashboard_plugins: dict[str, bool]
    show_thinking: bool
    show_token_usage: bool
    show_tps: bool
    show_quota_chip: bool
    show_conversation_outline: bool
    show_busy_placeholder_hint: bool
    hide_empty_state_suggestions: bool
    hide_empty_state_panel: bool
    new_chat_on_workspace_switch: bool
    fade_text_effect: bool
    virtualize_transcript: bool
    virtualize_transcript_optin: bool
    session_jump_buttons: bool
    render_user_markdown: bool
    project_quick_create_buttons: bool
    session_endless_scroll: bool
    worklog_details_expanded_default: bool
    sound_enabled: bool
    notifications_enabled: bool
    rtl: bool
    terminal_auto_expand_on_output: bool
    workspace_todos_tab: bool
    show_titlebar_profile: bool
    large_text_paste_as_attachment: bool
    auto_scroll_follow: bool
    transparent_stream_event_timestamps: bool
    hide_composer_attach: bool
    hide_composer_saved_prompts: bool
    hide_composer_mic: bool
    hide_composer_voice_mode: bool
    hide_composer_yolo: bool
    hide_composer_profile: bool
    hide_composer_workspace: bool
    hide_composer_mobile_config: bool
    hide_composer_model: bool
    hide_composer_quota_chip: bool
    hide_composer_reasoning: bool
    hide_composer_toolsets: bool
    hide_composer_status: bool
    hide_composer_context: bool
    hide_composer_bg_badge: bool
    structured_code_default_view: Literal["auto", "on", "off"]
    structured_code_auto_tree_lines: int
    chat_activity_display_mode: Literal["compact_worklog", "transparent_stream", "hide_all_activity"]
    sidebar_density: Literal["compact", "detailed"]
    default_message_mode: Literal["queue", "interrupt", "steer"]
    inflight_state_max_sessions: int
    inflight_state_max_messages: int
    inflight_state_max_tool_calls: int
    inflight_state_max_string_chars: int
    inflight_state_max_json_chars: int
    hidden_tabs: list[str]
    tab_order: list[str]
    composer_control_order: list[str]
    tts_enabled: bool
    tts_auto_read: bool
    voice_mode_button: bool
    voice_continuous: bool
    raw_audio_mode: bool
    tts_engine: str
    tts_voice: str
    tts_rate: float
    tts_pitch: float
    voice_silence_ms: int
    persisted_speech_keys: list[str]
    default_model: str | None
    default_model_provider: str | None
    max_tokens: int | None
    max_tokens_fallback: int | None
    max_tokens_effective: int | None
    provider_cost_budget: float | None
    config_error: str | None
    config_problems: list[ConfigProblem]
    password_env_var: bool
    auth_enabled: bool
    logged_in: bool
    password_auth_enabled: bool
    passkeys_enabled: bool
    passkeys_count: int
    passkey_feature_flag: bool
    passwordless_enabled: bool
    oidc_enabled: bool
    oidc_name: str | None
    auth_disabled_acknowledged: bool
    auth_just_enabled: NotRequired[bool]
    webui_version: str
    agent_version: str


class ShareAnswer(TypedDict):
    ok: bool
    share_id: str
    token: str
    path: str
    created_at: float


class ShareListSharesItem(TypedDict):
    title: str
    share_id: str
    created_at: float


class ShareList(TypedDict):
    shares: list[ShareListSharesItem]


class ShareRevoked(TypedDict):
    ok: Literal[True]
    share_id: str


class SharedSessionShare(TypedDict):
    title: str
    token: str
    url: str
    message_count: int
    created_at: float
    updated_at: float


class SharedSession(TypedDict):
    ok: bool
    share: SharedSessionShare
    session: SessionRow


class SharesRevoked(TypedDict):
    ok: bool
    revoked: int
    session: SessionRow


class SilentTurn(TypedDict):
    """what a turn that has been silent for ten minutes waits for"""

    since: int
    waiting_for: Literal["model", "command", "tool", "sub_agent", "person"]
    detail: str | None


class SkillShadowsItem(TypedDict):
    origin: Literal["profile", "external", "plugin", "claude", "shipped"]
    path: str


class Skill(TypedDict):
    name: str
    description: str
    category: str
    disabled: bool
    path: str
    tags: list[str]
    related_skills: list[str]
    origin: Literal["profile", "external", "plugin", "claude", "shipped"]
    read_only: bool
    warning: str | None
    shadows: list[SkillShadowsItem]


class SkillFile(TypedDict):
    content: str
    path: str


class SkillInspection(TypedDict):
    id: str
    skills: list[InspectedSkill]
    other_files: int


class SkillList(TypedDict):
    skills: list[Skill]


class SkillUsageUsageValue(TypedDict):
    """includes all other keys of the skill in `.usage.json`, such as last_used_at; open, because other programs keep keys of their own there"""

    use_count: int
    view_count: int
    patch_count: int


class SkillUsage(TypedDict):
    usage: dict[str, SkillUsageUsageValue]
    skill_names: list[str]
    total_invocations: int
    unique_skills_used: int


class SkillViewLinkedFiles(TypedDict):
    references: list[str]
    templates: list[str]
    scripts: list[str]
    assets: list[str]


class SkillViewShadowsItem(TypedDict):
    origin: Literal["profile", "external", "plugin", "claude", "shipped"]
    path: str


class SkillView(TypedDict):
    success: Literal[True]
    name: str
    description: str
    category: str
    tags: list[str]
    related_skills: list[str]
    content: str
    version: str
    path: str
    linked_files: SkillViewLinkedFiles
    disabled: bool
    origin: Literal["profile", "external", "plugin", "claude", "shipped"]
    read_only: bool
    warning: str | None
    shadows: list[SkillViewShadowsItem]


class SkippedSentence(TypedDict):
    """a sentence that could not be spoken"""

    part: int
    message_id: str | None
    start: int
    end: int
    error: str


class SpeechEnd(TypedDict):
    """last frame: everything was spoken, or nothing more follows"""

    state: Literal["completed", "cancelled", "interrupted", "failed"]
    error: NotRequired[str]


class SpeechEventAudio(TypedDict):
    """the next sentence"""

    id: NotRequired[str]
    event: Literal["audio"]
    data: SpokenSentence


class SpeechEventSkipped(TypedDict):
    """a sentence that could not be spoken"""

    id: NotRequired[str]
    event: Literal["skipped"]
    data: SkippedSentence


class SpeechEventRetracted(TypedDict):
    """the part is void, because the model starts it again"""

    id: NotRequired[str]
    event: Literal["retracted"]
    data: RetractedPart


class SpeechEventMessage(TypedDict):
    """a text of the turn has become a message"""

    id: NotRequired[str]
    event: Literal["message"]
    data: SpokenMessage


class SpeechEventEnd(TypedDict):
    """last frame: everything was spoken, or nothing more follows"""

    id: NotRequired[str]
    event: Literal["end"]
    data: SpeechEnd


SpeechEvent: TypeAlias = Union["SpeechEventAudio", "SpeechEventSkipped", "SpeechEventRetracted", "SpeechEventMessage", "SpeechEventEnd"]


class SpokenMessage(TypedDict):
    """a text of the turn has become a message"""

    part: int
    message_id: str


class SpokenSentence(TypedDict):
    """the next sentence"""

    part: int
    message_id: str | None
    start: int
    end: int
    text: str
    type: str
    audio: str


class StartSnapshotPromptsItemData(TypedDict):
    """as in the stream of the session"""

    pending: PendingApproval | PendingClarification | None
    pending_count: int


class StartSnapshotPromptsItem(TypedDict):
    session_id: str
    session_title: str | None
    profile: str | None
    event: Literal["approval"] | Literal["clarify"]
    data: StartSnapshotPromptsItemData
    waiting: list[PendingApproval | PendingClarification]


class StartSnapshot(TypedDict):
    """the first frame of GET /api/events"""

    profile: str
    list: SessionPage
    prompts: list[StartSnapshotPromptsItem]
    settings: StoredSettings
    saved_settings: list[str]
    config_error: str | None
    config_problems: list[ConfigProblem]
    counts: HomeCounts


class Start(TypedDict):
    """what a client needs at its start; a part is null if it is not available at once"""

    cursor: str
    snapshot: StartSnapshot | None
    session: SessionAnswer | None
    projects: ProjectList | None
    models: ModelsReply | None
    reasoning: ReasoningReply | None
    home: Home | None
    transcription: TranscribeCapability | None
    budgets: Budgets | None
    yolo: Yolo | None


class Started(TypedDict):
    title: str
    stream_id: str
    session_id: str
    pending_started_at: float
    turn_id: str
    effective_model: str | None
    effective_model_provider: str | None


class StateSaved(TypedDict):
    """the agent has changed a memory document or a skill"""

    session_id: str
    kind: Literal["memory", "skill"]
    action: Literal["added", "replaced", "removed", "created", "updated"]
    name: str


class SteerAnswer(TypedDict):
    accepted: bool
    fallback: str | None
    stream_id: str | None


class SteerLeftover(TypedDict):
    """steering text that the turn did not use"""

    session_id: str
    text: str


class StoredSettings(TypedDict):
    """Settings that POST /api/settings can change"""

    api_redact_enabled: bool
    pinned_sessions_limit: int
    session_ttl_seconds: int
    bot_name: str
    default_workspace: str
    show_cli_sessions: bool
    show_claude_code_sessions: bool
    show_cron_sessions: bool
    check_for_updates: bool
    update_channel: Literal["stable", "experimental"]
    ignore_agent_updates: bool
    push_quiet_from: str
    push_quiet_until: str
    push_quiet_waiting: bool
    push_time_zone: str
    push_digest_at: str
    auto_title_refresh_every: Literal["0", "5", "10", "20"]
    onboarding_completed: bool
    send_key: Literal["enter", "ctrl+enter", "shift+enter"]
    theme: Literal["light", "dark", "system"]
    skin: str
    font_size: Literal["small", "default", "large", "xlarge"]
    language: str
    show_webhook_sessions: bool
    show_kanban_sessions: bool
    show_previous_messaging_sessions: bool
    whats_new_summary_enabled: bool
    sync_to_insights: bool
    dashboard_plugins: dict[str, bool]
    show_thinking: bool
    show_token_usage: bool
    show_tps: bool
    show_quota_chip: bool
    show_conversation_outline: bool
    show_busy_placeholder_hint: bool
    hide_empty_state_suggestions: bool
    hide_empty_state_panel: bool
    new_chat_on_workspace_switch: bool
    fade_text_effect: bool
    virtualize_transcript: bool
    virtualize_transcript_optin: bool
    session_jump_buttons: bool
    render_user_markdown: bool
    project_quick_create_buttons: bool
    session_endless_scroll: bool
    worklog_details_expanded_default: bool
    sound_enabled: bool
    notifications_enabled: bool
    rtl: bool
    terminal_auto_expand_on_output: bool
    workspace_todos_tab: bool
    show_titlebar_profile: bool
    large_text_paste_as_attachment: bool
    auto_scroll_follow: bool
    transparent_stream_event_timestamps: bool
    hide_composer_attach: bool
    hide_composer_saved_prompts: bool
    hide_composer_mic: bool
    hide_composer_voice_mode: bool
    hide_composer_yolo: bool
    hide_composer_profile: bool
    hide_composer_workspace: bool
    hide_composer_mobile_config: bool
    hide_composer_model: bool
    hide_composer_quota_chip: bool
    hide_composer_reasoning: bool
    hide_composer_toolsets: bool
    hide_composer_status: bool
    hide_composer_context: bool
    hide_composer_bg_badge: bool
    structured_code_default_view: Literal["auto", "on", "off"]
    structured_code_auto_tree_lines: int
    chat_activity_display_mode: Literal["compact_worklog", "transparent_stream", "hide_all_activity"]
    sidebar_density: Literal["compact", "detailed"]
    default_message_mode: Literal["queue", "interrupt", "steer"]
    inflight_state_max_sessions: int
    inflight_state_max_messages: int
    inflight_state_max_tool_calls: int
    inflight_state_max_string_chars: int
    inflight_state_max_json_chars: int
    hidden_tabs: list[str]
    tab_order: list[str]
    composer_control_order: list[str]
    tts_enabled: bool
    tts_auto_read: bool
    voice_mode_button: bool
    voice_continuous: bool
    raw_audio_mode: bool
    tts_engine: str
    tts_voice: str
    tts_rate: float
    tts_pitch: float
    voice_silence_ms: int


class StreamEnd(TypedDict):
    session_id: str


class StreamJournal(TypedDict):
    """The state of the frames of a turn"""

    session_id: str
    run_id: str
    last_seq: int
    last_event_id: str
    last_event: str | None
    terminal: bool
    terminal_state: str


class StreamStatus(TypedDict):
    active: bool
    stream_id: str
    replay_available: bool
    journal: StreamJournal


class SubscribeAnswer(TypedDict):
    ok: Literal[True]
    subscription: PushSubscription


class Suggestions(TypedDict):
    suggestions: list[str]
    prefix: str


class Suppressed(TypedDict):
    status: Literal["suppressed"]
    reason: Literal["silent_control_message"]


class SwitchedProfile(TypedDict):
    profiles: list[Profile]
    active: str
    is_default: bool
    default_model: str | None
    default_model_provider: str | None
    default_workspace: str | None


class SystemHealthDatabase(TypedDict):
    version: int
    writable: bool
    check: str


class SystemHealthBackup(TypedDict):
    every_hours: int
    result: str
    last_at: float | None
    age_seconds: int | None
    kept: int
    warning: str | None


class SystemHealthConfig(TypedDict):
    profile: str
    error: str | None
    problems: list[ConfigProblem]


class SystemHealthAgent(TypedDict):
    profile: str
    running: bool
    pid: int | None
    runs: int


class SystemHealthGit(TypedDict):
    engine: str
    version: str


class SystemHealthSandbox(TypedDict):
    available: bool
    kind: str | None
    version: str | None
    note: str


class SystemHealth(TypedDict):
    status: Literal["ok", "degraded"]
    reason: NotRequired[Literal["disk_full", "disk_read_only", "disk_failing", "database_locked", "database_damaged", "no_file_handles", "upgrading"]]
    version: str
    installed_as: Literal["git", "source", "npm-global", "npm-local", "npx", "pnpm", "bun", "archive", "image", "copy"]
    node: str
    sqlite: str
    uptime_seconds: float
    memory_bytes: int
    open_event_streams: int
    active_turns: int
    log_lines_dropped: int
    database: SystemHealthDatabase
    backup: SystemHealthBackup
    config: SystemHealthConfig
    agent: SystemHealthAgent
    git: SystemHealthGit
    sandbox: SystemHealthSandbox


class TakenAttempt(TypedDict):
    ok: Literal[True]
    files: list[str]


class TitleFound(TypedDict):
    """the session got a title; may follow `done`"""

    title: str
    session_id: str


class TodoStateTodosItem(TypedDict):
    id: str
    content: str
    status: Literal["pending", "in_progress", "completed", "cancelled"]


class TodoStateSummary(TypedDict):
    total: int
    pending: int
    in_progress: int
    completed: int
    cancelled: int


class TodoState(TypedDict):
    """the complete to-do list; each frame replaces the one before"""

    session_id: str
    stream_id: str
    source: Literal["tool"]
    ts: float
    todos: list[TodoStateTodosItem]
    summary: TodoStateSummary
    version: int


class ToggledSkill(TypedDict):
    ok: Literal[True]
    name: str
    enabled: bool


class Token(TypedDict):
    """text to append to the answer"""

    text: str


class TooLarge(TypedDict):
    """the body, file or upload is too large; the folder has too many files or bytes to be downloaded"""

    error: str
    code: NotRequired[Literal["too_large"]]
    limit: NotRequired[int]
    limit_bytes: NotRequired[int]
    configure: NotRequired[str]


class TooMany(TypedDict):
    """too many sign-ins, shared pages or model tasks within a minute, or texts read aloud within two seconds (see `Retry-After`), or too many side questions, background tasks or watched folders at once"""

    error: str


class ToolCard(TypedDict):
    """A tool call, as its card shows it"""

    name: str
    snippet: str
    tid: str
    assistant_msg_idx: int
    args: dict[str, str]
    is_error: NotRequired[bool]
    done: NotRequired[bool]
    duration: NotRequired[float]


class ToolCompleted(TypedDict):
    """a tool call ended; preview is the beginning of its result"""

    event_type: Literal["tool.completed"]
    name: str
    preview: str
    args: dict[str, Any]
    id: str
    tool_call_id: str
    tid: str
    is_error: bool
    duration: float
    command: str


class ToolOutput(TypedDict):
    """output of a running tool call: append the text. If left_out_bytes is higher than in the frame before (initially 0), the text replaces everything that arrived since left_out_bytes was 0"""

    id: str
    tool_call_id: str
    tid: str
    text: str
    left_out_bytes: int


class ToolStartedCommandPartsItem(TypedDict):
    program: str
    args: list[str]


class ToolStartedRequest(TypedDict):
    """for a network request: its address"""

    method: str
    scheme: str
    host: str
    path: str


class ToolStarted(TypedDict):
    """a tool call begins, or waits for approval"""

    event_type: Literal["tool.started"]
    name: str
    preview: str
    args: dict[str, Any]
    id: str
    tool_call_id: str
    tid: str
    file: NotRequired[str]
    diff: NotRequired[str]
    diff_truncated: NotRequired[bool]
    job_change: NotRequired[JobChange]
    diff_note: NotRequired[str]
    diff_note_reason: NotRequired[Reason]
    command_parts: NotRequired[list[ToolStartedCommandPartsItem]]
    command_parts_truncated: NotRequired[bool]
    folder: NotRequired[str]
    sandboxed: NotRequired[bool]
    limited_by: NotRequired[Literal["container"]]
    request: NotRequired[ToolStartedRequest]
    client: NotRequired[str]


class TranscribeCapability(TypedDict):
    ok: bool
    available: bool
    provider: str | None


class Transcript(TypedDict):
    ok: bool
    transcript: str


class TranscriptError(TypedDict):
    """last frame instead of `final`: the transcription failed after it had started"""

    error: str


class TranscriptEventPartial(TypedDict):
    """partial transcript, at most ten frames a second; engines that return everything at once send none"""

    id: NotRequired[str]
    event: Literal["partial"]
    data: PartialTranscript


class TranscriptEventFinal(TypedDict):
    id: NotRequired[str]
    event: Literal["final"]
    data: Transcript


class TranscriptEventError(TypedDict):
    """last frame instead of `final`: the transcription failed after it had started"""

    id: NotRequired[str]
    event: Literal["error"]
    data: TranscriptError


TranscriptEvent: TypeAlias = Union["TranscriptEventPartial", "TranscriptEventFinal", "TranscriptEventError"]


class TrashListItemsItem(TypedDict):
    id: str
    path: str
    name: str
    is_dir: bool
    size: int | None
    deleted_at: float


class TrashList(TypedDict):
    items: list[TrashListItemsItem]


class TurnParked(TypedDict):
    """the provider has reached its limit; the turn stays open until `resumed` or its last frame"""

    session_id: str
    stream_id: str
    resumes_at: float | None
    provider: str
    provider_name: str
    model: str
    problem: NotRequired[str]


class TurnResumed(TypedDict):
    """a parked turn continues where it stopped"""

    session_id: str
    stream_id: str


class TurnUsage(TypedDict):
    input_tokens: int
    output_tokens: int
    estimated_cost: float | None
    cache_read_tokens: int
    cache_write_tokens: int
    cache_hit_percent: int | None
    turn_cache_hit_percent: int | None
    duration_seconds: float
    tps: float | None
    ttft_ms: int | None
    used_model: str | None
    used_provider: str | None
    context_length: int | None
    threshold_tokens: int | None
    last_prompt_tokens: int | None
    post_compression_context_tokens_estimate: int | None
    usage_source: NotRequired[Literal["agent", "none"]]


class TypedAnswer(TypedDict):
    message_id: str
    text: str


class Unauthenticated(TypedDict):
    """the credentials are missing or wrong"""

    error: str


class Unavailable(TypedDict):
    """the session is busy, the disk is full or the database is locked (see `Retry-After`), a program is missing, or speech is not set up"""

    error: str
    code: NotRequired[Literal["busy", "disk_full", "disk_failing", "forge_limited", "git_failed", "host_unreachable", "missing_git", "no_handles", "preview_unavailable", "restarting", "timeout", "too_large", "upgrading"]]


class UndoAnswer(TypedDict):
    ok: bool
    removed_count: int
    removed_preview: str


class UndoneImport(TypedDict):
    ok: Literal[True]
    removed: list[str]
    restored: list[str]


class UnsubscribeAnswer(TypedDict):
    ok: Literal[True]
    id: str


class UnsupportedMediaType(TypedDict):
    """the body is not of the expected media type, or is compressed"""

    error: str


class UpdateApplied(TypedDict):
    ok: bool
    message: str
    target: str
    restart_scheduled: NotRequired[Literal[True]]
    command: NotRequired[str]
    up_to_date: NotRequired[Literal[True]]
    stash_conflict: NotRequired[Literal[True]]
    lock_conflict: NotRequired[Literal[True]]
    conflict: NotRequired[Literal[True]]
    diverged: NotRequired[Literal[True]]
    restart_blocked: NotRequired[Literal[True]]
    waiting: NotRequired[Literal[True]]
    active_streams: NotRequired[int]
    active_runs: NotRequired[int]
    blocking_stream_ids: NotRequired[list[str]]
    blocking_run_ids: NotRequired[list[str]]


class UpdateCheckWaiting(TypedDict):
    """an update that waits for running turns that its restart would end; absent: none waits"""

    since: float
    turns: int


class UpdateCheckLastUpdate(TypedDict):
    """the result of the last update"""

    ok: bool
    message: str
    finished_at: float


class UpdateCheck(TypedDict):
    disabled: NotRequired[Literal[True]]
    webui: NotRequired[RepoInfo | None]
    agent: NotRequired[RepoInfo | None]
    checked_at: NotRequired[float]
    include_agent: NotRequired[bool]
    channel: NotRequired[Literal["stable", "experimental"]]
    installed_as: NotRequired[Literal["git", "source", "npm-global", "npm-local", "npx", "pnpm", "bun", "archive", "image", "copy"]]
    cached: NotRequired[Literal[True]]
    stale_channel: NotRequired[Literal[True]]
    simulated: NotRequired[Literal[True]]
    waiting: NotRequired[UpdateCheckWaiting]
    last_update: NotRequired[UpdateCheckLastUpdate | None]


class ViewCallsChanged(TypedDict):
    """a call of a view has started or ended: read GET /api/mcp/view/calls"""

    session_id: str
    call_id: str


class Warning(TypedDict):
    """a notice for the person; the turn continues"""

    type: str
    message: str
    reason: NotRequired[Reason]


class Workspace(TypedDict):
    path: str
    host: NotRequired[str]
    name: str


class WorkspaceList(TypedDict):
    workspaces: list[Workspace]
    last: str
    terminal_remote_backend: bool


class WorktreeRemoved(TypedDict):
    ok: bool
    removed: bool
    branch_deleted: bool


class WorktreeStatus(TypedDict):
    ok: bool
    session_id: str
    has_worktree: bool
    exists: bool
    path: str | None
    branch: str | None
    dirty_files: int
    untracked_files: int
    ahead: int
    merged: bool
    locked: bool


class WrittenFile(TypedDict):
    ok: bool
    path: str
    size: int
    version: str
    mtime_ns: int


class WrittenMemory(TypedDict):
    ok: Literal[True]
    section: Literal["memory", "user", "soul"]
    path: str
    mtime: float | None
    version: str


class Yolo(TypedDict):
    yolo_enabled: bool


class YoloSet(TypedDict):
    ok: bool
    yolo_enabled: bool
