import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox'
import { Closed, Nullable, OneOf, Seconds } from './common.js'
import { TokenScopeName } from './auth.js'

const kind = <P extends TProperties>(description: string, details: P) => ({ description, details: Closed(details) })

const session = Type.String({ description: 'id of the conversation' })
const profile = Type.String({ description: 'name of the profile' })
const device = {
  device: Type.String({ description: 'its id' }),
  name: Type.String(),
  scope: TokenScopeName
}
const path = Type.String({ description: 'in the folder of the conversation' })
const isOn = Type.Boolean({ description: 'switched on' })
const value = Nullable(Type.String(), 'as JSON text; null: none, or not told, as it may be secret')

/** What is recorded in the audit log: every kind there is, what it means, and the form of its details, where nothing secret has a place. */
export const auditKinds = {
  'auth.sign_in': kind('Somebody signed in, or tried to', {
    method: OneOf(['password', 'passkey', 'oidc', 'token', 'code']),
    session: Nullable(Type.String(), 'the sign-in: what a person does later has this as the id of who did it')
  }),
  'auth.sign_out': kind('A sign-in was ended', { session: Type.String({ description: 'the sign-in' }) }),
  'auth.password': kind('The password was set, changed or removed, which ended all sign-ins', { change: OneOf(['set', 'changed', 'removed']) }),
  'auth.passwordless': kind('Signing in without a password was switched on or off', { on: isOn }),
  'auth.open_acknowledged': kind('Somebody took note that no sign-in is needed, or withdrew that', { acknowledged: Type.Boolean() }),
  'passkey.registered': kind('A passkey was made', { passkey: Type.String(), label: Type.String() }),
  'passkey.renamed': kind('A passkey was renamed', { passkey: Type.String(), label: Type.String() }),
  'passkey.deleted': kind('A passkey was deleted, which ended its sign-ins', { passkey: Type.String() }),
  'device.created': kind('A token was made', { ...device, expires_at: Nullable(Type.Number()) }),
  'device.renamed': kind('A token or a paired browser was renamed', { device: Type.String(), name: Type.String() }),
  'device.revoked': kind('A token or a paired browser was revoked', device),
  'pairing.begun': kind('A code was made that a device exchanges for a token', device),
  'pairing.ended': kind('A code was taken back', { device: Type.String() }),
  'pairing.completed': kind('A device exchanged a code', { ...device, as: OneOf(['token', 'session']) }),

  'approval.answered': kind('An approval was answered', {
    session,
    approval: Type.String({ description: 'its id' }),
    choice: OneOf(['once', 'session', 'always', 'deny']),
    command: Type.String({ description: 'what was asked for, as its card shows it with credentials masked; at most 2,000 characters' }),
    pattern_keys: Type.Array(Type.String(), { description: 'what `session` and `always` allow from then on' })
  }),
  'question.answered': kind('A question was answered; the answer itself is not recorded', {
    session, question_id: Type.String(), question: Type.String({ description: 'credentials masked; at most 2,000 characters' }),
    declined: Type.Boolean()
  }),
  'grant.added': kind('Something was allowed for good', { profile, pattern_key: Type.String() }),
  'grant.removed': kind('What was allowed for good was taken back', { profile, pattern_key: Type.String() }),
  'yolo.switched': kind('A conversation was let run everything without asking, or no longer', { session, on: isOn }),

  'settings.changed': kind('Settings of the instance were changed', {
    changes: Type.Array(Closed({ key: Type.String(), from: value, to: value }))
  }),
  'config.changed': kind('The service changed config.yaml of a profile', {
    profile, changes: Type.Array(Closed({ key: Type.String({ description: 'names joined by dots' }), from: value, to: value }))
  }),
  'key.set': kind('A variable of the .env of a profile was set, such as the key of a provider; the value is not recorded', {
    profile, variable: Type.String()
  }),
  'key.removed': kind('A variable of the .env of a profile was removed', { profile, variable: Type.String() }),
  'mcp.server': kind('An MCP server was added, changed, removed, or switched on or off', {
    profile, server: Type.String(), change: OneOf(['added', 'changed', 'removed', 'on', 'off'])
  }),
  'mcp.sign_in': kind('Somebody began to sign in at an MCP server', { server: Type.String() }),
  'mcp.sign_out': kind('Somebody signed out at an MCP server', { server: Type.String() }),
  'plugin.switched': kind('A plugin was switched on or off', { profile, plugin: Type.String(), on: isOn }),
  'skill.saved': kind('A skill was saved', { profile, skill: Type.String() }),
  'skill.deleted': kind('A skill was deleted', { profile, skill: Type.String() }),
  'memory.changed': kind('A document of the memory was changed or emptied', {
    profile, section: OneOf(['memory', 'user', 'soul']), bytes_before: Type.Integer(), bytes: Type.Integer()
  }),
  'profile.created': kind('A profile was made', { profile }),
  'profile.deleted': kind('A profile was deleted', { profile }),
  'job.created': kind('A scheduled job was made', { profile, job: Type.String(), name: Type.String() }),
  'job.changed': kind('A scheduled job was changed, paused or resumed', { profile, job: Type.String(), name: Type.String() }),
  'job.deleted': kind('A scheduled job was deleted', { profile, job: Type.String(), name: Type.String() }),

  'session.deleted': kind('A conversation was deleted, with what ran beside it', { session, profile }),
  'session.cut': kind('Messages at the end of a conversation were removed', { session, removed: Type.Integer() }),
  'session.exported': kind('A conversation was exported', { session, format: OneOf(['json', 'html']) }),
  'session.imported': kind('A conversation was imported', { session, profile }),
  'project.deleted': kind('A folder of conversations was removed; they stay', { profile, project: Type.String(), name: Type.String() }),
  'share.created': kind('A page of a conversation was made public', { session, share: Type.String() }),
  'share.revoked': kind('A public page was taken back', { session, share: Type.String() }),
  'file.deleted': kind('A file or folder of a workspace was deleted', {
    session, path, permanent: Type.Boolean({ description: 'false: it went into the trash' })
  }),
  'trash.removed': kind('Something was removed from the trash for good', {
    session, item: Nullable(Type.String(), 'its id in the trash; null: everything')
  }),
  'checkpoint.restored': kind('A workspace, or files of it, were put back to a checkpoint', {
    session: Nullable(session), checkpoint: Type.String(), files: Nullable(Type.Integer(), 'how many were named; null: all')
  }),
  'git.pushed': kind('A branch was pushed to its remote', { session }),

  'backup.created': kind('A backup was made', { backup: Type.String({ description: 'its name' }) }),
  'backup.restored': kind('The database was replaced by that of a backup; the entries before are those of the backup', {
    backup: Type.String({ description: 'the name of its folder or file' })
  }),
  'update.applied': kind('An update was installed, or could not be', { message: Type.String() }),
  'machine.joined': kind('A machine joined, or was refused', { machine: Type.String(), note: Nullable(Type.String()) }),
  'machine.left': kind('A machine left', { machine: Type.String() }),
  'machine.forgotten': kind('A machine that is away was taken from the list', { machine: Type.String() }),
  'audit.exported': kind('The audit log was exported', { format: OneOf(['ndjson', 'csv']) }),
  'audit.trimmed': kind('The oldest entries of the audit log were removed, as they are older than audit.keep_days', {
    removed: Type.Integer(), up_to: Type.Integer({ description: 'the last id that was removed' })
  })
}

export type AuditKind = keyof typeof auditKinds
export type AuditDetails<Kind extends AuditKind> = Static<(typeof auditKinds)[Kind]['details']>
export const auditKindNames = Object.keys(auditKinds) as AuditKind[]

const Actor = Closed({
  kind: OneOf(['person', 'device', 'nobody', 'agent', 'service', 'console'],
    'nobody: who is not signed in; service: the service by itself; console: a program that was run on its machine'),
  id: Nullable(Type.String(), 'of a person the sign-in, `proxy`, or `open` where no sign-in is needed; of a device its id; of the agent the conversation'),
  name: Nullable(Type.String(), 'of a device, as it was then')
}, { title: 'AuditActor' })

const entryOf = (name: string, { description, details }: { description: string, details: TObject }) => Closed({
  id: Type.Integer({ description: 'without holes' }),
  at: Seconds(),
  kind: Type.Literal(name),
  outcome: OneOf(['ok', 'failed', 'throttled']),
  actor: Actor,
  address: Nullable(Type.String(), 'of the client, as the limit of sign-ins counts it'),
  previous_hash: Type.String({ description: 'hash of the entry before; empty of the first' }),
  hash: Type.String({
    description: 'SHA-256 (hex) of the JSON array of previous_hash, id, at, kind, outcome, actor.kind, actor.id, actor.name, address and details, without blanks'
  }),
  details
}, { description })

const AuditEntry = Type.Unsafe<unknown>({
  title: 'AuditEntry', anyOf: Object.entries(auditKinds).map(([name, each]) => entryOf(name, each))
})

const filter = {
  kind: Type.Optional(Type.String({ maxLength: 64, description: 'a kind, or the first part of several, such as `auth`' })),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'what the details, the name or the address contain, in any case' }))
}
export const AuditQuery = Type.Object({
  limit: Type.Optional(Type.String({ description: '1 to 500; default: 100' })),
  before: Type.Optional(Type.String({ description: 'entries with smaller ids: `next_before` of the page before' })),
  ...filter
})
export const AuditPage = Closed({
  entries: Type.Array(AuditEntry, { description: 'the newest first' }),
  next_before: Nullable(Type.Integer(), '`before` of the next page, also where this one has fewer entries than were asked for, or none; null: there is none')
}, { title: 'AuditPage' })

export const AuditExportQuery = Type.Object({ format: Type.Optional(OneOf(['ndjson', 'csv'], 'default: ndjson')), ...filter })
export const AuditExport = {
  description: 'the oldest first',
  content: {
    'application/x-ndjson': { schema: Type.String({ description: 'an AuditEntry in each line' }) },
    'text/csv': { schema: Type.String({ description: 'with a line of names; details as JSON text' }) }
  }
}
