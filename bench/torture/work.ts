import { setTimeout as delay } from 'node:timers/promises'
import { Gone, tellTasks, type Client } from './client.js'
import { type AcceptedTurn, type Ledger, type SeenApproval } from './ledger.js'
import { type Random } from './random.js'

/** Ends work that would otherwise go on; each worker checks it between two actions. */
export interface Life { over: boolean }

let counter = 0
const numbered = (text: string): string => `${text} #${++counter}`

export interface WorkOptions {
  /** Number of clients that only talk. */
  talkers?: number
  workspace: string
}

/**
 * Does mixed work as several people at once, until `life` is over or the service is gone: turns with reasoning and tools, steers and
 * cancels, approvals answered and left, saves, uploads, renames, settings, drafts, questions on the side and background tasks. Resolves
 * when every worker has stopped.
 */
export async function workOn (
  clientFor: (name: string) => Client, ledger: Ledger, life: Life, { talkers = 4, workspace }: WorkOptions
): Promise<void> {
  const workers = [
    ...Array.from({ length: talkers }, (_, index) => keepTalking(clientFor(`talker ${index}`), life)),
    keepAsking(clientFor('asker'), ledger, life),
    keepEditing(clientFor('editor'), life, workspace),
    keepTidying(clientFor('clerk'), life),
    keepAside(clientFor('side'), ledger, life)
  ]
  for (const result of await Promise.allSettled(workers)) {
    if (result.status === 'rejected' && !(result.reason instanceof Gone)) throw result.reason
  }
}

async function keepTalking (client: Client, life: Life): Promise<void> {
  let sessionId: string | null = null
  while (!life.over) {
    if (sessionId === null || client.random.chance(0.6)) sessionId = await client.newSession()
    await client.turn(sessionId, numbered(wish(client.random)), { meanwhile: async (turn) => await disturb(client, turn) })
  }
}

/** Steers a turn now and then, and cancels some. */
async function disturb (client: Client, turn: AcceptedTurn): Promise<void> {
  const { random } = client
  if (random.chance(0.2)) {
    await delay(random.whole(0, 400))
    await client.steer(turn, numbered('steer'))
  }
  if (!random.chance(0.15)) return
  await delay(random.whole(0, 600))
  await client.cancel(turn)
}

function wish (random: Random): string {
  const words = `words=${random.whole(5, 64)}`
  const kind = random.next()
  if (kind < 0.35) return `${words} tools=${random.whole(1, 3)}`
  return kind < 0.5 ? `reasoning=10 ${words}` : words
}

/** Runs turns that ask for permission: half of the approvals are answered, the others left open. */
async function keepAsking (client: Client, ledger: Ledger, life: Life): Promise<void> {
  while (!life.over) {
    const sessionId = await client.newSession()
    ledger.asking.add(sessionId)
    const answered = new Promise<void>((resolve, reject) => {
      client.turn(sessionId, numbered('words=5 ask'), {
        // An open approval only blocks its own turn; this person continues elsewhere.
        meanwhile: async (turn) => { if (!await answerCard(client, ledger, turn, life)) resolve() }
      }).then(() => resolve(), reject)
    })
    await answered
    await delay(client.random.whole(0, 100))
  }
}

/** Answers the turn's approval or leaves it; returns whether the answer was acknowledged. */
async function answerCard (client: Client, ledger: Ledger, turn: AcceptedTurn, life: Life): Promise<boolean> {
  const { sessionId } = turn
  let approvalId: string | undefined
  while (approvalId === undefined) {
    if (life.over) return false
    const { body } = await client.get(`/api/approval/pending?session_id=${sessionId}`)
    if (body?.pending != null) approvalId = body.pending.approval_id as string
    else await delay(30)
  }
  const seen: SeenApproval = { turn, approvalId, answer: 'none' }
  ledger.approvals.push(seen)
  if (client.random.chance(0.5)) return false
  seen.answer = 'sent'
  const { status, body } = await client.post('/api/approval/respond', {
    session_id: sessionId, approval_id: approvalId, choice: client.random.pick(['once', 'deny'])
  })
  if (status !== 200 || body.ok !== true) return false
  seen.answer = 'acknowledged'
  return true
}

/** Saves files of growing size, and uploads. */
async function keepEditing (client: Client, life: Life, workspace: string): Promise<void> {
  const sessionId = await client.newSession()
  const names: string[] = []
  while (names.length < 3 && !life.over) {
    const path = `${numbered('notes').replace(' #', '-')}.md`
    const { status } = await client.post('/api/file/create', { session_id: sessionId, path, content: '' })
    if (status === 200) names.push(path)
    else await delay(100)
  }
  while (!life.over) {
    const name = client.random.pick(names)
    await client.save(
      sessionId, name, `${workspace}/${name}`, `${numbered('text')}\n${'line of text\n'.repeat(client.random.whole(0, 4_000))}`
    )
    if (client.random.chance(0.4)) {
      const kind = client.random.pick(['attachment', 'workspace'] as const)
      await client.upload(sessionId, kind, `${numbered('upload').replace(' #', '-')}.txt`, Buffer.from(
        numbered('content').repeat(client.random.whole(1, 5_000))
      ))
    }
    await delay(client.random.whole(0, 20))
  }
}

async function keepTidying (client: Client, life: Life): Promise<void> {
  const sessions = [await client.newSession(), await client.newSession()]
  while (!life.over) {
    const sessionId = client.random.pick(sessions)
    switch (client.random.whole(0, 3)) {
      case 0: await client.rename(sessionId, numbered('A title of my own')); break
      case 1: await client.draft(sessionId, numbered('half a sentence')); break
      case 2: await client.setting('pinned_sessions_limit', client.random.whole(1, 20)); break
      default: await client.project(numbered('project'))
    }
    await delay(client.random.whole(0, 30))
  }
}

/** Asks questions on the side and starts background tasks, whose results are fetched now and then. */
async function keepAside (client: Client, ledger: Ledger, life: Life): Promise<void> {
  const sessionId = await client.newSession()
  await client.turn(sessionId, numbered('words=5'))
  while (!life.over) {
    if (client.random.chance(0.5)) await client.background(sessionId, numbered(`words=${client.random.whole(5, 30)}`))
    else await client.btw(sessionId, numbered(`words=${client.random.whole(5, 20)}`))
    if (client.random.chance(0.3)) await tellTasks(client, ledger, sessionId)
    await delay(client.random.whole(50, 200))
  }
}
