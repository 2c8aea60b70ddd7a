import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { call } from '../wire.js'
import { checkDatabase } from './check-database.js'
import { checkTurn, digestOf, replayOf, type ShownSession } from './check-turns.js'
import { collectTasks, digest, type Client } from './client.js'
import { type Ledger } from './ledger.js'
import { type Tally } from './tally.js'

const calmLimitMs = 20_000
const tasksLimitMs = 20_000

export interface Checks {
  url: string
  databaseFile: string
  client: Client
  ledger: Ledger
  tally: Tally
  /** Turns and their approvals may have ended since: the agent process died, not the service. */
  cardsMayEnd?: boolean
  /** Digest of each replay when it was first read after its end; filled here. */
  digests: Map<string, string>
}

/** Checks everything that must hold once the service runs again: approvals, turns, files, settings, and the overall state. */
export async function checkLedger (checks: Checks): Promise<void> {
  await checkCards(checks)
  await becomeCalm(checks)
  await collectTasks(checks.client, checks.ledger, tasksLimitMs)
  checkTasks(checks)
  checkState(checks)
  await checkSessions(checks)
  await checkTurns(checks)
  checkFiles(checks)
  await checkSettings(checks)
}

/** Checks that unanswered approvals are open under their ids, and answered ones are not. */
async function checkCards ({ url, ledger, tally, cardsMayEnd = false }: Checks): Promise<void> {
  const open = await openCards(url)
  for (const { approvalId, answer, turn } of ledger.approvals.splice(0)) {
    tally.tried('approvals')
    tally.checked()
    if (answer === 'none' && !cardsMayEnd && !open.has(approvalId)) {
      tally.lost('approvals', `the card ${approvalId} of turn ${turn.streamId} was open and is gone`)
    }
    if (answer === 'acknowledged' && open.has(approvalId)) {
      tally.lost('approvals', `the answer to ${approvalId} was acknowledged, and the card is open again`)
    }
  }
}

/** Waits until no turn runs, and denies what turns ask for meanwhile; no turn here runs for ever. */
async function becomeCalm ({ url, client, tally }: Checks): Promise<void> {
  const untilMs = performance.now() + calmLimitMs
  let active
  let refusal: unknown = null
  do {
    active = ((await call(`${url}/health`)).body as { active_streams: number }).active_streams
    if (active === 0) return
    for (const [approvalId, sessionId] of await openCards(url)) {
      // The run must reach its host again before the answer can be delivered, so a refusal may be temporary.
      const answer = await client.post('/api/approval/respond', { session_id: sessionId, approval_id: approvalId, choice: 'deny' })
      refusal = answer.status === 200 ? null : answer
    }
    await delay(30)
  } while (performance.now() < untilMs)
  tally.wrong(`${active} turns still run ${calmLimitMs / 1000} s after the last one was to end`)
  if (refusal !== null) tally.lost('approvals', `a card cannot be answered: ${JSON.stringify(refusal)}`)
}

/** Returns sessions by the ids of the approvals that wait. */
async function openCards (url: string): Promise<Map<string, string>> {
  const {
    prompts
  } = (await call(`${url}/api/prompts`)).body as { prompts: Array<{ type: string, approval_id: string, session_id: string }> }
  return new Map(prompts.filter(({ type }) => type === 'approval').map((prompt) => [prompt.approval_id, prompt.session_id]))
}

function checkTasks ({ ledger, tally }: Checks): void {
  for (const { taskId, told } of ledger.tasks.splice(0)) {
    tally.checked()
    if (told === 0) tally.lost('side', `background task ${taskId} was accepted and never told a result`)
    if (told > 1) tally.wrong(`background task ${taskId} told its result ${told} times`)
  }
}

/** Checks the database itself: intact, nothing open, and every counted message and frame exists. */
export function checkState (of: { databaseFile: string, tally: Tally }): void {
  checkDatabase(of, {
    'streams still open': "select id, kind, state, session_id, user_message_id, last_seq from streams where state <> 'closed'",
    'prompts still open': "select id, state from prompts where state in ('open', 'answering')",
    'message counts that are wrong': 'select id from sessions where message_count <> (select count(*) from messages where session_id = sessions.id)',
    'journals with holes': 'select id from streams where last_seq <> (select count(*) from frames where stream_id = streams.id)'
  })
}

async function checkSessions ({ url, ledger, tally }: Checks): Promise<void> {
  const { sessions } = (await call(`${url}/api/sessions`)).body as { sessions: ShownSession[] }
  for (const session of sessions) {
    if (session.is_streaming || session.active_stream_id !== null) tally.wrong(`session ${session.session_id} is listed as streaming`)
  }
  for (const id of ledger.sessions) {
    tally.checked()
    const { status, body } = await call(`${url}/api/session?session_id=${id}&messages=0`)
    if (status !== 200) {
      tally.lost('sessions', `session ${id} answers ${status}`)
      continue
    }
    const title = ledger.titles.get(id)
    if (title !== undefined) tally.checked()
    if (title?.allows(body.session.title) === false) {
      tally.lost('renames', `session ${id} is called "${body.session.title}" and not ${title.candidates.join(' or ')}`)
    }
    const draft = ledger.drafts.get(id)
    if (draft === undefined) continue
    tally.checked()
    const stored = (await call(`${url}/api/session/draft?session_id=${id}`)).body as { draft: { text: string } }
    if (!draft.allows(stored.draft.text)) {
      tally.lost('settings', `the draft of ${id} is "${stored.draft.text}" and not ${draft.candidates.join(' or ')}`)
    }
  }
}

async function checkTurns ({ url, ledger, tally, digests }: Checks): Promise<void> {
  for (const turn of ledger.turns.splice(0)) {
    const replay = await checkTurn(turn, { url, tally })
    if (replay !== null) digests.set(turn.streamId, digestOf(replay))
  }
  for (const turn of ledger.asides.splice(0)) await checkTurn(turn, { url, tally, framesOnly: true })
}

function checkFiles ({ ledger, tally }: Checks): void {
  for (const [path, register] of ledger.files) {
    if (!register.isSet) continue
    tally.checked()
    const content = existsSync(path) ? readFileSync(path, 'utf8') : null
    if (content === null || !register.allows(content)) {
      tally.lost(
        'saves',
        `${path} ${content === null ? 'is gone' : `holds ${content.length} characters ("${content.slice(0, 40)}…"), which is not what was saved last`}`
      )
    }
  }
  tally.checked(ledger.uploads.length)
  for (const { path, sha256 } of ledger.uploads) {
    if (!existsSync(path)) tally.lost('uploads', `${path} is gone`)
    else if (digest(readFileSync(path)) !== sha256) tally.lost('uploads', `${path} is not what was uploaded`)
  }
}

async function checkSettings ({ url, ledger, tally }: Checks): Promise<void> {
  tally.checked(ledger.settings.size + ledger.projects.size)
  const settings = (await call(`${url}/api/settings`)).body as Record<string, number>
  for (const [name, register] of ledger.settings) {
    if (!register.allows(settings[name]!)) {
      tally.lost('settings', `${name} is ${settings[name]} and not ${register.candidates.join(' or ')}`)
    }
  }
  const { projects } = (await call(`${url}/api/projects`)).body as { projects: Array<{ name: string }> }
  const names = new Set(projects.map(({ name }) => name))
  for (const name of ledger.projects) if (!names.has(name)) tally.lost('settings', `the project "${name}" is gone`)
}

/** Checks that a replay stays the same for as long as it is kept. */
export async function checkReplays ({ url, digests, tally }: Checks): Promise<void> {
  tally.checked(digests.size)
  for (const [streamId, known] of digests) {
    const replay = await replayOf(url, streamId)
    if (replay === null || digestOf(replay) !== known) tally.lost('frames', `the replay of ${streamId} has changed since it was first read`)
  }
}
