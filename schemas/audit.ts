import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox'
import { Closed, Nullable, OneOf, Seconds } from './common.js'
import { TokenScopeName } from './auth.js'

const kind = <P extends TProperties>(description: string, details: P) => ({ description, details: Closed(details) })

const session = Type.String({ description: 'id of the conversation' })
const profile = Type.String({ description: 'name of the profile' })
const device = {
  device: Type.String({ description: 'id of the device' }),
  name: Type.String(),
  scope: TokenScopeName
}
const pull = {
  session, host: Type.String({ description: 'host of the forge' }), repository: Type.String(), number: Type.Integer({ description: 'number of the pull request' })
}
const attempts = Type.String({ description: 'id of the attempts' })
const path = Type.String({ description: 'relative to the workspace' })
const isOn = Type.Boolean({ description: 'switched on' })
const value = Nullable(Type.String(), 'JSON text; null: not set, or left out because it may be secret')

/** All kinds of entries in the audit log, their meaning, and the schemas of their details, which never contain a secret. */
export const auditKinds = {
  'auth.sign_in': kind('Someone signed in or tried to', {
    method: OneOf(['password', 'passkey', 'oidc', 'token', 'code']),
    session: Nullable(Type.String(), 'id of the sign-in; `actor.id` of everything that the person does in it')
  }),
  'auth.sign_out': kind('Someone signed out', { session: Type.String({ description: 'id of the sign-in' }) }),
  'auth.password': kind('The password was set, changed or removed, which ended all sign-ins', { change: OneOf(['set', 'changed', 'removed']) }),
  'auth.passwordless': kind('Passwordless sign-in was switched on or off', { on: isOn }),
  'auth.open_acknowledged': kind('The warning that no sign-in is needed was acknowledged, or the acknowledgement was withdrawn', {
    acknowledged: Type.Boolean()
  }),
  'passkey.registered': kind('A passkey was registered', { passkey: Type.String(), label: Type.String() }),
  'passkey.renamed': kind('A passkey was renamed', { passkey: Type.String(), label: Type.String() }),
  'passkey.deleted': kind('A passkey was deleted, which ended its sign-ins', { passkey: Type.String() }),
  'device.created': kind('A token was created', { ...device, expires_at: Nullable(Type.Number()) }),
  'device.renamed': kind('A token or a paired browser was renamed', { device: Type.String(), name: Type.String() }),
  'device.revoked': kind('A token or a paired browser was revoked', device),
  'pairing.begun': kind('A pairing code was created', device),
  'pairing.ended': kind('A pairing code was cancelled', { device: Type.String() }),
  'pairing.completed': kind('A device was paired with a code', { ...device, as: OneOf(['token', 'session']) }),

  'approval.answered': kind('An approval was answered', {
    session,
    approval: Type.String({ description: 'id of the approval' }),
    choice: OneOf(['once', 'session', 'always', 'deny']),
    command: Type.String({ description: 'the command as the approval card shows it, with credentials masked; at most 2,000 characters' }),
    pattern_keys: Type.Array(Type.String(), { description: 'the pattern keys that the choices `session` and `always` allow' })
  }),
  'question.answered': kind('A question was answered; the answer itself is not recorded', {
    session, question_id: Type.String(), question: Type.String({ description: 'credentials masked; at most 2,000 characters' }),
    declined: Type.Boolean()
  }),
  'grant.added': kind('A permanent grant was added', { profile, pattern_key: Type.String() }),
  'grant.removed': kind('A permanent grant was removed', { profile, pattern_key: Type.String() }),
  'yolo.switched': kind('Yolo (run everything without asking) was switched on or off for a conversation', { session, on: isOn }),

  'mode.switched': kind('Plan mode was switched on or off for a conversation', { session, mode: OneOf(['default', 'plan']) }),
  'plan.started': kind('A plan was started: it became the goal of its conversation, which left plan mode', { session, version: Type.Integer() }),

  'settings.changed': kind('Settings of the instance were changed', {
    changes: Type.Array(Closed({ key: Type.String(), from: value, to: value }))
  }),
  'config.changed': kind('The service changed the config.yaml of a profile', {
    profile, changes: Type.Array(Closed({ key: Type.String({ description: 'path of the key, joined by dots' }), from: value, to: value }))
  }),
  'key.set': kind('A variable in the .env of a profile was set, such as a provider key; the value is not recorded', {
    profile, variable: Type.String()
  }),
  'key.removed': kind('A variable in the .env of a profile was removed', { profile, variable: Type.String() }),
  'mcp.server': kind('An MCP server was added, changed, removed, or switched on or off', {
    profile, server: Type.String(), change: OneOf(['added', 'changed', 'removed', 'on', 'off'])
  }),
  'mcp.sign_in': kind('Someone started to sign in to an MCP server', { server: Type.String() }),
  'mcp.sign_out': kind('Someone signed out of an MCP server', { server: Type.String() }),
  'plugin.switched': kind('A plugin was switched on or off', { profile, plugin: Type.String(), on: isOn }),
  'skill.saved': kind('A skill was saved', { profile, skill: Type.String() }),
  'skill.imported': kind('Skills were imported from an archive', {
    profile, skills: Type.Array(Type.String()), replaced: Type.Array(Type.String())
  }),
  'skill.import_undone': kind('An import of skills was undone', {
    profile, removed: Type.Array(Type.String()), restored: Type.Array(Type.String())
  }),
  'skill.deleted': kind('A skill was deleted', { profile, skill: Type.String() }),
  'memory.changed': kind('A memory document was changed or cleared', {
    profile, section: OneOf(['memory', 'user', 'soul']), bytes_before: Type.Integer(), bytes: Type.Integer()
  }),
  'profile.created': kind('A profile was created', { profile }),
  'profile.deleted': kind('A profile was deleted', { profile }),
  'job.created': kind('A scheduled job was created', { profile, job: Type.String(), name: Type.String() }),
  'job.changed': kind('A scheduled job was changed, paused or resumed', { profile, job: Type.String(), name: Type.String() }),
  'job.deleted': kind('A scheduled job was deleted', { profile, job: Type.String(), name: Type.String() }),
  'hook.created': kind('A hook was created; its secret is not recorded', { profile, hook: Type.String(), name: Type.String() }),
  'hook.changed': kind('A hook was changed, paused or resumed, or got a new secret', {
    profile, hook: Type.String(), name: Type.String(), secret: Type.Boolean({ description: 'true: it got a new secret' })
  }),
  'hook.deleted': kind('A hook was deleted', { profile, hook: Type.String(), name: Type.String() }),

  'session.deleted': kind('A conversation was deleted, including its side turns', { session, profile }),
  'session.cut': kind('Messages at the end of a conversation were removed', { session, removed: Type.Integer() }),
  'session.exported': kind('A conversation was exported', { session, format: OneOf(['json', 'html']) }),
  'session.imported': kind('A conversation was imported', { session, profile }),
  'session.attached': kind('A conversation of another program was continued here, in place', { session, profile }),
  'project.changed': kind('The folder or the instructions of a project were changed', {
    profile, project: Type.String(), name: Type.String(), workspace: Type.Boolean(), instructions: Type.Boolean()
  }),
  'project.deleted': kind('A project was deleted; its conversations stay', { profile, project: Type.String(), name: Type.String() }),
  'share.created': kind('A public page of a conversation was created', { session, share: Type.String() }),
  'share.revoked': kind('A public page was revoked', { session, share: Type.String() }),
  'file.deleted': kind('A file or folder of a workspace was deleted', {
    session, path, permanent: Type.Boolean({ description: 'false: moved to the trash' })
  }),
  'trash.removed': kind('An item was removed from the trash, or the trash was emptied', {
    session, item: Nullable(Type.String(), 'its id in the trash; null: all items')
  }),
  'checkpoint.restored': kind('A workspace, or some of its files, was restored from a checkpoint', {
    session: Nullable(session), checkpoint: Type.String(), files: Nullable(Type.Integer(), 'how many files were chosen; null: all')
  }),
  'git.discarded': kind('Uncommitted changes were discarded', {
    session, files: Type.Integer({ description: 'how many paths the request named' }),
    untracked: Type.Boolean({ description: 'true: untracked files were deleted as well' })
  }),
  'git.pushed': kind('A branch was pushed to its remote', { session }),
  'attempts.begun': kind('Several attempts at one task were started', {
    attempts, profile, count: Type.Integer(), check: Nullable(Type.String(), 'the command that checks each result; null: none')
  }),
  'attempts.taken': kind('Changes of an attempt were applied to the folder that it started from', {
    attempts, session, files: Type.Integer(), whole: Type.Boolean({ description: 'false: only chosen parts' })
  }),
  'attempts.taken_back': kind('Applied changes of an attempt were undone', { attempts, session, files: Type.Integer() }),
  'check.saved': kind('A check of a folder was saved, which permits it to run', {
    profile, workspace: Type.String(), check: Type.String({ description: 'id of the check' }),
    command: Type.String({ description: 'with credentials masked' }), after_turn: OneOf(['off', 'ask', 'run']),
    auto_send: Type.Integer({ description: 'how often its failures may be sent to the agent automatically' })
  }),
  'check.removed': kind('A check of a folder was deleted', { profile, workspace: Type.String(), check: Type.String({ description: 'id of the check' }) }),
  'attempts.stopped': kind('Attempts at a task were stopped', { attempts }),
  'attempts.removed': kind('Worktrees of attempts were removed', { attempts, sessions: Type.Integer() }),
  'pull.opened': kind('A pull request was opened', pull),
  'pull.ready': kind('A draft of a pull request was made ready for review', pull),
  'pull.commented': kind('A pull request, or a comment on it, was commented on; the text is not recorded', pull),
  'pull.resolved': kind('A thread of comments on a pull request was resolved or reopened', { ...pull, resolved: Type.Boolean() }),
  'pull.merged': kind('A pull request was merged', { ...pull, sha: Type.String(), method: OneOf(['merge', 'squash', 'rebase']) }),
  'pull.closed': kind('A pull request was closed without merging it', pull),

  'backup.created': kind('A backup was created', { backup: Type.String({ description: 'its name' }) }),
  'backup.restored': kind('The database was restored from a backup; earlier entries come from that backup', {
    backup: Type.String({ description: 'name of its folder or file' })
  }),
  'update.applied': kind('An update was installed or failed', { message: Type.String() }),
  'machine.joined': kind('A machine joined or was refused', { machine: Type.String(), note: Nullable(Type.String()) }),
  'machine.left': kind('A machine left', { machine: Type.String() }),
  'machine.forgotten': kind('A disconnected machine was removed from the list', { machine: Type.String() }),
  'audit.exported': kind('The audit log was exported', { format: OneOf(['ndjson', 'csv']) }),
  'audit.trimmed': kind('Entries older than audit.keep_days were removed', {
    removed: Type.Integer(), up_to: Type.Integer({ description: 'id of the last entry removed' })
  })
}

export type AuditKind = keyof typeof auditKinds
export type AuditDetails<Kind extends AuditKind> = Static<(typeof auditKinds)[Kind]['details']>
export const auditKindNames = Object.keys(auditKinds) as AuditKind[]

const Actor = Closed({
  kind: OneOf(['person', 'device', 'nobody', 'agent', 'service', 'console'],
    'nobody: a client that is not signed in; service: the service itself; console: a program that was run on its machine'),
  id: Nullable(
    Type.String(), 'person: id of the sign-in, `proxy`, or `open` where no sign-in is needed; device: its id; agent: id of the conversation'
  ),
  name: Nullable(Type.String(), 'name of the device at that time; null for other actors')
}, { title: 'AuditActor' })

const entryOf = (name: string, { description, details }: { description: string, details: TObject }) => Closed({
  id: Type.Integer({ description: 'consecutive, without gaps' }),
  at: Seconds(),
  kind: Type.Literal(name),
  outcome: OneOf(['ok', 'failed', 'throttled']),
  actor: Actor,
  address: Nullable(Type.String(), 'client address, as the sign-in rate limit counts it (of IPv6, the /64)'),
  previous_hash: Type.String({ description: 'hash of the previous entry; empty for the first' }),
  hash: Type.String({
    description: 'SHA-256 (hex) of the JSON array, without whitespace, of ' +
      'previous_hash, id, at, kind, outcome, actor.kind, actor.id, actor.name, address and details'
  }),
  details
}, { description })

const AuditEntry = Type.Unsafe<unknown>({
  title: 'AuditEntry', anyOf: Object.entries(auditKinds).map(([name, each]) => entryOf(name, each))
})

const filter = {
  kind: Type.Optional(Type.String({ maxLength: 64, description: 'a kind, or the first part of several kinds, such as `auth`' })),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'text that the details, name or address contain; case is ignored' }))
}
export const AuditQuery = Type.Object({
  limit: Type.Optional(Type.String({ description: '1 to 500; default: 100' })),
  before: Type.Optional(Type.String({ description: 'only entries with smaller ids: `next_before` of the previous page' })),
  ...filter
})
export const AuditPage = Closed({
  entries: Type.Array(AuditEntry, { description: 'newest first' }),
  next_before: Nullable(
    Type.Integer(), '`before` for the next page, even if this page has fewer entries than `limit`, or none; null: no more pages'
  )
}, { title: 'AuditPage' })

export const AuditExportQuery = Type.Object({ format: Type.Optional(OneOf(['ndjson', 'csv'], 'default: ndjson')), ...filter })
export const AuditExport = {
  description: 'oldest first',
  content: {
    'application/x-ndjson': { schema: Type.String({ description: 'one AuditEntry per line' }) },
    'text/csv': { schema: Type.String({ description: 'with a header line; details as JSON text' }) }
  }
}
