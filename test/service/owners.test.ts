import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTableName, is, Table } from 'drizzle-orm'
import t from '#test'
import { tables } from '../../services/ground/database/index.js'

/** The only file that writes each table; a new table must be listed here. */
const owners: Record<string, string> = {
  audit: 'areas/audit/rows',
  audit_anchor: 'areas/audit/rows',
  auth_sessions: 'areas/auth/session-rows',
  background_tasks: 'areas/side-turns/rows',
  budget_use: 'areas/budgets/rows',
  check_runs: 'areas/checks/rows',
  check_sends: 'areas/checks/rows',
  checks: 'areas/checks/rows',
  checkpoints: 'workspace/checkpoints/rows',
  attempt_sessions: 'areas/attempts/rows',
  attempt_takes: 'areas/attempts/rows',
  attempts: 'areas/attempts/rows',
  cron_deliveries: 'areas/crons/delivery-rows',
  cron_jobs: 'areas/crons/job-rows',
  cron_runs: 'areas/crons/run-rows',
  devices: 'areas/auth/device-rows',
  foreign_sessions: 'areas/foreign/rows',
  attached_sessions: 'areas/foreign/attached-rows',
  frames: 'ground/events/journal',
  goals: 'areas/goals/rows',
  grants: 'areas/prompts/rows',
  hook_calls: 'areas/hooks/rows',
  hook_log: 'areas/hooks/rows',
  hooks: 'areas/hooks/rows',
  job_use: 'areas/usage/rows',
  known_requests: 'areas/idempotency/rows',
  login_attempts: 'areas/auth/throttle',
  memory_versions: 'areas/memory/rows',
  messages: 'areas/sessions/message-rows',
  parked_turns: 'areas/chat/parking/rows',
  passkeys: 'areas/auth/passkey-rows',
  projects: 'areas/projects/rows',
  prompts: 'areas/prompts/rows',
  push_messages: 'areas/push/message-rows',
  push_subscriptions: 'areas/push/subscription-rows',
  responses: 'areas/openai/rows',
  queue_entries: 'areas/queue/rows',
  queues: 'areas/queue/rows',
  followed_pulls: 'areas/pulls/followed-rows',
  plans: 'areas/plans/rows',
  review_comments: 'areas/reviews/rows',
  review_seen: 'areas/reviews/rows',
  review_texts: 'areas/reviews/rows',
  reviews: 'areas/reviews/rows',
  sessions: 'areas/sessions/session-rows',
  settings: 'ground/database/values',
  shares: 'areas/shares/rows',
  steers: 'areas/chat/rows',
  streams: 'areas/chat/rows',
  trash: 'workspace/files/trash-rows',
  tool_use: 'areas/usage/rows',
  usage: 'areas/usage/rows',
  view_calls: 'areas/mcp/view-call-rows',
  workspaces: 'workspace/workspace-list'
}
/** The head of a journal is in the row of its stream: only the journal writes these columns, everywhere. */
const journalColumns = ['journal_bytes', 'journal_pruned', 'last_seq', 'run_seq']

const root = 'services/'
const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map(({ parentPath, name }) => ({ name: join(parentPath, name).slice(root.length).replace(/\.\w+$/, ''), text: readFileSync(join(parentPath, name), 'utf8') }))
  // The journal is two files: what appends and reads, and what deletes.
  .map(({ name, text }) => ({ name: name === 'ground/events/retention' ? 'ground/events/journal' : name, text }))
const nameOf = Object.fromEntries(Object.entries(tables).flatMap(([key, table]) => is(table, Table) ? [[key, getTableName(table)]] : []))

/** Returns the tables that a source text writes, through SQL and through the builder, whatever they are called there. */
function written (text: string): string[] {
  const found = [...text.matchAll(/\b(?:insert(?: or \w+)? into|delete from|update) ([a-z_]+)(?= set\b|[ (`'"])/g)].map((match) => match[1]!).filter((name) => (Object.values(nameOf) as string[]).includes(name))
  const alias = new Map(Object.keys(nameOf).map((key) => [`tables.${key}`, key]))
  for (const [, list] of text.matchAll(/const \{([^}]+)\} = tables\b/g)) {
    for (const entry of list!.split(',')) {
      const [key, local = key] = entry.split(':').map((part) => part.trim())
      alias.set(local!, key!)
    }
  }
  for (const [, name] of text.matchAll(/\.(?:insert|update|delete)\(([\w.]+)\)/g)) {
    const key = alias.get(name!)
    if (key !== undefined && nameOf[key] !== undefined) found.push(nameOf[key])
  }
  return [...new Set(found)]
}

t.test('each table is written by one file', async (t) => {
  t.same(Object.keys(owners).toSorted(), Object.values(nameOf).toSorted(), 'every table has an owner')
  const writtenBy = files.map(({ name, text }) => ({ name, tables: written(text) }))
  for (const [table, owner] of Object.entries(owners)) {
    const writers = [...new Set(writtenBy.filter(({ tables }) => tables.includes(table)).map(({ name }) => name))]
    t.same(writers.filter((name) => table !== 'streams' || name !== 'ground/events/journal'), [owner], table)
  }
})

t.test('of a stream, the journal writes its own head and nothing else, and nobody else does', async (t) => {
  for (const { name, text } of files) {
    for (const [, assignments] of text.matchAll(/update streams set (.*?) where/gs)) {
      const columns = [...assignments!.matchAll(/(?:^|, )([a-z_]+) =/g)].map((match) => match[1]!)
      const isOfJournal = columns.every((column) => journalColumns.includes(column))
      const isOfOthers = columns.every((column) => !journalColumns.includes(column))
      t.ok(name === 'ground/events/journal' ? isOfJournal : isOfOthers, `${name}: ${columns.join(', ')}`)
    }
  }
})

t.test('the search for writers finds what it looks for', async (t) => {
  t.same(written("db.prepare('update streams set state = ?')"), ['streams'])
  t.same(written('db.prepare("insert or replace into usage (a) values (1)")'), ['usage'])
  t.same(written('const { backgroundTasks: rows } = tables\norm.delete(rows)'), ['background_tasks'])
  t.same(written('db.orm.insert(tables.goals).values({})'), ['goals'])
  t.same(written('select * from sessions; map.delete(sessions)'), [])
})
