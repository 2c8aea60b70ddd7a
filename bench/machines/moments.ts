import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answer } from '../wire.js'
import { commandOf, processes, sorry, until, type Begun, type Stage } from './stage.js'

const mib = 1024 * 1024

/** Tools for a moment. */
export interface Blow {
  stage: Stage
  /** Kills the victims, and starts them again. */
  strike (): Promise<void>
  /** Turns may end if they say why: their machine is among the victims, or the server has forgotten them. */
  mayEnd: boolean
  /** The machine or its agent process is among the victims: what waits there ends. */
  endsThere: boolean
  /** The service is among the victims: its answers may not arrive. */
  losesAnswers: boolean
  /** Notes something that is worth knowing but not wrong. */
  note (line: string): void
}

/** Something in progress when programs are killed. Resolves to what is wrong afterwards, or null. */
type Moment = (blow: Blow) => Promise<string | null>

const asAnswer = (error: unknown): Answer => ({ status: 0, body: String(error) })

/** Repeats a request once a second while the machine is not back yet. */
async function answeredAtLast<Answered extends { status: number }> ({ note }: Pick<Blow, 'note'>, ask: () => Promise<Answered>): Promise<Answered> {
  let answer = await ask()
  for (let attempt = 0; attempt < 20 && [409, 502, 503].includes(answer.status); attempt++) {
    note(`${answer.status}`)
    await delay(1_000)
    answer = await ask()
  }
  return answer
}

/** Checks a turn that waited on a killed machine: it has ended with a message, and has left no prompt. */
async function hasEnded ({ stage, note }: Blow, turn: Begun, kind: 'approval' | 'clarify'): Promise<string | null> {
  const words = sorry(await stage.frames(turn))
  if (await stage.pending(turn.session, kind) !== null) return 'a card is left of a turn that has ended'
  note(words)
  return words === '' ? 'it ended without a word' : null
}

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1

async function turn ({ stage, strike, mayEnd, note }: Blow): Promise<string | null> {
  const begun = await stage.begin('slow 160')
  await delay(2_000)
  await strike()
  if (!mayEnd) return await stage.wholeTurn(begun, 160)
  const problem = await stage.honestTurn(begun, 160)
  note(sorry(await stage.frames(begun)))
  return problem
}

async function command ({ stage, strike, endsThere, note }: Blow): Promise<string | null> {
  const [name, counter] = ['sleep 4321', join(stage.work, 'count.txt')]
  const running = (): number[] => processes().filter((pid) => commandOf(pid) === name)
  const begun = await stage.begin(`run echo x >> count.txt && ${name}`)
  await until('the command', () => running().length > 0)
  await strike()
  await delay(4_000)
  const left = running().length
  const ran = linesOf(counter)
  rmSync(counter)
  if (endsThere ? left > 0 : left !== 1) return `${left} commands run`
  if (left === 1) {
    await stage.ready()
    const { status } = await stage.post('/api/chat/cancel', { stream_id: begun.stream })
    await until(`the end of the command, as its cancel was answered with ${status}`, () => running().length === 0, 20_000)
  }
  note(sorry(await stage.frames(begun)))
  return ran === 1 ? null : `it ran ${ran} times`
}

async function approval (blow: Blow): Promise<string | null> {
  const { stage, strike, mayEnd, endsThere } = blow
  const counter = join(stage.work, 'approved.txt')
  mkdirSync(join(stage.work, 'old'), { recursive: true })
  writeFileSync(counter, '')
  const begun = await stage.begin('run echo x >> approved.txt && rm -r old')
  await until('the card', async () => await stage.pending(begun.session) !== null)
  await strike()
  await stage.ready()
  if (endsThere) return await hasEnded(blow, begun, 'approval')
  if (await stage.pending(begun.session) === null) return mayEnd ? await hasEnded(blow, begun, 'approval') : 'the card is gone'
  const answer = await answeredAtLast(blow, async () =>
    await stage.post('/api/approval/respond', { session_id: begun.session, choice: 'once' }))
  if (answer.status !== 200) return `the answer was answered with ${answer.status} ${JSON.stringify(answer.body)}`
  await stage.frames(begun)
  return linesOf(counter) === 1 ? null : `it ran ${linesOf(counter)} times`
}

async function clarify (blow: Blow): Promise<string | null> {
  const { stage, strike, mayEnd, endsThere } = blow
  const begun = await stage.begin('ask me Which? one | two')
  await until('the card', async () => await stage.pending(begun.session, 'clarify') !== null)
  await strike()
  await stage.ready()
  if (endsThere) return await hasEnded(blow, begun, 'clarify')
  const open = await stage.pending(begun.session, 'clarify')
  if (open === null) return mayEnd ? await hasEnded(blow, begun, 'clarify') : 'the card is gone'
  const answer = await answeredAtLast(blow, async () =>
    await stage.post('/api/clarify/respond', { session_id: begun.session, response: 'two', clarify_id: open['clarify_id'] }))
  if (answer.status !== 200) return `the answer was answered with ${answer.status} ${JSON.stringify(answer.body)}`
  await stage.frames(begun)
  return String((await stage.messages(begun)).at(-1)?.content).includes('two') ? null : 'the answer did not arrive'
}

async function upload ({ stage, strike, losesAnswers, note }: Blow): Promise<string | null> {
  const [name, size] = [`upload-${crypto.randomUUID()}.bin`, 150 * mib]
  const form = new FormData()
  form.set('session_id', await stage.newSession())
  form.set('file', new Blob([new Uint8Array(size).fill(7)]), name)
  const sent = fetch(`${stage.url}/api/workspace/upload`, { method: 'POST', body: form }).then(
    async (answer) => ({ status: answer.status, body: await answer.text() }), asAnswer
  )
  await delay(700)
  await strike()
  const { status, body } = await sent
  note(`${status} ${String(body).slice(0, 150)}`)
  await stage.ready()
  await delay(6_000)
  const there = readdirSync(stage.work)
  if (status === 200) return there.includes(name) && statSync(join(stage.work, name)).size === size ? null : 'acknowledged, and not there'
  if (there.includes(name)) return losesAnswers ? null : 'refused, and there'
  const parts = there.filter((entry) => /\.part|\.tmp|^\./.test(entry))
  return parts.length === 0 ? null : `a part is left: ${parts.join(' ')}`
}

async function download ({ stage, strike, note }: Blow): Promise<string | null> {
  const [path, size] = [join(stage.work, 'big.bin'), 200 * mib]
  if (!existsSync(path)) writeFileSync(path, Buffer.alloc(size, 3))
  const url = `${stage.url}/api/file/raw?session_id=${await stage.newSession()}&path=big.bin&download=1`
  const answer = await fetch(url)
  if (answer.status !== 200) return `${answer.status} ${(await answer.text()).slice(0, 200)}`
  let got = 0
  const reading = (async () => { for await (const chunk of answer.body!) got += chunk.length })().then(() =>
    'whole', (error: unknown) => `broken off: ${String(error)}`)
  await delay(300)
  await strike()
  const how = await Promise.race([reading, delay(60_000, 'hanging')])
  note(`${how} with ${got} bytes`)
  if (how === 'hanging') return 'it hangs'
  if (how === 'whole' && got !== size) return 'short, and said to be whole'
  await stage.ready()
  if (got === size) return null
  const rest = await answeredAtLast({ note }, async () => await fetch(url, { headers: { range: `bytes=${got}-` } }))
  return got + (await rest.arrayBuffer()).byteLength === size ? null : `the rest does not come: ${rest.status}`
}

async function git ({ stage, strike, note }: Blow): Promise<string | null> {
  const repo = join(stage.work, `repo-${crypto.randomUUID()}`)
  mkdirSync(repo)
  execFileSync('git', ['-C', repo, 'init', '-q', '-b', 'main'])
  for (let index = 0; index < 40; index++) writeFileSync(join(repo, `file-${index}.bin`), crypto.getRandomValues(new Uint8Array(64 * 1024)))
  const session = await stage.newSession(`box:${repo}`)
  const stageAll = async (): Promise<Answer> => await stage.post('/api/git/stage', { session_id: session, paths: ['.'] }).catch(asAnswer)
  const sent = stageAll()
  await delay(50)
  await strike()
  note(`${(await sent).status}`)
  await stage.ready()
  await delay(500)
  const isLocked = existsSync(join(repo, '.git/index.lock'))
  const again = await stageAll()
  // Git itself leaves its lock behind when it is killed, and only a person can decide that it is stale.
  return again.status === 200 || isLocked ? null : `again: ${again.status} ${JSON.stringify(again.body)}`
}

async function start ({ stage, strike, note }: Blow): Promise<string | null> {
  const problems: string[] = []
  for (const waitMs of [0, 5, 30, 120]) {
    const session = await stage.newSession()
    const sent = stage.post('/api/chat/start', { session_id: session, message: 'slow 20' }).catch(asAnswer)
    await delay(waitMs)
    await strike()
    const { status, body } = await sent
    await stage.ready()
    const stream = ((await stage.get(
      `/api/session?session_id=${session}`
    )).body.session.active_stream_id ?? body?.stream_id) as string | undefined
    if (stream !== undefined) note(`killed after ${waitMs} ms, ${status}: ${sorry(await stage.frames({ session, stream }))}`)
    const said = (await stage.messages({ session })).filter(({ role }: { role: string }) => role === 'user').length
    if (status === 200 && said !== 1) problems.push(`killed after ${waitMs} ms, the message is there ${said} times`)
  }
  return problems.length === 0 ? null : problems.join('; ')
}

export const moments: Readonly<Record<string, Moment>> = { turn, command, approval, clarify, upload, download, git, start }
