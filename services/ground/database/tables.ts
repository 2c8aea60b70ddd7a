import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

// All times are epoch seconds (`…At`, real) unless a name says otherwise. Wire bodies are stored as finished JSON text, so that reading a
// transcript costs no parsing.

export const sessions = sqliteTable('sessions', {
  id: text().primaryKey(),
  profile: text().notNull(),
  title: text().notNull().default('Untitled'),
  /** Where the title comes from: not set yet, the beginning of the first message, the service, or a person (then it stays). */
  titleSource: text({ enum: ['untitled', 'provisional', 'automatic', 'manual'] }).notNull().default('untitled'),
  workspace: text().notNull(),
  model: text(),
  modelProvider: text(),
  personality: text(),
  /** In plan mode, turns read and ask, and change nothing. */
  mode: text({ enum: ['default', 'plan'] }).notNull().default('default'),
  projectId: text(),
  source: text({ enum: ['webui', 'fork', 'cron', 'subagent', 'btw', 'background', 'deleted'] }).notNull().default('webui'),
  parentSessionId: text(),
  /** Of a branch that keeps an earlier version of a message of its parent, and of what answered it: the position of that message. */
  versionIndex: integer(),
  relationshipType: text(),
  readOnly: integer({ mode: 'boolean' }).notNull().default(false),
  /** Left out of every list: throwaway and background sessions. */
  hidden: integer({ mode: 'boolean' }).notNull().default(false),
  /** A temporary chat, which is hidden too: it is deleted when it is left, or after a day without activity, unless it is kept. */
  temporary: integer({ mode: 'boolean' }).notNull().default(false),
  pinned: integer({ mode: 'boolean' }).notNull().default(false),
  archived: integer({ mode: 'boolean' }).notNull().default(false),
  worktreePath: text(),
  worktreeBranch: text(),
  /** The repository that the worktree belongs to. */
  worktreeRepoRoot: text(),
  worktreeCreatedAt: real(),
  createdAt: real().notNull(),
  updatedAt: real().notNull(),
  lastMessageAt: real(),
  /**
   * The beginning of the last message with a text, by a person or the assistant. `redactedLastSaid` is the same with credentials masked, or
   * null if there is nothing to mask.
   */
  lastSaid: text(),
  redactedLastSaid: text(),
  /** Also the position of the next message: positions have no gaps. */
  messageCount: integer().notNull().default(0),
  userMessageCount: integer().notNull().default(0),
  inputTokens: integer().notNull().default(0),
  outputTokens: integer().notNull().default(0),
  cacheReadTokens: integer().notNull().default(0),
  cacheWriteTokens: integer().notNull().default(0),
  /** US dollars; null until a turn with a known price has run. */
  estimatedCost: real(),
  contextLength: integer(),
  thresholdTokens: integer(),
  lastPromptTokens: integer(),
  /** The model is shown this text instead of the rows before `compressedBefore`; the rows themselves stay. */
  compressionSummary: text(),
  compressedBefore: integer(),
  /** Text and files in the composer that were not sent: `{text, files}`, as JSON text. */
  draft: text(),
  /** The agent's current todo list, as JSON text. */
  todos: text(),
  /** Incremented by every new turn; the fencing token of its writes. */
  generation: integer().notNull().default(0)
}, (table) => [
  index('sessions_by_activity').on(table.profile, table.archived, sql`coalesce(${table.lastMessageAt}, ${table.updatedAt})`),
  index('sessions_by_parent').on(table.parentSessionId),
  index('sessions_hidden').on(table.source).where(sql`hidden = 1`),
  index('sessions_by_project').on(table.projectId, table.id).where(sql`project_id is not null`)
])

export const messages = sqliteTable('messages', {
  id: integer().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  /** Index in the whole transcript, from 0, without gaps. */
  position: integer().notNull(),
  messageId: text().notNull(),
  role: text({ enum: ['user', 'assistant', 'tool', 'system'] }).notNull(),
  /** Whether it counts for `msg_limit`: false for tool rows and empty partials. */
  counted: integer({ mode: 'boolean' }).notNull(),
  /** The message object of the wire, as JSON text. */
  body: text().notNull(),
  /** Tool rows: their entry of the session-level `tool_calls`, as JSON text. */
  card: text(),
  /** `body` and `card` with credentials masked; null if there is nothing to mask. */
  redactedBody: text(),
  redactedCard: text(),
  /** Tool rows: position of the assistant row that made the call. */
  assistantPosition: integer(),
  /** What the model is shown for this row (an AI SDK message, JSON); null: nothing. */
  replay: text(),
  streamId: text(),
  createdAt: real().notNull()
}, (table) => [
  uniqueIndex('messages_by_position').on(table.sessionId, table.position),
  uniqueIndex('messages_by_message_id').on(table.messageId),
  index('messages_counted').on(table.sessionId, table.position).where(sql`counted = 1`)
])

/** Earlier texts of the documents in a profile's memory; the last twenty of each. */
export const memoryVersions = sqliteTable('memory_versions', {
  id: integer().primaryKey(),
  profile: text().notNull(),
  section: text({ enum: ['memory', 'user', 'soul'] }).notNull(),
  /** The unmasked text, credentials included; null while there was no file. */
  text: text(),
  /** Who wrote it; `disk`: a change made outside this service. */
  author: text({ enum: ['person', 'agent', 'disk'] }).notNull(),
  createdAt: real().notNull()
}, (table) => [index('memory_versions_by_section').on(table.profile, table.section, table.id)])

/** Folders of sessions. */
export const projects = sqliteTable('projects', {
  id: text().primaryKey(),
  name: text().notNull(),
  /** `#` and hex digits. */
  color: text(),
  profile: text().notNull(),
  /** The folder of new sessions; null: the default one. */
  workspace: text(),
  /** What the agent is told in each of its sessions; null: nothing. */
  instructions: text(),
  createdAt: real().notNull()
}, (table) => [index('projects_by_profile').on(table.profile, table.createdAt)])

/** Snapshots of sessions that anyone with their address may read. */
export const shares = sqliteTable('shares', {
  /** SHA-256 (hex) of the token in the address; the token itself is stored nowhere. */
  tokenHash: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  title: text().notNull(),
  /** The page as it was when it was shared, with credentials masked. */
  html: text().notNull(),
  createdAt: real().notNull()
}, (table) => [index('shares_by_session').on(table.sessionId)])

/** Conversations found in the files of other front ends on this machine. */
export const foreignSessions = sqliteTable('foreign_sessions', {
  id: text().primaryKey(),
  source: text({ enum: ['claude_code', 'codex', 'gemini_cli', 'opencode'] }).notNull(),
  path: text().notNull(),
  /** How far the file was read, and its identity then: a file that has shrunk or been replaced is read again from the start. */
  readBytes: integer().notNull(),
  inode: integer().notNull(),
  modifiedAt: real().notNull(),
  title: text(),
  workspace: text(),
  model: text(),
  messageCount: integer().notNull().default(0),
  userMessageCount: integer().notNull().default(0),
  inputTokens: integer().notNull().default(0),
  outputTokens: integer().notNull().default(0),
  cacheReadTokens: integer().notNull().default(0),
  createdAt: real().notNull(),
  lastMessageAt: real().notNull()
}, (table) => [uniqueIndex('foreign_sessions_by_path').on(table.path), index('foreign_sessions_by_activity').on(table.lastMessageAt)])

/**
 * Our sessions that continue the conversation of another front end in place: its agent keeps writing to the file, and its own program may
 * write to it too.
 */
export const attachedSessions = sqliteTable('attached_sessions', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  source: text({ enum: ['claude_code', 'codex', 'gemini_cli', 'opencode'] }).notNull(),
  /** The agent that continues the conversation, the conversation's id there, and the folder that it belongs to. */
  agent: text().notNull(),
  nativeId: text().notNull(),
  folder: text().notNull(),
  path: text().notNull(),
  /** How far the file is known, and the bytes right before that, as base64. */
  readBytes: integer().notNull(),
  seam: text().notNull(),
  /** How many of our rows existed then: later rows belong to turns that the rest of the file describes. */
  knownRows: integer().notNull(),
  /** Who wrote last, and whether the other program's turn was still open. */
  lastWriter: text({ enum: ['ours', 'theirs'] }).notNull(),
  isOpen: integer({ mode: 'boolean' }).notNull().default(false)
})

export const streams = sqliteTable('streams', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  kind: text({ enum: ['chat', 'goal', 'btw', 'background', 'delegate', 'cron'] }).notNull(),
  state: text({ enum: ['active', 'cancelling', 'settling', 'closed'] }).notNull(),
  terminalState: text(),
  /** Whether it began in plan mode, or plan mode was switched on while it ran: it then changes nothing until it ends. */
  planning: integer({ mode: 'boolean' }).notNull().default(false),
  generation: integer().notNull(),
  userMessageId: text(),
  provider: text(),
  model: text(),
  /** The choices of its message; null: the default of the profile or conversation. Empty: the model's own effort, no personality. */
  effort: text(),
  personality: text(),
  startedAt: real().notNull(),
  /** When it got its last frame. */
  endedAt: real(),
  /** When its answer was complete, or it ended without one; null while it runs. */
  finishedAt: real(),
  /** How many files its tool calls have changed, counted when it finished. */
  filesChanged: integer().notNull().default(0),
  lastSeq: integer().notNull().default(0),
  /** Frames up to here are already part of message rows. A recovery after a crash folds later ones. */
  settledSeq: integer().notNull().default(0),
  /** Size of the journal of this stream in bytes. */
  journalBytes: integer().notNull().default(0),
  journalPruned: integer({ mode: 'boolean' }).notNull().default(false),
  /** What a recovery must know about its run that neither frames nor rows tell, as JSON; null: nothing. */
  held: text(),
  /** What it needs beside its message to begin, as JSON; null: it was given to a host (`held` then), or does not begin after a stop. */
  unbegun: text(),
  /** Its place in a trace; null: it is not traced. */
  trace: text(),
  /** Number of the last event of its run that is included in the frames and rows. */
  runSeq: integer().notNull().default(0)
}, (table) => [
  uniqueIndex('streams_one_active').on(table.sessionId).where(sql`state = 'active'`),
  index('streams_by_session').on(table.sessionId, table.startedAt),
  index('streams_open').on(table.state).where(sql`state <> 'closed'`),
  index('streams_by_end').on(table.endedAt).where(sql`journal_pruned = 0`),
  index('streams_by_finish').on(table.finishedAt).where(sql`finished_at is not null and kind in ('chat', 'goal', 'cron')`)
])

/** Turns that wait for a provider's limit to pass. The row is deleted at the first event of the next run, or with the turn. */
export const parkedTurns = sqliteTable('parked_turns', {
  streamId: text().primaryKey().references(() => streams.id, { onDelete: 'cascade' }),
  parkedAt: real().notNull(),
  /** When the turn continues by itself; null: a person is asked. */
  resumesAt: real(),
  /** The model that continues the turn, and the display name of its provider. */
  provider: text().notNull(),
  model: text().notNull(),
  providerName: text().notNull(),
  /** Why the turn could not continue, for the person who is asked; null: the provider is at its limit. */
  problem: text(),
  /** How many times in a row it has waited without progress. */
  tries: integer().notNull(),
  /** Whether a person is there to be asked. */
  attended: integer({ mode: 'boolean' }).notNull(),
  /** Whether it is about to continue, and no event of that has arrived yet. */
  isResuming: integer({ mode: 'boolean' }).notNull()
}, (table) => [index('parked_turns_by_time').on(table.resumesAt).where(sql`is_resuming = 0 and resumes_at is not null`)])

export const frames = sqliteTable('frames', {
  streamId: text().notNull().references(() => streams.id, { onDelete: 'cascade' }),
  seq: integer().notNull(),
  event: text().notNull(),
  /** The `data:` line: one line of JSON text. */
  data: text().notNull(),
  /** The same without masking, if that differs. */
  plain: text()
}, (table) => [primaryKey({ columns: [table.streamId, table.seq] })])

/** The settings of a request to the OpenAI-compatible interface, repeated in its response. */
export const responses = sqliteTable('responses', {
  streamId: text().primaryKey().references(() => streams.id, { onDelete: 'cascade' }),
  instructions: text(),
  previousId: text(),
  metadata: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  model: text().notNull(),
  /** Whether it continues when its client disconnects. */
  isBackground: integer({ mode: 'boolean' }).notNull(),
  showsTools: integer({ mode: 'boolean' }).notNull(),
  /** Tools and output format that the client asked for. */
  wishes: text({ mode: 'json' }).$type<object>(),
  /** What the conversation had used before. */
  inputTokens: integer().notNull(),
  cachedTokens: integer().notNull(),
  outputTokens: integer().notNull(),
  createdAt: real().notNull()
})

export const prompts = sqliteTable('prompts', {
  id: text().primaryKey(),
  /** Order of arrival across all sessions. */
  arrival: integer().notNull(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  streamId: text().notNull(),
  kind: text({ enum: ['approval', 'clarify'] }).notNull(),
  body: text({ mode: 'json' }).notNull(),
  state: text({ enum: ['open', 'answering', 'answered', 'expired', 'cancelled'] }).notNull(),
  answer: text(),
  /** The tool call that waits for the answer. */
  callId: text(),
  /** Whether later calls of its step may run while it waits. */
  beside: integer({ mode: 'boolean' }).notNull().default(false),
  createdAt: real().notNull(),
  expiresAt: real(),
  closedAt: real()
}, (table) => [
  index('prompts_open').on(table.sessionId, table.kind, table.arrival).where(sql`state in ('open', 'answering')`),
  index('prompts_by_session').on(table.sessionId),
  index('prompts_by_time').on(table.createdAt),
  index('prompts_by_arrival').on(table.arrival),
  index('prompts_by_stream').on(table.streamId)
])

/** Texts sent to a running turn, kept until the run has taken them or they are handed back. */
export const steers = sqliteTable('steers', {
  id: integer().primaryKey(),
  streamId: text().notNull().references(() => streams.id, { onDelete: 'cascade' }),
  text: text().notNull(),
  /** What the owner of the text needs to take it back, as JSON text; null: a person typed it into the turn. */
  origin: text(),
  state: text({ enum: ['pending', 'applied', 'returned'] }).notNull(),
  createdAt: real().notNull()
}, (table) => [index('steers_by_stream').on(table.streamId)])

/** Permissions that the user granted for the rest of a session. Permanent grants are in the profile's config.yaml. */
export const grants = sqliteTable('grants', {
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  patternKey: text().notNull(),
  createdAt: real().notNull()
}, (table) => [primaryKey({ columns: [table.sessionId, table.patternKey] })])

/** The goal of a session: turns run until a judge finds it reached. At most one each. */
export const goals = sqliteTable('goals', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  goal: text().notNull(),
  status: text({ enum: ['active', 'paused', 'done', 'cleared'] }).notNull(),
  turnsUsed: integer().notNull().default(0),
  maxTurns: integer().notNull(),
  lastVerdict: text({ enum: ['done', 'continue', 'skipped'] }),
  lastReason: text(),
  pausedReason: text(),
  /** The code of the reason; null for none, and in rows of earlier versions. */
  pausedCode: text({
    enum: ['person', 'turns', 'budget', 'cancelled', 'failed', 'cut_off', 'not_started', 'judge_silent', 'judge_unclear']
  }),
  /** The message of the next turn, until it is sent. */
  continuation: text(),
  createdAt: real().notNull(),
  updatedAt: real().notNull()
}, (table) => [index('goals_active').on(table.status).where(sql`status = 'active'`)])

/** Tasks that run beside a conversation, each in a hidden session that is kept until its result is fetched. */
export const backgroundTasks = sqliteTable('background_tasks', {
  id: text().primaryKey(),
  parentSessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  streamId: text().notNull(),
  prompt: text().notNull(),
  state: text({ enum: ['queued', 'running', 'done'] }).notNull(),
  answer: text(),
  createdAt: real().notNull(),
  completedAt: real(),
  fetchedAt: real()
}, (table) =>
  [index('background_tasks_by_parent').on(table.parentSessionId, table.state), index('background_tasks_by_session').on(table.sessionId)])

/** Messages that wait until earlier turns of their conversation have settled. */
export const queueEntries = sqliteTable('queue_entries', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  /** The order. Entries that have begun or were removed leave gaps. */
  position: integer().notNull(),
  message: text().notNull(),
  /** Files sent with it, as JSON text. */
  attachments: text().notNull(),
  /** What the message itself chose; null: the conversation's setting when it begins. */
  model: text(),
  modelProvider: text(),
  explicitModelPick: integer({ mode: 'boolean' }).notNull(),
  /** Empty: the model's own effort. */
  effort: text(),
  /** Empty: no personality. */
  personality: text(),
  workspace: text(),
  /** What composed the message; null: a person typed it. */
  messageSource: text({ enum: ['review', 'checks', 'pull_request'] }),
  /** Size of the message and its files. */
  sizeBytes: integer().notNull(),
  /** The earliest time at which it begins; null: as soon as its turn comes. */
  notBefore: real(),
  /** The queue's version when this entry last changed. */
  version: integer().notNull(),
  createdAt: real().notNull()
}, (table) => [
  index('queue_entries_by_session').on(table.sessionId, table.position),
  index('queue_entries_by_time').on(table.notBefore).where(sql`not_before is not null`)
])

/** The state of a conversation's queue as a whole. */
export const queues = sqliteTable('queues', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  /** Incremented by every change. */
  version: integer().notNull(),
  /** Why it does not continue by itself; null: it does. */
  heldReason: text({ enum: ['failed', 'cancelled', 'budget', 'restored'] }),
  /** When a person last resumed it: turns that ended before then do not hold it. */
  resumedAt: real()
})

/** People's comments on lines of the files that a conversation has changed. */
export const reviewComments = sqliteTable('review_comments', {
  id: text().notNull(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  /** The path as it was commented on, relative to the workspace; lines count from 1. */
  path: text().notNull(),
  side: text({ enum: ['old', 'new'] }).notNull(),
  line: integer().notNull(),
  endLine: integer().notNull(),
  text: text().notNull(),
  /** The lines themselves and their context, as JSON text. */
  anchor: text().notNull(),
  state: text({ enum: ['draft', 'sent', 'changed', 'answered', 'open', 'resolved'] }).notNull(),
  /** The file in which `placeLine` to `placeEnd` are its lines, with that content; null: only the anchor identifies them. */
  placePath: text().notNull(),
  placeText: text(),
  placeLine: integer(),
  placeEnd: integer(),
  /** When it was last sent, and the turn that received it. */
  sentAt: real(),
  streamId: text(),
  /** That turn's answer to it, and the file that it changed for it. */
  answer: text(),
  changedIn: text(),
  /** The review's version when this comment last changed. */
  version: integer().notNull(),
  createdAt: real().notNull()
}, (table) => [
  primaryKey({ columns: [table.sessionId, table.id] }),
  index('review_comments_sent').on(table.sessionId).where(sql`state = 'sent'`)
])

/** Pull requests opened by this service, until they are merged or closed. */
export const followedPulls = sqliteTable('followed_pulls', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  host: text().notNull(),
  repository: text().notNull(),
  number: integer().notNull(),
  /** Its state at the last check, as JSON text. */
  seen: text().notNull(),
  /** How many checks have found no change since the last one. */
  unchanged: integer().notNull(),
  nextLookAt: real().notNull(),
  changedAt: real().notNull()
}, (table) => [index('followed_pulls_due').on(table.nextLookAt), index('followed_pulls_by_session').on(table.sessionId)])

/** Files as they were when they were commented on. Each content is stored once. */
export const reviewTexts = sqliteTable('review_texts', {
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  hash: text().notNull(),
  content: text().notNull()
}, (table) => [primaryKey({ columns: [table.sessionId, table.hash] })])

/** Files that a person has viewed, in the version that they saw. */
export const reviewSeen = sqliteTable('review_seen', {
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  path: text().notNull(),
  version: text().notNull()
}, (table) => [primaryKey({ columns: [table.sessionId, table.path] })])

/** The state of a conversation's review as a whole. */
export const reviews = sqliteTable('reviews', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  /** Incremented by every change. */
  version: integer().notNull()
})

/** Calls that views of MCP servers have made by themselves, outside the turns of their conversation. */
export const viewCalls = sqliteTable('view_calls', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  /** The call whose view this is. */
  callId: text().notNull(),
  server: text().notNull(),
  /** The tool that was called; null: a resource was read, whose address is `uri` in the arguments. */
  tool: text(),
  /** The arguments of the call, as JSON. */
  args: text().notNull(),
  /** `lost`: the service ended while it ran. */
  state: text({ enum: ['running', 'done', 'failed', 'refused', 'lost'] }).notNull(),
  /** The server's answer, or why there is none, cut short. */
  answer: text().notNull(),
  createdAt: real().notNull()
}, (table) => [index('view_calls_by_session').on(table.sessionId, table.createdAt)])

/** Attempts at the same task, each in a worktree and a conversation of its own. */
export const attempts = sqliteTable('attempts', {
  id: text().primaryKey(),
  profile: text().notNull(),
  /** The conversation that it was begun from. */
  sessionId: text().references(() => sessions.id, { onDelete: 'set null' }),
  /** The folder that it was begun in, and its content then: a commit that is on no branch. Null until that is stored. */
  workspace: text().notNull(),
  base: text(),
  /** Whether the folder had uncommitted changes: every attempt began with them. */
  carried: integer({ mode: 'boolean' }).notNull().default(false),
  message: text().notNull(),
  /** A command that tells whether a result is good, and its time limit. */
  checkCommand: text(),
  checkSeconds: integer().notNull(),
  reviewerModel: text(),
  reviewerProvider: text(),
  /** What all attempts together may use, as JSON text; null: the profile's limits. */
  limits: text(),
  /** `preparing`: not acknowledged yet, and cleaned up after a stop of the service. */
  state: text({ enum: ['preparing', 'running', 'judging', 'ready'] }).notNull(),
  /** The conversation whose result the judge prefers, and why; null: no judge was asked, or none is preferred. */
  bestSessionId: text(),
  verdict: text(),
  takenSessionId: text(),
  /** When its worktrees are removed; null: they are kept. */
  keptUntil: real(),
  /** Incremented by every change. */
  version: integer().notNull().default(1),
  createdAt: real().notNull()
}, (table) => [
  index('attempts_by_profile').on(table.profile, table.createdAt), index('attempts_kept').on(table.keptUntil),
  index('attempts_by_session').on(table.sessionId)
])

/** One of the attempts at a task. */
export const attemptSessions = sqliteTable('attempt_sessions', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  attemptsId: text().notNull().references(() => attempts.id, { onDelete: 'cascade' }),
  position: integer().notNull(),
  model: text(),
  provider: text(),
  streamId: text(),
  state: text({ enum: ['waiting', 'running', 'checking', 'reviewing', 'done', 'failed', 'cancelled', 'stopped'] }).notNull(),
  /** How the turn ended, kept while the steps after it run. */
  outcome: text({ enum: ['done', 'failed', 'cancelled', 'stopped'] }),
  error: text(),
  checkPassed: integer({ mode: 'boolean' }),
  checkOutput: text(),
  /** Differences from the folder where it began; null: unknown. */
  files: integer(),
  additions: integer(),
  deletions: integer(),
  review: text(),
  /** What the judge says about it. */
  reason: text(),
  startedAt: real(),
  endedAt: real()
}, (table) => [index('attempt_sessions_by_attempts').on(table.attemptsId, table.position)])

/** Changes of an attempt that were applied to the folder, and those that undid them. */
export const attemptTakes = sqliteTable('attempt_takes', {
  id: text().primaryKey(),
  attemptsId: text().notNull().references(() => attempts.id, { onDelete: 'cascade' }),
  /** Not a foreign key: applied changes stay applied. */
  sessionId: text().notNull(),
  /** The folder's content before and after, as commits that are on no branch. */
  before: text().notNull(),
  after: text().notNull(),
  /** The application that this one undoes. */
  undoes: text(),
  isWhole: integer({ mode: 'boolean' }).notNull(),
  /** `writing`: after a stop of the service it is finished or undone. */
  state: text({ enum: ['writing', 'done', 'undone', 'failed'] }).notNull(),
  at: real().notNull()
}, (table) => [index('attempt_takes_by_attempts').on(table.attemptsId, table.at), index('attempt_takes_open').on(table.state)])

/** Commands with which a person has a folder checked: tests, linters, type checks. */
export const checks = sqliteTable('checks', {
  id: text().primaryKey(),
  profile: text().notNull(),
  /** The folder; for worktrees, the folder of their repository. */
  place: text().notNull(),
  name: text().notNull(),
  kind: text({ enum: ['test', 'lint', 'types', 'other'] }).notNull(),
  command: text().notNull(),
  /**
   * The file that defines the command, and the script that it runs, as a person has seen it; null: the command itself is all there is to
   * see.
   */
  file: text(),
  script: text(),
  afterTurn: text({ enum: ['off', 'ask', 'run'] }).notNull(),
  /** How often failures are sent to the agent automatically until a person writes. */
  autoSend: integer().notNull(),
  seconds: integer().notNull(),
  createdAt: real().notNull()
}, (table) => [index('checks_by_place').on(table.profile, table.place, table.createdAt)])

/** Checks that run or have run: the last twenty of each folder. */
export const checkRuns = sqliteTable('check_runs', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  checkId: text().notNull().references(() => checks.id, { onDelete: 'cascade' }),
  /** The name and command as they were when it ran. */
  name: text().notNull(),
  command: text().notNull(),
  /** Where it ran. */
  folder: text().notNull(),
  /** The turn after which it ran automatically; null: a person started it. */
  streamId: text(),
  isConfined: integer({ mode: 'boolean' }).notNull(),
  /** `interrupted`: the service stopped while it ran. */
  state: text({ enum: ['waiting', 'running', 'passed', 'failed', 'timed_out', 'over_limit', 'cancelled', 'interrupted'] }).notNull(),
  exitCode: integer(),
  /** Output with credentials masked. */
  output: text().notNull().default(''),
  /** The problems found in the output, as JSON text, and how many there were of each severity. */
  problems: text().notNull().default('[]'),
  errors: integer().notNull().default(0),
  warnings: integer().notNull().default(0),
  infos: integer().notNull().default(0),
  /** When it was last sent to the agent. */
  sentAt: real(),
  createdAt: real().notNull(),
  startedAt: real(),
  endedAt: real()
}, (table) => [
  index('check_runs_by_folder').on(table.folder, table.createdAt), index('check_runs_by_session').on(table.sessionId),
  index('check_runs_by_check').on(table.checkId), index('check_runs_open').on(table.state)
])

/** How often results have been sent to the agent automatically since a person last wrote, and the last turn that received them. */
export const checkSends = sqliteTable('check_sends', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  streamId: text().notNull(),
  count: integer().notNull()
})

/** All versions of the plans of conversations; the last fifty of each. The highest version is the current plan. */
export const plans = sqliteTable('plans', {
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  version: integer().notNull(),
  text: text().notNull(),
  author: text({ enum: ['agent', 'person'] }).notNull(),
  createdAt: real().notNull(),
  /** When it became the goal of the conversation. */
  startedAt: real()
}, (table) => [primaryKey({ columns: [table.sessionId, table.version] })])

/** Scheduled jobs: each run is a turn in a session of its own. */
export const cronJobs = sqliteTable('cron_jobs', {
  id: text().primaryKey(),
  profile: text().notNull(),
  name: text().notNull(),
  prompt: text().notNull(),
  /** Names of skills, as JSON. */
  skills: text({ mode: 'json' }).$type<string[]>().notNull(),
  model: text(),
  provider: text(),
  /** Null: the default workspace. */
  workspace: text(),
  deliver: text().notNull(),
  /** The conversation it was created in. Not a foreign key: a job outlives it. */
  origin: text(),
  toast: integer({ mode: 'boolean' }).notNull(),
  /** Whether a run's questions are refused, or wait for a person. */
  ask: text({ enum: ['deny', 'wait'] }).notNull(),
  /** US dollars that its runs may use per day; null: the profile's limit for jobs. */
  dailyUsd: real(),
  /** `hook`: it has no schedule, and runs when its hook is called. */
  kind: text({ enum: ['cron', 'interval', 'once', 'hook'] }).notNull(),
  /** The schedule, as it can be typed again. */
  expression: text().notNull(),
  display: text().notNull(),
  words: text(),
  minutes: integer(),
  runAt: real(),
  /** Intervals are counted from this moment. */
  anchorAt: real().notNull(),
  /** The time zone in which `nextRunAt` was computed. */
  zone: text().notNull(),
  /** Null: no end. */
  repeatTimes: integer(),
  repeatCompleted: integer().notNull().default(0),
  state: text({ enum: ['scheduled', 'paused', 'completed', 'error'] }).notNull(),
  pausedAt: real(),
  pausedReason: text(),
  nextRunAt: real(),
  lastRunAt: real(),
  lastStatus: text({ enum: ['ok', 'error', 'delivery_failed', 'blocked_config'] }),
  lastError: text(),
  lastDeliveryError: text(),
  lastSkippedAt: real(),
  failureStreak: integer().notNull().default(0),
  createdAt: real().notNull(),
  /** Also set with each slot that is taken. None is later than the clock, unless the clock was set back. */
  updatedAt: real().notNull()
}, (table) => [
  index('cron_jobs_due').on(table.nextRunAt).where(sql`next_run_at is not null`),
  index('cron_jobs_by_profile').on(table.profile, table.createdAt)
])

/** The ledger of runs: each slot of a job is in it once, even if the clock changes. */
export const cronRuns = sqliteTable('cron_runs', {
  id: text().primaryKey(),
  /** Not a foreign key: a job is removed at once, and its runs a few at a time after it. */
  jobId: text().notNull(),
  /** Null: started by hand. */
  slotAt: real(),
  state: text({ enum: ['queued', 'running', 'done', 'skipped'] }).notNull(),
  status: text({ enum: ['ok', 'error', 'blocked_config'] }),
  error: text(),
  /** Not foreign keys: the run still counts when its session is deleted. */
  sessionId: text(),
  streamId: text(),
  /** The name of the file that was written. */
  output: text(),
  /** The prompt, if a call from outside gives one; null: the job's prompt. */
  request: text(),
  createdAt: real().notNull(),
  startedAt: real(),
  endedAt: real()
}, (table) => [
  uniqueIndex('cron_runs_by_slot').on(table.jobId, table.slotAt),
  index('cron_runs_open').on(table.state).where(sql`state in ('queued', 'running')`),
  index('cron_runs_by_end').on(table.endedAt),
  index('cron_runs_by_job').on(table.jobId, table.createdAt)
])

/** Webhooks that external programs call, and the job that each runs. */
export const hooks = sqliteTable('hooks', {
  id: text().primaryKey(),
  jobId: text().notNull().unique().references(() => cronJobs.id, { onDelete: 'cascade' }),
  /** The key that signs calls, so it is stored in plain text. */
  secret: text().notNull(),
  /** Names of events, as JSON; empty: every event counts. */
  events: text({ mode: 'json' }).$type<string[]>().notNull(),
  /** The values that a call must have at these places, as JSON. */
  matches: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  calls: integer().notNull().default(0),
  lastCallAt: real(),
  lastOutcome: text({ enum: ['started', 'event', 'match', 'paused', 'ping'] }),
  /**
   * The payload of the last call that was not a ping, as JSON text, for trying out templates; null: none came, or it was too long to keep.
   */
  lastPayload: text(),
  createdAt: real().notNull()
})

/** Calls that have started a run. Each starts only one, however often it is sent. */
export const hookCalls = sqliteTable('hook_calls', {
  hookId: text().notNull().references(() => hooks.id, { onDelete: 'cascade' }),
  /** Identifies a call. */
  key: text().notNull(),
  runId: text().notNull(),
  at: real().notNull()
}, (table) => [primaryKey({ columns: [table.hookId, table.key] }), index('hook_calls_by_time').on(table.at)])

/** The outcome of the last calls of each hook, for a person who asks why nothing happens. */
export const hookLog = sqliteTable('hook_log', {
  id: integer().primaryKey(),
  hookId: text().notNull().references(() => hooks.id, { onDelete: 'cascade' }),
  at: real().notNull(),
  outcome: text({ enum: ['started', 'duplicate', 'event', 'match', 'paused', 'ping', 'refused', 'invalid', 'busy'] }).notNull(),
  event: text(),
  runId: text(),
  /** How many equal outcomes came in a row. */
  count: integer().notNull().default(1)
}, (table) => [index('hook_log_by_hook').on(table.hookId, table.id)])

/** Answers of runs on their way to another service, until they have arrived or were abandoned. */
export const cronDeliveries = sqliteTable('cron_deliveries', {
  id: text().primaryKey(),
  runId: text().notNull().references(() => cronRuns.id, { onDelete: 'cascade' }),
  target: text().notNull(),
  /** What is sent, as JSON text. */
  body: text().notNull(),
  state: text({ enum: ['pending', 'done', 'failed'] }).notNull(),
  attempts: integer().notNull().default(0),
  nextAttemptAt: real(),
  error: text(),
  createdAt: real().notNull()
}, (table) =>
  [index('cron_deliveries_due').on(table.nextAttemptAt).where(sql`state = 'pending'`), index('cron_deliveries_by_run').on(table.runId)])

/** Browsers that receive Web Push messages while nobody watches the app. */
export const pushSubscriptions = sqliteTable('push_subscriptions', {
  /** SHA-256 (hex) of the endpoint, its first 32 digits. */
  id: text().primaryKey(),
  /** Anyone who knows it can send to it, so it is never shown. */
  endpoint: text().notNull(),
  /** The browser's public key and the secret mixed into the encryption, both base64url. */
  p256dh: text().notNull(),
  auth: text().notNull(),
  approvals: integer({ mode: 'boolean' }).notNull(),
  questions: integer({ mode: 'boolean' }).notNull(),
  turns: integer({ mode: 'boolean' }).notNull(),
  jobs: integer({ mode: 'boolean' }).notNull(),
  pulls: integer({ mode: 'boolean' }).notNull().default(true),
  /** The browser's own name for itself. */
  userAgent: text(),
  /** How the subscriber was admitted, and the auth session it was done with: the subscription ends with that. */
  via: text({ enum: ['open', 'cookie', 'proxy', 'token'] }).notNull(),
  tokenHash: text(),
  createdAt: real().notNull(),
  /** When a message was last accepted, and why the last attempt failed, if it did. */
  lastSentAt: real(),
  lastError: text()
})

/** Messages to browsers, until they have arrived or were abandoned. */
export const pushMessages = sqliteTable('push_messages', {
  id: text().primaryKey(),
  subscriptionId: text().notNull().references(() => pushSubscriptions.id, { onDelete: 'cascade' }),
  kind: text({ enum: ['approval', 'question', 'turn', 'job', 'pull', 'digest'] }).notNull(),
  /** The prompt that it announces: once that is answered, it is not sent. */
  promptId: text(),
  /** What the browser gets, as JSON text. */
  body: text().notNull(),
  attempts: integer().notNull().default(0),
  nextAttemptAt: real().notNull(),
  createdAt: real().notNull(),
  expiresAt: real().notNull()
}, (table) =>
  [index('push_messages_due').on(table.nextAttemptAt), index('push_messages_by_subscription').on(table.subscriptionId, table.createdAt)])

/** Folders to choose from when a conversation begins. The default workspace is always one of them. */
export const workspaces = sqliteTable('workspaces', {
  profile: text().notNull(),
  /** Absolute and free of symlinks. */
  path: text().notNull(),
  name: text().notNull(),
  position: integer().notNull(),
  createdAt: real().notNull()
}, (table) => [primaryKey({ columns: [table.profile, table.path] })])

/** Files that were deleted from a workspace and can be restored. They lie in a folder of the workspace itself. */
export const trash = sqliteTable('trash', {
  id: text().primaryKey(),
  workspace: text().notNull(),
  /** Where it was, relative to the workspace. */
  path: text().notNull(),
  isFolder: integer({ mode: 'boolean' }).notNull(),
  /** Null for folders. */
  sizeBytes: integer(),
  deletedAt: real().notNull()
}, (table) => [index('trash_by_workspace').on(table.workspace, table.deletedAt), index('trash_by_time').on(table.deletedAt)])

/** Snapshots of a workspace before a turn first wrote to it, or before an older state was restored. */
export const checkpoints = sqliteTable('checkpoints', {
  id: text().primaryKey(),
  workspace: text().notNull(),
  /** Not foreign keys: the folder's history stays when the conversation is deleted. */
  sessionId: text().notNull(),
  streamId: text(),
  kind: text({ enum: ['turn', 'restore'] }).notNull(),
  /** `skipped`: no snapshot was made, for the `reason` given. */
  state: text({ enum: ['ready', 'skipped'] }).notNull(),
  reason: text(),
  /** Id of the tree in the workspace's snapshot repository. */
  tree: text(),
  fileCount: integer(),
  createdAt: real().notNull()
}, (table) => [index('checkpoints_by_workspace').on(table.workspace, table.createdAt), index('checkpoints_by_stream').on(table.streamId)])

/** What models have used: a row for each turn, and one for each other call, made for a turn or for none. */
export const usage = sqliteTable('usage', {
  /** The stream of the turn; for a call, an id of its own. */
  streamId: text().primaryKey(),
  /** The kind of turn, or what the call was for; null in rows from before this was kept. */
  kind: text(),
  /** The stream of the turn that a call was made for; null for turns, and for calls made for none. */
  turnId: text(),
  /** The scheduled job that it was used for. */
  jobId: text(),
  /** Not a foreign key: usage still counts when its session is deleted. Empty: no session. */
  sessionId: text().notNull(),
  profile: text().notNull(),
  provider: text(),
  model: text(),
  inputTokens: integer().notNull(),
  outputTokens: integer().notNull(),
  cacheReadTokens: integer().notNull(),
  cacheWriteTokens: integer().notNull(),
  /** US dollars; null if the price is unknown. */
  cost: real(),
  estimated: integer({ mode: 'boolean' }).notNull(),
  durationS: real().notNull(),
  firstTokenMs: integer(),
  createdAt: real().notNull()
}, (table) => [index('usage_by_time').on(table.createdAt), index('usage_by_session').on(table.sessionId)])

/** The calls of a tool on a day of a profile, added up as they end. */
export const toolUse = sqliteTable('tool_use', {
  profile: text().notNull(),
  /** YYYY-MM-DD, in the service's time zone. */
  date: text().notNull(),
  tool: text().notNull(),
  calls: integer().notNull(),
  failures: integer().notNull(),
  durationS: real().notNull()
}, (table) => [primaryKey({ columns: [table.profile, table.date, table.tool] }), index('tool_use_by_date').on(table.date)])

/** The runs of a scheduled job that ended on a day, added up as they end, because the job and its ledger may be gone later. */
export const jobUse = sqliteTable('job_use', {
  profile: text().notNull(),
  /** YYYY-MM-DD, in the service's time zone. */
  date: text().notNull(),
  jobId: text().notNull(),
  /** The job's name at its last run of the day. */
  name: text().notNull(),
  runs: integer().notNull(),
  failures: integer().notNull()
}, (table) => [primaryKey({ columns: [table.profile, table.date, table.jobId] }), index('job_use_by_date').on(table.date)])

/** What was used of each budget, added up as it is used, so that a check need not read the past. */
export const budgetUse = sqliteTable('budget_use', {
  scope: text({ enum: ['turn', 'session', 'attempts', 'job', 'day'] }).notNull(),
  /** A stream, a session, attempts at a task, a job of a profile on a day, or a profile on a day. Not foreign keys: usage stays. */
  id: text().notNull(),
  tokens: integer().notNull().default(0),
  /** US dollars, for calls with a known price. */
  usd: real().notNull().default(0),
  /** A model that was used and whose price is unknown. */
  unpriced: text(),
  /** The notices that people got about it, as a JSON list. */
  told: text().notNull().default('[]'),
  /** Up to where people have allowed use beyond its hard limits. */
  usdUpTo: real(),
  tokensUpTo: real(),
  updatedAt: real().notNull()
}, (table) => [primaryKey({ columns: [table.scope, table.id] }), index('budget_use_by_time').on(table.updatedAt)])

/** Requests with an id from the client, so that a repeated request gets the first answer. */
export const knownRequests = sqliteTable('known_requests', {
  /** `session <id>` or `profile <name>`: the scope in which the id is unique. */
  owner: text().notNull(),
  clientId: text().notNull(),
  /** Null for requests of a profile. */
  sessionId: text().references(() => sessions.id, { onDelete: 'cascade' }),
  operation: text().notNull(),
  /** SHA-256 (hex) of the request's content. */
  fingerprint: text().notNull(),
  /** The body of the answer, as JSON text; null while its result cannot be stored together with this row. */
  answer: text(),
  createdAt: real().notNull()
}, (table) => [
  primaryKey({ columns: [table.owner, table.clientId] }),
  index('known_requests_by_time').on(table.createdAt),
  index('known_requests_by_session').on(table.sessionId)
])

export const authSessions = sqliteTable('auth_sessions', {
  /** SHA-256 (hex) of the token in the cookie; the token itself is stored nowhere. */
  tokenHash: text().primaryKey(),
  /**
   * Fingerprint of the password that it was opened under, followed by the passkey it was opened with (auth/sessions.ts): changing the
   * password ends it.
   */
  passwordFingerprint: text().notNull(),
  createdAt: real().notNull(),
  expiresAt: real().notNull(),
  userAgent: text()
}, (table) => [index('auth_sessions_by_expiry').on(table.expiresAt)])

export const passkeys = sqliteTable('passkeys', {
  /** The credential's id from its authenticator, base64url. */
  id: text().primaryKey(),
  /** The host name that it was registered for, and that it signs for. */
  rpId: text().notNull(),
  /** COSE key, base64url. */
  publicKey: text().notNull(),
  /** The authenticator's counter; always 0 if it does not count. */
  signCount: integer().notNull(),
  label: text().notNull(),
  createdAt: real().notNull(),
  lastUsedAt: real()
})

export const devices = sqliteTable('devices', {
  /** Part of its token. */
  id: text().primaryKey(),
  name: text().notNull(),
  scope: text({ enum: ['read', 'chat', 'approve', 'admin'] }).notNull(),
  /** SHA-256 (hex) of its token, which is stored nowhere; null for a browser, whose auth session names this row. */
  tokenHash: text(),
  /** The device that admitted it, and whose revocation revokes it too; null: a person did. */
  madeBy: text(),
  createdAt: real().notNull(),
  expiresAt: real(),
  lastUsedAt: real()
})

export const loginAttempts = sqliteTable('login_attempts', {
  id: integer().primaryKey(),
  address: text().notNull(),
  failedAt: real().notNull()
}, (table) => [index('login_attempts_by_address').on(table.address, table.failedAt)])

/**
 * The audit log: append-only, each row with the hash of the one before it (areas/audit/chain.ts). Triggers refuse every change except
 * adding the next row and removing the oldest rows behind `audit_anchor`; they are added by hand to the migration.
 */
export const audit = sqliteTable('audit', {
  /** Without gaps. */
  id: integer().primaryKey(),
  at: real().notNull(),
  kind: text().notNull(),
  outcome: text({ enum: ['ok', 'failed', 'throttled'] }).notNull(),
  actorKind: text({ enum: ['person', 'device', 'nobody', 'agent', 'service', 'console'] }).notNull(),
  actorId: text(),
  actorName: text(),
  address: text(),
  /** As JSON text. */
  details: text().notNull(),
  /** SHA-256 (hex) of the row before; empty for the very first. */
  previousHash: text().notNull(),
  hash: text().notNull()
})

/** Where the audit log begins once its oldest rows have been removed: one row, which only moves forward. */
export const auditAnchor = sqliteTable('audit_anchor', {
  id: integer().primaryKey(),
  /** The last row that was removed, and its hash. */
  removedUpTo: integer().notNull(),
  hash: text().notNull()
})

export const settings = sqliteTable('settings', {
  key: text().primaryKey(),
  value: text({ mode: 'json' }).notNull(),
  updatedAt: real().notNull()
})
