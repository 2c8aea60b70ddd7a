import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

// All times are epoch seconds (`…At`, real) unless a name says otherwise. Wire bodies that are sent as they are stand
// here as finished JSON text, so that reading a transcript costs no parsing.

export const sessions = sqliteTable('sessions', {
  id: text().primaryKey(),
  profile: text().notNull(),
  title: text().notNull().default('Untitled'),
  /** Where the title comes from: nobody yet, the first message's beginning, the service, or a person (then it stays). */
  titleSource: text({ enum: ['untitled', 'provisional', 'automatic', 'manual'] }).notNull().default('untitled'),
  workspace: text().notNull(),
  model: text(),
  modelProvider: text(),
  personality: text(),
  /** In plan mode its turns read and ask, and change nothing. */
  mode: text({ enum: ['default', 'plan'] }).notNull().default('default'),
  projectId: text(),
  source: text({ enum: ['webui', 'fork', 'cron', 'subagent', 'btw', 'background', 'deleted'] }).notNull().default('webui'),
  parentSessionId: text(),
  relationshipType: text(),
  readOnly: integer({ mode: 'boolean' }).notNull().default(false),
  /** Left out of every list: throwaway and background sessions. */
  hidden: integer({ mode: 'boolean' }).notNull().default(false),
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
   * How the last message with a text begins, of a person or the assistant; the other one with credentials
   * masked, null where there is nothing to mask.
   */
  lastSaid: text(),
  redactedLastSaid: text(),
  /** Also the position of the next message: positions have no holes. */
  messageCount: integer().notNull().default(0),
  userMessageCount: integer().notNull().default(0),
  inputTokens: integer().notNull().default(0),
  outputTokens: integer().notNull().default(0),
  cacheReadTokens: integer().notNull().default(0),
  cacheWriteTokens: integer().notNull().default(0),
  /** US dollars; null while no priced turn has been made. */
  estimatedCost: real(),
  contextLength: integer(),
  thresholdTokens: integer(),
  lastPromptTokens: integer(),
  /** The model is shown this text instead of the rows before `compressedBefore`; the rows themselves stay. */
  compressionSummary: text(),
  compressedBefore: integer(),
  /** What stands in the composer and was not sent: `{text, files}`, as JSON text. */
  draft: text(),
  /** The agent's current todo list, as JSON text. */
  todos: text(),
  /** Raised by every new turn; the fencing token of its writes. */
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
  /** Index in the whole transcript, from 0, without holes. */
  position: integer().notNull(),
  messageId: text().notNull(),
  role: text({ enum: ['user', 'assistant', 'tool', 'system'] }).notNull(),
  /** Counts for `msg_limit`: not a tool row, not an empty partial. */
  counted: integer({ mode: 'boolean' }).notNull(),
  /** The message object of the wire, as JSON text. */
  body: text().notNull(),
  /** Tool rows: their entry of the session-level `tool_calls`, as JSON text. */
  card: text(),
  /** `body` and `card` with credentials masked; null where there is nothing to mask. */
  redactedBody: text(),
  redactedCard: text(),
  /** Tool rows: position of the assistant row that made the call. */
  assistantPosition: integer(),
  /** What the model is shown for this row (an AI SDK message, JSON); null = nothing. */
  replay: text(),
  streamId: text(),
  createdAt: real().notNull()
}, (table) => [
  uniqueIndex('messages_by_position').on(table.sessionId, table.position),
  uniqueIndex('messages_by_message_id').on(table.messageId),
  index('messages_counted').on(table.sessionId, table.position).where(sql`counted = 1`)
])

/** Texts that the documents of a profile's memory have had; the last twenty of each. */
export const memoryVersions = sqliteTable('memory_versions', {
  id: integer().primaryKey(),
  profile: text().notNull(),
  section: text({ enum: ['memory', 'user', 'soul'] }).notNull(),
  /** As it was, credentials included; null while there was no file. */
  text: text(),
  /** Who has written it; `disk`: somebody past this service. */
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
  createdAt: real().notNull()
}, (table) => [index('projects_by_profile').on(table.profile, table.createdAt)])

/** Snapshots of sessions that whoever has their address may read. */
export const shares = sqliteTable('shares', {
  /** SHA-256 (hex) of the token in the address; the token itself is stored nowhere. */
  tokenHash: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  title: text().notNull(),
  /** The page as it was at the time, credentials masked. */
  html: text().notNull(),
  createdAt: real().notNull()
}, (table) => [index('shares_by_session').on(table.sessionId)])

/** What was found of conversations that other front ends of this machine keep in files. */
export const foreignSessions = sqliteTable('foreign_sessions', {
  id: text().primaryKey(),
  source: text({ enum: ['claude_code', 'codex', 'gemini_cli', 'opencode'] }).notNull(),
  path: text().notNull(),
  /** Up to where the file was read, and what it was like then: a file that has shrunk or been replaced is read anew. */
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
 * Sessions of ours that continue the conversation of another front end in place: its agent writes on in the file, and so
 * may its own program.
 */
export const attachedSessions = sqliteTable('attached_sessions', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  source: text({ enum: ['claude_code', 'codex', 'gemini_cli', 'opencode'] }).notNull(),
  /** The agent that goes on with it, the id it has there, and the folder it belongs to. */
  agent: text().notNull(),
  nativeId: text().notNull(),
  folder: text().notNull(),
  path: text().notNull(),
  /** Up to here the file is known, and what stands right before that, as base64. */
  readBytes: integer().notNull(),
  seam: text().notNull(),
  /** How many rows of ours were there then: those behind are of turns that the rest of the file tells of. */
  knownRows: integer().notNull(),
  /** Who wrote last, and whether that turn of theirs had come to its end. */
  lastWriter: text({ enum: ['ours', 'theirs'] }).notNull(),
  isOpen: integer({ mode: 'boolean' }).notNull().default(false)
})

export const streams = sqliteTable('streams', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  kind: text({ enum: ['chat', 'goal', 'btw', 'background', 'delegate', 'cron'] }).notNull(),
  state: text({ enum: ['active', 'cancelling', 'settling', 'closed'] }).notNull(),
  terminalState: text(),
  /** It began in plan mode, or that was switched on while it ran: it changes nothing, until it ends. */
  planning: integer({ mode: 'boolean' }).notNull().default(false),
  generation: integer().notNull(),
  userMessageId: text(),
  provider: text(),
  model: text(),
  /** What its message asked for; null: what the profile, or the conversation, has. Empty: the model's own effort, no personality. */
  effort: text(),
  personality: text(),
  startedAt: real().notNull(),
  /** When it had its last frame. */
  endedAt: real(),
  /** When its answer stood, or it ended without one; null while it goes on. */
  finishedAt: real(),
  /** How many files its calls of tools have changed; counted when it finished. */
  filesChanged: integer().notNull().default(0),
  lastSeq: integer().notNull().default(0),
  /** Frames up to here are part of message rows already; later ones are what a crash leaves to fold. */
  settledSeq: integer().notNull().default(0),
  /** Size of the journal of this stream in bytes. */
  journalBytes: integer().notNull().default(0),
  journalPruned: integer({ mode: 'boolean' }).notNull().default(false),
  /** As JSON: what a recovery has to know of its run and neither frame nor row tells; null: nothing. */
  held: text(),
  /** As JSON: what it needs beside its message to begin; null: a host was given it, or it does not begin after a stop of the service. */
  unbegun: text(),
  /** Where it belongs in a trace; null: it is not traced. */
  trace: text(),
  /** Number of the last event of its run that is part of the frames and rows. */
  runSeq: integer().notNull().default(0)
}, (table) => [
  uniqueIndex('streams_one_active').on(table.sessionId).where(sql`state = 'active'`),
  index('streams_by_session').on(table.sessionId, table.startedAt),
  index('streams_open').on(table.state).where(sql`state <> 'closed'`),
  index('streams_by_end').on(table.endedAt).where(sql`journal_pruned = 0`),
  index('streams_by_finish').on(table.finishedAt).where(sql`finished_at is not null and kind in ('chat', 'goal', 'cron')`)
])

/** Turns that wait for the limit of a provider to pass. The row goes with the first thing that is heard of their next run, or with them. */
export const parkedTurns = sqliteTable('parked_turns', {
  streamId: text().primaryKey().references(() => streams.id, { onDelete: 'cascade' }),
  parkedAt: real().notNull(),
  /** When it goes on by itself; null: a person is asked. */
  resumesAt: real(),
  /** The model that it goes on with, and what people call its provider. */
  provider: text().notNull(),
  model: text().notNull(),
  providerName: text().notNull(),
  /** Why it could not go on, for the person who is asked; null: it is at its limit. */
  problem: text(),
  /** So many times in a row it has waited and got nowhere. */
  tries: integer().notNull(),
  /** Somebody is there to be asked. */
  attended: integer({ mode: 'boolean' }).notNull(),
  /** It is about to go on, and nothing has been heard of that yet. */
  isResuming: integer({ mode: 'boolean' }).notNull()
}, (table) => [
  index('parked_turns_by_time').on(table.resumesAt).where(sql`is_resuming = 0 and resumes_at is not null`)
])

export const frames = sqliteTable('frames', {
  streamId: text().notNull().references(() => streams.id, { onDelete: 'cascade' }),
  seq: integer().notNull(),
  event: text().notNull(),
  /** The `data:` line: one line of JSON text. */
  data: text().notNull(),
  /** The same with nothing masked, where that differs. */
  plain: text()
}, (table) => [primaryKey({ columns: [table.streamId, table.seq] })])

/** What a client of OpenAI's interface asked for with a turn: its response is told with it again. */
export const responses = sqliteTable('responses', {
  streamId: text().primaryKey().references(() => streams.id, { onDelete: 'cascade' }),
  instructions: text(),
  previousId: text(),
  metadata: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  model: text().notNull(),
  /** It goes on when its client has gone. */
  isBackground: integer({ mode: 'boolean' }).notNull(),
  showsTools: integer({ mode: 'boolean' }).notNull(),
  /** Tools and format of its client. */
  wishes: text({ mode: 'json' }).$type<object>(),
  /** What its conversation had used before. */
  inputTokens: integer().notNull(),
  cachedTokens: integer().notNull(),
  outputTokens: integer().notNull(),
  createdAt: real().notNull()
})

export const prompts = sqliteTable('prompts', {
  id: text().primaryKey(),
  /** Order of arrival, over all sessions. */
  arrival: integer().notNull(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  streamId: text().notNull(),
  kind: text({ enum: ['approval', 'clarify'] }).notNull(),
  body: text({ mode: 'json' }).notNull(),
  state: text({ enum: ['open', 'answering', 'answered', 'expired', 'cancelled'] }).notNull(),
  answer: text(),
  /** The tool call that waits for the answer. */
  callId: text(),
  /** Later calls of its step may run while it waits. */
  beside: integer({ mode: 'boolean' }).notNull().default(false),
  createdAt: real().notNull(),
  expiresAt: real(),
  closedAt: real()
}, (table) => [
  index('prompts_open').on(table.sessionId, table.kind, table.arrival).where(sql`state in ('open', 'answering')`),
  index('prompts_by_time').on(table.createdAt),
  index('prompts_by_arrival').on(table.arrival),
  index('prompts_by_stream').on(table.streamId)
])

/** Texts typed into a running turn; kept until the run has taken them, or handed back. */
export const steers = sqliteTable('steers', {
  id: integer().primaryKey(),
  streamId: text().notNull().references(() => streams.id, { onDelete: 'cascade' }),
  text: text().notNull(),
  state: text({ enum: ['pending', 'applied', 'returned'] }).notNull(),
  createdAt: real().notNull()
}, (table) => [index('steers_by_stream').on(table.streamId)])

/** What the user has allowed for the rest of a session. Permanent grants stand in the profile's config.yaml. */
export const grants = sqliteTable('grants', {
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  patternKey: text().notNull(),
  createdAt: real().notNull()
}, (table) => [primaryKey({ columns: [table.sessionId, table.patternKey] })])

/** What a session is to reach, turn after turn, until a judge finds it reached. At most one each. */
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
  /** The message of the turn that comes next, while it has not been sent. */
  continuation: text(),
  createdAt: real().notNull(),
  updatedAt: real().notNull()
}, (table) => [index('goals_active').on(table.status).where(sql`status = 'active'`)])

/** Tasks that run beside a conversation; each in a hidden session of its own, kept until its result was fetched. */
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

/** Messages that wait until the turns before them in their conversation have settled. */
export const queueEntries = sqliteTable('queue_entries', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  /** The order; what has begun or was removed leaves a hole. */
  position: integer().notNull(),
  message: text().notNull(),
  /** Files that go with it, as JSON text. */
  attachments: text().notNull(),
  /** What the message names for itself; null: what the conversation has when it begins. */
  model: text(),
  modelProvider: text(),
  explicitModelPick: integer({ mode: 'boolean' }).notNull(),
  /** Empty: the model's own. */
  effort: text(),
  /** Empty: none. */
  personality: text(),
  workspace: text(),
  /** What has put the message together; null: it was typed. */
  messageSource: text({ enum: ['review', 'checks', 'pull_request'] }),
  /** Of the message and its files. */
  sizeBytes: integer().notNull(),
  /** It does not begin earlier; null: as soon as it is its turn. */
  notBefore: real(),
  /** Of its queue, when it was last changed. */
  version: integer().notNull(),
  createdAt: real().notNull()
}, (table) => [
  index('queue_entries_by_session').on(table.sessionId, table.position),
  index('queue_entries_by_time').on(table.notBefore).where(sql`not_before is not null`)
])

/** What is known of the queue of a conversation as a whole. */
export const queues = sqliteTable('queues', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  /** Raised by every change. */
  version: integer().notNull(),
  /** Why it does not go on by itself; null: it does. */
  heldReason: text({ enum: ['failed', 'cancelled', 'budget', 'restored'] }),
  /** When a person last had it go on: what had ended before does not hold it. */
  resumedAt: real()
})

/** What people wrote about lines of the files that a conversation has changed. */
export const reviewComments = sqliteTable('review_comments', {
  id: text().notNull(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  /** As it was commented on, relative to the workspace; the lines count from 1. */
  path: text().notNull(),
  side: text({ enum: ['old', 'new'] }).notNull(),
  line: integer().notNull(),
  endLine: integer().notNull(),
  text: text().notNull(),
  /** The lines themselves and those around them, as JSON text. */
  anchor: text().notNull(),
  state: text({ enum: ['draft', 'sent', 'changed', 'answered', 'open', 'resolved'] }).notNull(),
  /** The file in which `placeLine` to `placeEnd` are its lines, with that content; null: only the anchor tells them. */
  placePath: text().notNull(),
  placeText: text(),
  placeLine: integer(),
  placeEnd: integer(),
  /** When it was last sent, and the turn that had it. */
  sentAt: real(),
  streamId: text(),
  /** What that turn said to it, and the file that it changed there. */
  answer: text(),
  changedIn: text(),
  /** Of the review, when it was last changed. */
  version: integer().notNull(),
  createdAt: real().notNull()
}, (table) => [
  primaryKey({ columns: [table.sessionId, table.id] }),
  index('review_comments_sent').on(table.sessionId).where(sql`state = 'sent'`)
])

/** Pull requests that were opened here, until they are merged or closed. */
export const followedPulls = sqliteTable('followed_pulls', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  host: text().notNull(),
  repository: text().notNull(),
  number: integer().notNull(),
  /** How it was when it was last looked at, as JSON text. */
  seen: text().notNull(),
  /** Looks since it was last seen to have changed. */
  unchanged: integer().notNull(),
  nextLookAt: real().notNull(),
  changedAt: real().notNull()
}, (table) => [index('followed_pulls_due').on(table.nextLookAt), index('followed_pulls_by_session').on(table.sessionId)])

/** Files as they were when they were commented on, each content once. */
export const reviewTexts = sqliteTable('review_texts', {
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  hash: text().notNull(),
  content: text().notNull()
}, (table) => [primaryKey({ columns: [table.sessionId, table.hash] })])

/** Files that a person has looked at, in the version that they saw. */
export const reviewSeen = sqliteTable('review_seen', {
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  path: text().notNull(),
  version: text().notNull()
}, (table) => [primaryKey({ columns: [table.sessionId, table.path] })])

/** What is known of the review of a conversation as a whole. */
export const reviews = sqliteTable('reviews', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  /** Raised by every change. */
  version: integer().notNull()
})

/** What views of MCP servers have called by themselves, beside the turns of their conversation. */
export const viewCalls = sqliteTable('view_calls', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  /** The call whose view this is. */
  callId: text().notNull(),
  server: text().notNull(),
  /** The tool that was called; null: a resource was read, whose address is `uri` of the arguments. */
  tool: text(),
  /** As it was called, JSON. */
  args: text().notNull(),
  /** `lost`: the service ended meanwhile. */
  state: text({ enum: ['running', 'done', 'failed', 'refused', 'lost'] }).notNull(),
  /** What the server answered, or why there is none, cut short. */
  answer: text().notNull(),
  createdAt: real().notNull()
}, (table) => [index('view_calls_by_session').on(table.sessionId, table.createdAt)])

/** The same task done several times, each in a worktree and a conversation of its own. */
export const attempts = sqliteTable('attempts', {
  id: text().primaryKey(),
  profile: text().notNull(),
  /** The conversation that it was begun from. */
  sessionId: text().references(() => sessions.id, { onDelete: 'set null' }),
  /** The folder that it was begun in, and what that held then: a commit that no branch knows of. Null until that is kept. */
  workspace: text().notNull(),
  base: text(),
  /** The folder had changes that were not committed: every attempt began with them. */
  carried: integer({ mode: 'boolean' }).notNull().default(false),
  message: text().notNull(),
  /** A command that says whether a result is good, and its time limit. */
  checkCommand: text(),
  checkSeconds: integer().notNull(),
  reviewerModel: text(),
  reviewerProvider: text(),
  /** What all of it may use together, as JSON text; null: as much as the profile says. */
  limits: text(),
  /** `preparing`: not acknowledged, and taken apart after a stop of the service. */
  state: text({ enum: ['preparing', 'running', 'judging', 'ready'] }).notNull(),
  /** The conversation whose result the judge prefers, and why; null: none was asked, or none is preferred. */
  bestSessionId: text(),
  verdict: text(),
  takenSessionId: text(),
  /** When its worktrees are removed; null: they are kept. */
  keptUntil: real(),
  /** Raised by every change. */
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
  /** How the turn ended, kept while what follows it is done. */
  outcome: text({ enum: ['done', 'failed', 'cancelled', 'stopped'] }),
  error: text(),
  checkPassed: integer({ mode: 'boolean' }),
  checkOutput: text(),
  /** What differs from the folder where it began; null: not known. */
  files: integer(),
  additions: integer(),
  deletions: integer(),
  review: text(),
  /** What the judge says of it. */
  reason: text(),
  startedAt: real(),
  endedAt: real()
}, (table) => [index('attempt_sessions_by_attempts').on(table.attemptsId, table.position)])

/** Changes of an attempt that were taken into the folder, and those that took them back. */
export const attemptTakes = sqliteTable('attempt_takes', {
  id: text().primaryKey(),
  attemptsId: text().notNull().references(() => attempts.id, { onDelete: 'cascade' }),
  /** Not a foreign key: what was taken stays taken. */
  sessionId: text().notNull(),
  /** What the folder held before and after it, as commits that no branch knows of. */
  before: text().notNull(),
  after: text().notNull(),
  /** The taking that this one takes back. */
  undoes: text(),
  isWhole: integer({ mode: 'boolean' }).notNull(),
  /** `writing`: finished, or taken back, after a stop of the service. */
  state: text({ enum: ['writing', 'done', 'undone', 'failed'] }).notNull(),
  at: real().notNull()
}, (table) => [index('attempt_takes_by_attempts').on(table.attemptsId, table.at), index('attempt_takes_open').on(table.state)])

/** Commands by which a person has the state of a folder checked: tests, linters, type checks. */
export const checks = sqliteTable('checks', {
  id: text().primaryKey(),
  profile: text().notNull(),
  /** The folder; of worktrees that of the repository they belong to. */
  place: text().notNull(),
  name: text().notNull(),
  kind: text({ enum: ['test', 'lint', 'types', 'other'] }).notNull(),
  command: text().notNull(),
  /** The file that names the command, and what it runs, as a person has seen that; null: the command is all there is to see. */
  file: text(),
  script: text(),
  afterTurn: text({ enum: ['off', 'ask', 'run'] }).notNull(),
  /** How often what failed goes to the agent by itself, until a person writes. */
  autoSend: integer().notNull(),
  seconds: integer().notNull(),
  createdAt: real().notNull()
}, (table) => [index('checks_by_place').on(table.profile, table.place, table.createdAt)])

/** Checks that run, or have run: the last twenty of each folder. */
export const checkRuns = sqliteTable('check_runs', {
  id: text().primaryKey(),
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  checkId: text().notNull().references(() => checks.id, { onDelete: 'cascade' }),
  /** As it was when it ran, as is the command. */
  name: text().notNull(),
  command: text().notNull(),
  /** Where it ran. */
  folder: text().notNull(),
  /** The turn after which it ran by itself; null: a person had it run. */
  streamId: text(),
  isConfined: integer({ mode: 'boolean' }).notNull(),
  /** `interrupted`: the service stopped meanwhile. */
  state: text({ enum: ['waiting', 'running', 'passed', 'failed', 'timed_out', 'over_limit', 'cancelled', 'interrupted'] }).notNull(),
  exitCode: integer(),
  /** With credentials masked. */
  output: text().notNull().default(''),
  /** As JSON text: what was found in the output, and how many of each severity there were. */
  problems: text().notNull().default('[]'),
  errors: integer().notNull().default(0),
  warnings: integer().notNull().default(0),
  infos: integer().notNull().default(0),
  /** When it was sent to the agent last. */
  sentAt: real(),
  createdAt: real().notNull(),
  startedAt: real(),
  endedAt: real()
}, (table) => [
  index('check_runs_by_folder').on(table.folder, table.createdAt), index('check_runs_by_session').on(table.sessionId),
  index('check_runs_open').on(table.state)
])

/** How often results have gone to the agent by themselves since a person last wrote, and in which turn last. */
export const checkSends = sqliteTable('check_sends', {
  sessionId: text().primaryKey().references(() => sessions.id, { onDelete: 'cascade' }),
  streamId: text().notNull(),
  count: integer().notNull()
})

/** The plans of conversations, each text that they have had; the last fifty of each. The highest version is the plan. */
export const plans = sqliteTable('plans', {
  sessionId: text().notNull().references(() => sessions.id, { onDelete: 'cascade' }),
  version: integer().notNull(),
  text: text().notNull(),
  author: text({ enum: ['agent', 'person'] }).notNull(),
  createdAt: real().notNull(),
  /** When it became the goal of the conversation. */
  startedAt: real()
}, (table) => [primaryKey({ columns: [table.sessionId, table.version] })])

/** What is to be done at times: each run is a turn in a session of its own. */
export const cronJobs = sqliteTable('cron_jobs', {
  id: text().primaryKey(),
  profile: text().notNull(),
  name: text().notNull(),
  prompt: text().notNull(),
  /** Names, as JSON. */
  skills: text({ mode: 'json' }).$type<string[]>().notNull(),
  model: text(),
  provider: text(),
  /** Null: the default one. */
  workspace: text(),
  deliver: text().notNull(),
  /** The conversation it was made in; not a foreign key: a job outlives it. */
  origin: text(),
  toast: integer({ mode: 'boolean' }).notNull(),
  /** What becomes of a run's questions: they are refused, or wait for a person. */
  ask: text({ enum: ['deny', 'wait'] }).notNull(),
  /** US dollars that its runs may use in a day; null: as much as its profile says of jobs. */
  dailyUsd: real(),
  /** `hook`: it has no times, and runs when its hook is called. */
  kind: text({ enum: ['cron', 'interval', 'once', 'hook'] }).notNull(),
  /** As it can be typed again. */
  expression: text().notNull(),
  display: text().notNull(),
  words: text(),
  minutes: integer(),
  runAt: real(),
  /** Intervals are counted from here. */
  anchorAt: real().notNull(),
  /** In which `nextRunAt` was found. */
  zone: text().notNull(),
  /** Null: without end. */
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
  /** Also with each slot that is taken: none lies behind the clock, unless that was put back. */
  updatedAt: real().notNull()
}, (table) => [
  index('cron_jobs_due').on(table.nextRunAt).where(sql`next_run_at is not null`),
  index('cron_jobs_by_profile').on(table.profile, table.createdAt)
])

/** The ledger of runs: a slot of a job is in it once, whatever the clock does. */
export const cronRuns = sqliteTable('cron_runs', {
  id: text().primaryKey(),
  jobId: text().notNull().references(() => cronJobs.id, { onDelete: 'cascade' }),
  /** Null: begun by hand. */
  slotAt: real(),
  state: text({ enum: ['queued', 'running', 'done', 'skipped'] }).notNull(),
  status: text({ enum: ['ok', 'error', 'blocked_config'] }),
  error: text(),
  /** Not foreign keys: the run stays counted when its session is deleted. */
  sessionId: text(),
  streamId: text(),
  /** The name of the file that was written. */
  output: text(),
  /** What it is asked, where a call from outside says so; null: the prompt of its job. */
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

/** What programs elsewhere call, and which job runs then. */
export const hooks = sqliteTable('hooks', {
  id: text().primaryKey(),
  jobId: text().notNull().unique().references(() => cronJobs.id, { onDelete: 'cascade' }),
  /** Calls are signed with it, so it is stored as it is. */
  secret: text().notNull(),
  /** Names, as JSON; none: every event counts. */
  events: text({ mode: 'json' }).$type<string[]>().notNull(),
  /** What a call has to say at these places, as JSON. */
  matches: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  calls: integer().notNull().default(0),
  lastCallAt: real(),
  lastOutcome: text({ enum: ['started', 'event', 'match', 'paused', 'ping'] }),
  /** What the last call has sent that was no ping, as JSON text, to try templates with; null: none came, or it was too long to keep. */
  lastPayload: text(),
  createdAt: real().notNull()
})

/** Calls that have begun a run: each begins one, however often it is sent. */
export const hookCalls = sqliteTable('hook_calls', {
  hookId: text().notNull().references(() => hooks.id, { onDelete: 'cascade' }),
  /** What tells a call from others. */
  key: text().notNull(),
  runId: text().notNull(),
  at: real().notNull()
}, (table) => [primaryKey({ columns: [table.hookId, table.key] }), index('hook_calls_by_time').on(table.at)])

/** What became of the last calls of each hook, for a person who asks why nothing happens. */
export const hookLog = sqliteTable('hook_log', {
  id: integer().primaryKey(),
  hookId: text().notNull().references(() => hooks.id, { onDelete: 'cascade' }),
  at: real().notNull(),
  outcome: text({ enum: ['started', 'duplicate', 'event', 'match', 'paused', 'ping', 'refused', 'invalid', 'busy'] }).notNull(),
  event: text(),
  runId: text(),
  /** So many of these came one after the other. */
  count: integer().notNull().default(1)
}, (table) => [index('hook_log_by_hook').on(table.hookId, table.id)])

/** Answers of runs on their way to somewhere else, until they have arrived or were given up. */
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

/** Browsers that are told over Web Push what happens while nobody looks. */
export const pushSubscriptions = sqliteTable('push_subscriptions', {
  /** SHA-256 (hex) of the endpoint, its first 32 digits. */
  id: text().primaryKey(),
  /** Whoever knows it can send to it: it is shown to nobody. */
  endpoint: text().notNull(),
  /** Of the browser, base64url: its public key, and what is mixed into the encryption. */
  p256dh: text().notNull(),
  auth: text().notNull(),
  approvals: integer({ mode: 'boolean' }).notNull(),
  questions: integer({ mode: 'boolean' }).notNull(),
  turns: integer({ mode: 'boolean' }).notNull(),
  jobs: integer({ mode: 'boolean' }).notNull(),
  pulls: integer({ mode: 'boolean' }).notNull().default(true),
  /** What the browser calls itself. */
  userAgent: text(),
  /** How whoever subscribed was admitted, and the session that this was done with: it ends with that. */
  via: text({ enum: ['open', 'cookie', 'proxy', 'token'] }).notNull(),
  tokenHash: text(),
  createdAt: real().notNull(),
  /** The last message that was taken, and why the last attempt failed, if it did. */
  lastSentAt: real(),
  lastError: text()
})

/** What is to be sent to a browser, until it has arrived or was given up. */
export const pushMessages = sqliteTable('push_messages', {
  id: text().primaryKey(),
  subscriptionId: text().notNull().references(() => pushSubscriptions.id, { onDelete: 'cascade' }),
  kind: text({ enum: ['approval', 'question', 'turn', 'job', 'pull', 'digest'] }).notNull(),
  /** The prompt that it tells of: once that is answered nobody is told. */
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

/** What was deleted from a workspace and can be brought back; it lies in a folder of the workspace itself. */
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

/** What a workspace held before a turn first wrote to it, or before an older state was restored. */
export const checkpoints = sqliteTable('checkpoints', {
  id: text().primaryKey(),
  workspace: text().notNull(),
  /** Not foreign keys: the folder's past stays when the conversation is deleted. */
  sessionId: text().notNull(),
  streamId: text(),
  kind: text({ enum: ['turn', 'restore'] }).notNull(),
  /** `skipped`: there is none, for the `reason` given. */
  state: text({ enum: ['ready', 'skipped'] }).notNull(),
  reason: text(),
  /** Id of the tree in the workspace's snapshot repository. */
  tree: text(),
  fileCount: integer(),
  createdAt: real().notNull()
}, (table) => [index('checkpoints_by_workspace').on(table.workspace, table.createdAt), index('checkpoints_by_stream').on(table.streamId)])

/** What models have used: a row for each turn, and one for each call that was made for a turn, or for no turn at all. */
export const usage = sqliteTable('usage', {
  /** Of what is no turn: an id of its own. */
  streamId: text().primaryKey(),
  /** The kind of turn, or what the call was for; null in rows from before this was kept. */
  kind: text(),
  /** The stream of the turn that a call was made for; null for turns, and for calls of none. */
  turnId: text(),
  /** The scheduled job it was used for. */
  jobId: text(),
  /** Not a foreign key: what was spent stays counted when its session is deleted. Empty: of none. */
  sessionId: text().notNull(),
  profile: text().notNull(),
  provider: text(),
  model: text(),
  inputTokens: integer().notNull(),
  outputTokens: integer().notNull(),
  cacheReadTokens: integer().notNull(),
  cacheWriteTokens: integer().notNull(),
  /** US dollars; null when the price is unknown. */
  cost: real(),
  estimated: integer({ mode: 'boolean' }).notNull(),
  durationS: real().notNull(),
  firstTokenMs: integer(),
  createdAt: real().notNull()
}, (table) => [index('usage_by_time').on(table.createdAt), index('usage_by_session').on(table.sessionId)])

/** The calls of a tool on a day of a profile, added up as they end. */
export const toolUse = sqliteTable('tool_use', {
  profile: text().notNull(),
  /** YYYY-MM-DD, in the time of the service. */
  date: text().notNull(),
  tool: text().notNull(),
  calls: integer().notNull(),
  failures: integer().notNull(),
  durationS: real().notNull()
}, (table) => [primaryKey({ columns: [table.profile, table.date, table.tool] }), index('tool_use_by_date').on(table.date)])

/** The runs of a scheduled job that have ended on a day, added up as they end: the job, and its ledger, may be gone later. */
export const jobUse = sqliteTable('job_use', {
  profile: text().notNull(),
  /** YYYY-MM-DD, in the time of the service. */
  date: text().notNull(),
  jobId: text().notNull(),
  /** As it was called at its last run of the day. */
  name: text().notNull(),
  runs: integer().notNull(),
  failures: integer().notNull()
}, (table) => [primaryKey({ columns: [table.profile, table.date, table.jobId] }), index('job_use_by_date').on(table.date)])

/** What was used of each budget, added up as it is used: whoever asks need not go through the past. */
export const budgetUse = sqliteTable('budget_use', {
  scope: text({ enum: ['turn', 'session', 'attempts', 'job', 'day'] }).notNull(),
  /** A stream, a session, attempts at a task, a job of a profile on a day, a profile on a day. No foreign keys: what was spent stays. */
  id: text().notNull(),
  tokens: integer().notNull().default(0),
  /** US dollars, as far as prices are known. */
  usd: real().notNull().default(0),
  /** A model of which something was used and whose price is not known. */
  unpriced: text(),
  /** What people were told about it, as a JSON list. */
  told: text().notNull().default('[]'),
  /** Up to where people have allowed it beyond its hard limits. */
  usdUpTo: real(),
  tokensUpTo: real(),
  updatedAt: real().notNull()
}, (table) => [primaryKey({ columns: [table.scope, table.id] }), index('budget_use_by_time').on(table.updatedAt)])

/** Requests that clients have given an id, so that the same one gets the first answer. */
export const knownRequests = sqliteTable('known_requests', {
  /** `session <id>` or `profile <name>`: where the id is unique. */
  owner: text().notNull(),
  clientId: text().notNull(),
  /** Null of a profile's. */
  sessionId: text().references(() => sessions.id, { onDelete: 'cascade' }),
  operation: text().notNull(),
  /** SHA-256 (hex) of what it was asked with. */
  fingerprint: text().notNull(),
  /** The body of the answer, as JSON text; null while what is made for it cannot be stored together with this row. */
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
   * Fingerprint of the password it was opened under, with the passkey it was opened with behind it
   * (auth/sessions.ts): a changed password ends it.
   */
  passwordFingerprint: text().notNull(),
  createdAt: real().notNull(),
  expiresAt: real().notNull(),
  userAgent: text()
}, (table) => [index('auth_sessions_by_expiry').on(table.expiresAt)])

export const passkeys = sqliteTable('passkeys', {
  /** The credential's id as its authenticator has made it, base64url. */
  id: text().primaryKey(),
  /** The host name that it was registered for, and that it signs for. */
  rpId: text().notNull(),
  /** COSE key, base64url. */
  publicKey: text().notNull(),
  /** What the authenticator has counted; 0 for ever where it does not count. */
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
  /** SHA-256 (hex) of its token, which is stored nowhere; null for a browser, whose session names this row. */
  tokenHash: text(),
  /** The device that has let it in, and takes it along when it is revoked; null: a person has. */
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
 * What was done, by whom: append-only, each row with the hash of the one before it (areas/audit/chain.ts). Triggers refuse every change but
 * a next row, and the removal of the oldest ones behind `audit_anchor`; they are added by hand to the migration.
 */
export const audit = sqliteTable('audit', {
  /** Without holes. */
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
  /** SHA-256 (hex) of the row before; empty of the very first. */
  previousHash: text().notNull(),
  hash: text().notNull()
})

/** Where the audit log begins once its oldest rows were removed: one row, which only moves forward. */
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
