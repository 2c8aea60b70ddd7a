import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openEvents } from '../../test/support/events.js'
import { readOptions } from '../options.js'
import { call, type Answer } from '../wire.js'

// Effects of a network cut on work on another machine. The machine is a Linux network namespace, connected to this one by a pair of virtual
// interfaces; one of them is taken down in the middle of a turn, an approval and an upload. Needs root and `nats-server`.

const values = readOptions({
  command: 'npx tsx bench/machines/cuts.ts', does: 'Cuts off a machine in the middle of work, as root, and reports what is lost. Build first.'
}, {
  seconds: { type: 'string', value: 'n,…', says: 'how long each cut lasts', default: '1,30' },
  only: { type: 'string', value: 'moments', says: 'when it is cut off', default: 'turn,approval,upload' },
  port: { type: 'string', value: 'n', says: 'port of the service', default: '8931' }
})
const folder = mkdtempSync(join(tmpdir(), 'machines-cuts-'))
const space = `box${process.pid}`
const card = `v${process.pid}`
const [here, there] = ['10.77.31.1', '10.77.31.2']
const url = `http://127.0.0.1:${values.port}`
const children: ChildProcess[] = []
const isWanted = (moment: string): boolean => values.only.split(',').includes(moment)
let failures = 0

try {
  setUpNetwork()
  run('nats-server', ['-a', here, '-p', '4888', '-js', '-sd', join(folder, 'nats'), '-l', join(folder, 'nats.log')])
  await delay(1_000)
  let service = startService()
  await until('the service', async () => (await fetch(`${url}/health`)).ok)
  run('ip', [
    'netns', 'exec', space, process.execPath, 'dist/machine/main.js', '--nats', `nats://${here}:4888`, '--name', 'box', '--workspaces',
    folderOf('work')
  ], { SVC_HOME: folderOf('box-home'), HOME: folderOf('box-home'), OFFLINE_DEMO_WORDS_PER_SECOND: '200' })
  await until('the machine', isReady)
  for (const seconds of values.seconds.split(',').map(Number)) {
    if (isWanted('turn')) await scenario(`${seconds} s in the middle of a turn`, async () => await cutTurn(seconds))
    if (isWanted('approval')) await scenario(`${seconds} s in the middle of an approval`, async () => await cutApproval(seconds))
    if (isWanted('upload')) await scenario(`${seconds} s in the middle of an upload`, async () => await cutUpload(seconds))
  }
  await scenario('the service is killed in the middle of a turn, and started again', async () => {
    const turn = await begin('slow 200')
    await delay(2_000)
    service.kill('SIGKILL')
    await once(service, 'exit')
    await delay(2_000)
    service = startService()
    await until('the service', async () => (await fetch(`${url}/health`)).ok)
    return await wholeTurn(turn, 200)
  })
} finally {
  for (const child of children) child.kill('SIGKILL')
  try { ip('netns', 'del', space) } catch {}
  try { ip('link', 'del', card) } catch {}
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
console.log(failures === 0 ? '\nNothing was lost.' : `\n${failures} went wrong.`)
process.exit(failures === 0 ? 0 : 1)

async function cutTurn (seconds: number): Promise<string | null> {
  // The demo counts no further than this; it pauses when more than a little of its output was not acknowledged.
  const count = Math.min(5_000, 20 * (seconds + 10))
  const turn = await begin(`slow ${count}`)
  await delay(2_000)
  await cut(seconds)
  return await wholeTurn(turn, count)
}

async function cutApproval (seconds: number): Promise<string | null> {
  const turn = await begin('run mkdir -p old && rm -r old')
  await until('the card', async () => await pending(turn.session) !== null)
  carrier('down')
  await delay(500)
  const early = await post('/api/approval/respond', { session_id: turn.session, choice: 'once' })
  await delay(Math.max(0, seconds * 1_000 - 500))
  carrier('up')
  if (early.status === 200 && early.body.relayed !== true) return `answered while cut: ${JSON.stringify(early.body)}`
  if (early.status !== 200 && ![409, 502].includes(early.status)) return `while cut: ${early.status} ${JSON.stringify(early.body)}`
  if (early.status !== 200) {
    await until('the machine', isReady)
    if (await pending(turn.session) === null) return 'the card is gone, and nobody has answered it'
    // The connection returns some time after the network does. Until then the service answers that the machine is away, or
    // that it did not answer.
    let answer = await post('/api/approval/respond', { session_id: turn.session, choice: 'once' })
    for (let attempt = 0; attempt < 20 && [409, 502].includes(answer.status); attempt++) {
      await delay(1_000)
      if (await pending(turn.session) === null) break
      answer = await post('/api/approval/respond', { session_id: turn.session, choice: 'once' })
    }
    if (answer.status !== 200 || (answer.body.relayed !== true && answer.body.stale_cleared !== true)) {
      return `after the cut: ${answer.status} ${JSON.stringify(answer.body)}`
    }
  }
  return await ends(turn)
}

async function cutUpload (seconds: number): Promise<string | null> {
  const { session } = await begin('help')
  const name = `upload-${seconds}.bin`
  const form = new FormData()
  form.set('session_id', session)
  form.set('file', new Blob([new Uint8Array(48 * 1_024 * 1_024).fill(7)]), name)
  const sent = fetch(`${url}/api/workspace/upload`, {
    method: 'POST', body: form
  }).then(async (answer) => ({ status: answer.status, text: await answer.text() }))
  await delay(60)
  await cut(seconds)
  const { status, text } = await sent
  await until('the machine', isReady)
  const there = readdirSync(folderOf('work'))
  if (status === 200) return there.includes(name) ? null : 'acknowledged, and not there'
  if (status >= 500 && !text.includes('"error"')) return `${status} ${text.slice(0, 200)}`
  if (there.includes(name)) return `refused with ${status}, and there`
  return there.some((entry) => entry.includes('.part') || entry.includes('.tmp')) ? `a part is left: ${there.join(' ')}` : null
}

async function cut (seconds: number): Promise<void> {
  carrier('down')
  await delay(seconds * 1_000)
  carrier('up')
}

interface Begun { session: string, stream: string }

async function begin (message: string): Promise<Begun> {
  const { body: { session } } = await post('/api/session/new', { workspace: `box:${folderOf('work')}` })
  const { status, body } = await post('/api/chat/start', { session_id: session.session_id, message })
  if (status !== 200) throw new Error(`no turn: ${status} ${JSON.stringify(body)}`)
  return { session: session.session_id, stream: body.stream_id }
}

/** Returns null if every number was sent once and in order, in frames without a gap, and the transcript has the same numbers. */
async function wholeTurn (turn: Begun, count: number): Promise<string | null> {
  const problem = await ends(turn)
  if (problem !== null) return problem
  const reader = await openEvents(`${url}/api/chat/stream?stream_id=${turn.stream}&after_seq=0`)
  await reader.ended
  const told = reader.frames.filter(({ event }) => event === 'token').map(({ data }) => String(data.text)).join('')
  const wanted = Array.from({ length: count }, (_, index) => String(index + 1)).join(' ')
  if (!told.endsWith(wanted)) return `not every number is there once: … ${told.slice(-120)}`
  const gap = reader.frames.flatMap(({ id }) => id === null ? [] : [Number(id.split(':').at(-1))]).findIndex((seq, index) =>
    seq !== index + 1)
  if (gap !== -1) return `frame ${gap + 1} is missing or doubled`
  const { body } = await get(`/api/session?session_id=${turn.session}`)
  return String(body.session.messages.at(-1).content).endsWith(wanted) ? null : 'the transcript is another than what was told'
}

async function ends ({ stream }: Begun): Promise<string | null> {
  const reader = await openEvents(`${url}/api/chat/stream?stream_id=${stream}&after_seq=0`)
  const limit = delay(120_000, 'late' as const, { ref: false })
  if (await Promise.race([reader.ended, limit]) === 'late') {
    return `no end after two minutes; the last frame is ${reader.frames.at(-1)?.event}`
  }
  const last = reader.frames.at(-1)
  return last?.event === 'stream_end' ? null : `it ended with ${last?.event}: ${JSON.stringify(last?.data).slice(0, 300)}`
}

async function pending (session: string): Promise<unknown> {
  return (await get(`/api/approval/pending?session_id=${session}`)).body.pending ?? null
}

async function isReady (): Promise<boolean> {
  const { body } = await get('/api/hosts')
  return body.hosts?.some((machine: { name: string | null, state: string }) => machine.name === 'box' && machine.state === 'ready') === true
}

async function scenario (name: string, perform: () => Promise<string | null>): Promise<void> {
  const beginMs = performance.now()
  const problem = await perform().catch((error: unknown) => String(error))
  if (problem !== null) failures++
  console.log(
    `${problem === null ? 'well ' : 'WRONG'} ${name} (${Math.round((performance.now() - beginMs) / 1_000)} s)${problem === null ? '' : `: ${problem}`}`
  )
}

async function until (what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await holds().catch(() => false)) return
    await delay(200)
  }
  throw new Error(`${what} did not come`)
}

async function get (path: string): Promise<Answer> {
  return await call(url + path)
}

async function post (path: string, body: unknown): Promise<Answer> {
  return await call(url + path, 'POST', body)
}

function folderOf (name: string): string {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  return path
}

function startService (): ChildProcess {
  return run(process.execPath, ['dist/server.js'], {
    SVC_HOME: folderOf('home'), HOME: folderOf('home'), SVC_WEBUI_PORT: values.port, SVC_WEBUI_DEFAULT_WORKSPACE: folderOf('here'),
    SVC_WEBUI_MAX_UPLOAD_MB: '100', SVC_WEBUI_PROBE_LOCAL: '0', SVC_NATS_URL: `nats://${here}:4888`
  })
}

function run (program: string, words: string[], env: Record<string, string | undefined> = {}): ChildProcess {
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...env }, stdio: ['ignore', 'ignore', 'inherit']
  })
  children.push(child)
  return child
}

function ip (...words: string[]): void {
  execFileSync('ip', words, { stdio: 'pipe' })
}

function carrier (state: 'up' | 'down'): void {
  ip('link', 'set', card, state)
}

function setUpNetwork (): void {
  ip('netns', 'add', space)
  ip('link', 'add', card, 'type', 'veth', 'peer', 'name', `${card}b`, 'netns', space)
  ip('addr', 'add', `${here}/24`, 'dev', card)
  ip('netns', 'exec', space, 'ip', 'addr', 'add', `${there}/24`, 'dev', `${card}b`)
  ip('netns', 'exec', space, 'ip', 'link', 'set', `${card}b`, 'up')
  ip('netns', 'exec', space, 'ip', 'link', 'set', 'lo', 'up')
  ip('link', 'set', card, 'up')
}
