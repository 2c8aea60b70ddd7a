// What becomes of work on another machine when one of the programs is killed in the middle of it; 'empty': nats-server comes back with an empty store.
//   npm run build && npx tsx bench/hosts/kills.ts [nats,empty,machine,agent,service,service+nats,service+machine [turn,approval,clarify,upload,download,git,start,command]]
import { tmpdir } from 'node:os'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, existsSync, readdirSync, writeFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Stage, until, processes, commandOf, sorry, type Begun } from './stage.js'

const victims = (process.argv[2] ?? 'nats,empty,machine,agent,service,service+nats,service+machine').split(',')
const moments = (process.argv[3] ?? 'turn,approval,clarify,upload,download,git,start,command').split(',')
const portBase = Number(process.argv[4] ?? 9100)
const stage = new Stage({ servicePort: portBase, natsPort: portBase + 1 })
process.chdir(process.argv[5] ?? '.')

async function strike (victim: string): Promise<void> {
  const back: Array<() => Promise<void>> = []
  if (victim === 'agent') { for (const pid of stage.agentPids()) process.kill(pid, 'SIGKILL'); return }
  const kills: Array<Promise<void>> = []
  for (const each of victim.split('+')) {
    if (each === 'nats') { kills.push(stage.kill('nats')); back.push(async () => await stage.startNats()) }
    if (each === 'empty') { kills.push(stage.kill('nats')); back.push(async () => await stage.startNats({ empty: true })) }
    if (each === 'machine') { kills.push(stage.kill('machine')); back.push(async () => { stage.startMachine() }) }
    if (each === 'service') { kills.push(stage.kill('service')); back.push(async () => await stage.startService()) }
  }
  await Promise.all(kills)
  await delay(1500)
  for (const each of back) await each()
}
const mayEnd = (victim: string): boolean => /machine|agent|empty/.test(victim)

const perform: Record<string, (victim: string) => Promise<string | null>> = {
  async turn (victim) {
    const turn = await stage.begin('slow 160')
    await delay(2000)
    await strike(victim)
    return mayEnd(victim) ? await stage.honestTurn(turn, 160) ?? await note(turn) : await stage.wholeTurn(turn, 160)
  },
  async command (victim) {
    const turn = await stage.begin('run echo x >> count.txt && sleep 4321')
    await until('the command', () => processes().some((pid) => commandOf(pid) === 'sleep 4321'))
    await strike(victim)
    await delay(4000)
    const left = processes().filter((pid) => commandOf(pid) === 'sleep 4321')
    const count = readFileSync(join(stage.work, 'count.txt'), 'utf8').length / 2
    if (/machine|agent/.test(victim)) {
      if (left.length > 0) return `orphans: ${left.length}`
    } else if (left.length !== 1) return `${left.length} commands run`
    execFileSync('rm', [join(stage.work, 'count.txt')])
    if (left.length === 1) { await ready(); const c = await stage.post('/api/chat/cancel', { stream_id: turn.stream }); await until('the command to end', () => !processes().some((pid) => commandOf(pid) === 'sleep 4321'), 20000).catch(async () => { throw new Error(`not cancelled: ${c.status} ${JSON.stringify(c.body)}`) }) }
    const frames = await stage.frames(turn)
    return count === 1 ? (out(sorry(frames)), null) : `ran ${count} times`
  },
  async approval (victim) {
    mkdirSync(join(stage.work, 'old'), { recursive: true })
    writeFileSync(join(stage.work, 'n.txt'), '')
    const turn = await stage.begin('run echo x >> n.txt && rm -r old')
    await until('the card', async () => await stage.pending(turn.session) !== null)
    await strike(victim)
    await ready()
    if (/machine|agent/.test(victim)) {
      const frames = await stage.frames(turn)
      if (await stage.pending(turn.session) !== null) return 'a card is left of a turn that has ended'
      out(sorry(frames))
      return sorry(frames) === '' ? 'ended without a word' : null
    }
    if (await stage.pending(turn.session) === null) return /empty/.test(victim) ? await note(turn) : 'the card is gone'
    let answer = await stage.post('/api/approval/respond', { session_id: turn.session, choice: 'once' })
    for (let i = 0; i < 20 && [409, 502].includes(answer.status); i++) { out(`${answer.status}`); await delay(1000); answer = await stage.post('/api/approval/respond', { session_id: turn.session, choice: 'once' }) }
    if (answer.status !== 200) return `answer: ${answer.status} ${JSON.stringify(answer.body)}`
    await stage.frames(turn)
    const count = readFileSync(join(stage.work, 'n.txt'), 'utf8').length / 2
    return count === 1 ? null : `ran ${count} times`
  },
  async clarify (victim) {
    const turn = await stage.begin('ask me Which? one | two')
    await until('the card', async () => await stage.pending(turn.session, 'clarify') !== null)
    await strike(victim)
    await ready()
    if (/machine|agent/.test(victim)) {
      const frames = await stage.frames(turn)
      if (await stage.pending(turn.session, 'clarify') !== null) return 'a card is left of a turn that has ended'
      out(sorry(frames))
      return sorry(frames) === '' ? 'ended without a word' : null
    }
    const open = await stage.pending(turn.session, 'clarify')
    if (open === null) return /empty/.test(victim) ? await note(turn) : 'the card is gone'
    let answer = await stage.post('/api/clarify/respond', { session_id: turn.session, response: 'two', clarify_id: open.clarify_id })
    for (let i = 0; i < 20 && [409, 502].includes(answer.status); i++) { out(`${answer.status}`); await delay(1000); answer = await stage.post('/api/clarify/respond', { session_id: turn.session, response: 'two', clarify_id: open.clarify_id }) }
    if (answer.status !== 200) return `answer: ${answer.status} ${JSON.stringify(answer.body)}`
    await stage.frames(turn)
    return String((await stage.messages(turn)).at(-1)?.content).includes('two') ? null : 'the answer did not arrive'
  },
  async upload (victim) {
    const session = await stage.newSession()
    const name = `up-${victim}-${Math.round(Math.random() * 1e6)}.bin`
    const form = new FormData()
    form.set('session_id', session)
    form.set('file', new Blob([new Uint8Array(150 * 1024 * 1024).fill(7)]), name)
    const sent = fetch(`${stage.url}/api/workspace/upload`, { method: 'POST', body: form }).then(async (a) => ({ status: a.status, text: await a.text() }), (e) => ({ status: 0, text: String(e) }))
    await delay(700)
    await strike(victim)
    const begunMs = performance.now()
    const { status, text } = await sent
    out(`${status} ${text.slice(0, 150)} after ${Math.round(performance.now() - begunMs)} ms`)
    await ready()
    await delay(6000)
    const there = readdirSync(stage.work)
    if (status === 200) return there.includes(name) && statSync(join(stage.work, name)).size === 150 * 1024 * 1024 ? null : 'acknowledged, not there'
    if (there.includes(name)) return victim.includes('service') ? null : 'refused, and there'
    const parts = there.filter((e) => /\.part|\.tmp|^\./.test(e))
    if (parts.length > 0) return `a part is left: ${parts.join(' ')}`
    return null
  },
  async download (victim) {
    const session = await stage.newSession()
    const size = 200 * 1024 * 1024
    if (!existsSync(join(stage.work, 'big.bin'))) writeFileSync(join(stage.work, 'big.bin'), Buffer.alloc(size, 3))
    const begunMs = performance.now()
    const answer = await fetch(`${stage.url}/api/file/raw?session_id=${session}&path=big.bin&download=1`)
    if (answer.status !== 200) return `${answer.status} ${(await answer.text()).slice(0, 200)}`
    let got = 0
    const reading = (async () => { for await (const chunk of answer.body!) { got += chunk.length } })().then(() => 'whole', (e) => `broke: ${e}`)
    await delay(300)
    await strike(victim)
    const how = await Promise.race([reading, delay(60000, 'hangs')])
    out(`${how} ${got} bytes, after ${Math.round(performance.now() - begunMs)} ms`)
    if (how === 'hangs') return 'hangs'
    if (how === 'whole' && got !== size) return 'short and said to be whole'
    await ready()
    const again = await fetch(`${stage.url}/api/file/raw?session_id=${session}&path=big.bin&download=1`, { headers: { range: `bytes=${got}-` } })
    const rest = got === size ? 0 : (await again.arrayBuffer().catch((e) => { throw new Error(`the rest: ${again.status} ${e}`) })).byteLength
    return got + rest === size ? null : `the rest does not come: ${again.status}`
  },
  async git (victim) {
    const repo = join(stage.work, `repo-${Math.round(Math.random() * 1e6)}`)
    mkdirSync(repo)
    const git = (...words: string[]) => execFileSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { stdio: 'pipe' }).toString()
    git('init', '-q', '-b', 'main'); git('config', 'user.name', 'a'); git('config', 'user.email', 'a@b')
    for (let i = 0; i < 40; i++) writeFileSync(join(repo, `f${i}.bin`), Buffer.from(Array.from({ length: 500_000 }, () => Math.random() * 256)))
    const session = await stage.newSession(`box:${repo}`)
    const sent = stage.post('/api/git/stage', { session_id: session, paths: ['.'] }).catch((e) => ({ status: 0, body: String(e) }))
    await delay(150)
    await strike(victim)
    const answer = await sent
    out(`${answer.status} ${JSON.stringify(answer.body).slice(0, 150)}`)
    await ready()
    await delay(500)
    const lock = existsSync(join(repo, '.git/index.lock'))
    const again = await stage.post('/api/git/stage', { session_id: session, paths: ['.'] })
    out(`again: ${again.status} ${JSON.stringify(again.body).slice(0, 200)}; lock ${lock}`)
    return again.status === 200 ? null : lock ? (out('a lock is left'), null) : `again: ${again.status}`
  },
  async start (victim) {
    const problems: string[] = []
    for (const waitMs of [0, 5, 30, 120]) {
      const session = await stage.newSession()
      const sent = stage.post('/api/chat/start', { session_id: session, message: 'slow 20' }).catch((e) => ({ status: 0, body: String(e) }))
      await delay(waitMs)
      await strike(victim)
      const answer = await sent
      await ready()
      let messages = await stage.messages({ session })
      const stream = (await stage.get(`/api/session?session_id=${session}`)).body.session.active_stream_id ?? answer.body?.stream_id
      if (stream) { const frames = await stage.frames({ session, stream }); out(`${waitMs}: ${answer.status} ${sorry(frames)}`) } else out(`${waitMs}: ${answer.status} no stream ${JSON.stringify(answer.body).slice(0, 100)}`)
      messages = await stage.messages({ session })
      const users = messages.filter(({ role }) => role === 'user').length
      if (answer.status === 200 && users !== 1) problems.push(`${waitMs}: ${users} user messages`)
      out(`   ${messages.map((m) => `${m.role}:${String(m.content).slice(-30)}`).join(' | ')}`)
    }
    return problems.length > 0 ? problems.join('; ') : null
  }
}

function out (line: string): void { if (line !== '') console.log(`        · ${line}`) }
async function note (turn: Begun): Promise<null> { out(sorry(await stage.frames(turn))); return null }
async function ready (): Promise<void> { const b = performance.now(); await stage.ready(); const ms = performance.now() - b; if (ms > 3000) out(`ready again after ${Math.round(ms)} ms`) }

let failures = 0
try {
  await stage.startAll()
  for (const victim of victims) {
    for (const moment of moments) {
      const begunMs = performance.now()
      let problem: string | null
      try {
        problem = await perform[moment]!(victim)
        await ready()
        const b = performance.now()
        problem ??= await stage.wholeTurn(await stage.begin('slow 5'), 5)
        const ms = performance.now() - b
        if (ms > 3000) out(`the next turn took ${Math.round(ms)} ms`)
      } catch (error) { problem = String((error as Error).stack ?? error).split('\n').slice(0, 3).join(' ') }
      if (problem !== null) failures++
      console.log(`${problem === null ? 'well ' : 'WRONG'} ${victim} / ${moment} (${((performance.now() - begunMs) / 1000).toFixed(1)} s)${problem === null ? '' : `: ${problem}`}`)
      for (const name of ['nats', 'service', 'machine']) { try { process.kill(stage.pid(name), 0) } catch { out(`${name} was not running`); if (name === 'nats') await stage.startNats(); if (name === 'service') await stage.startService(); if (name === 'machine') stage.startMachine() } }
      if (problem !== null) await ready().catch(async () => { out('everything is started again'); for (const n of ['machine', 'service', 'nats']) await stage.kill(n); await stage.startAll() })
    }
  }
} finally {
  for (const name of ['service', 'machine', 'nats']) { writeFileSync(`${tmpdir()}/kills-${name}.log`, stage.log(name)) }
  await stage.end()
}
console.log(failures === 0 ? 'All well' : `${failures} went wrong`)
process.exit(0)
