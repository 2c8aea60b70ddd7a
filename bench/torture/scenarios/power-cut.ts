import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Arena } from '../arena.js'
import { Gone, type Client } from '../client.js'
import { createCrew } from '../crew.js'
import { missingForDisk, recordDisk } from '../disk-log.js'
import { type Scenario } from '../scenario.js'
import { type Kind } from '../tally.js'

/** Something that was acknowledged, and a check of whether it exists. `at`: epoch seconds. */
interface Promised { at: number, kind: Kind, says: string, holds: (client: Client) => Promise<boolean> }

const workers = 4
const recordedMs = 4_000

export const powerCut: Scenario = {
  name: 'power-cut',
  says: 'the power fails right after something was acknowledged: the disk has what was synced, and any part of the rest',
  short: false,
  missing: missingForDisk,
  async run (arena) {
    const { folder, random, tally, rounds } = arena
    const home = join(folder, 'machine')
    const service = await arena.ready({ home })
    const recording = await recordDisk(service.pid, home, join(folder, 'recorded'))
    const promised: Promised[] = []
    const life = { over: false }
    const working = Promise.all(Array.from({ length: workers }, async (_, index) =>
      await keepDoing(createCrew(arena).client(service, `worker ${index}`), home, promised, life)))
    await delay(recordedMs)
    life.over = true
    await working
    const log = await recording.stop()
    await arena.stop(service)
    tally.note(`${promised.length} promises while ${log.actions.length} changes were written with ${log.syncs} syncs`)
    for (let cut = 0; cut < rounds * 2; cut++) {
      const { at } = random.pick(promised)
      log.leave(at, random)
      tally.tried('kills')
      await compare(arena, home, promised.filter((one) => one.at <= at))
    }
  }
}

/** Does what people do, each thing once and under its own name. */
async function keepDoing (client: Client, home: string, promised: Promised[], life: { over: boolean }): Promise<void> {
  const promise = (kind: Kind, says: string, holds: Promised['holds']): void => { promised.push({ at: Date.now() / 1_000, kind, says, holds }) }
  try {
    while (!life.over) {
      const tag = `t${Math.floor(client.random.next() * 1e12)}`
      const id = await client.newSession()
      const session = async (now: Client, messages = 0) => (await now.get(`/api/session?session_id=${id}&messages=${messages}`)).body.session
      promise('sessions', `the session ${id}`, async (now) => await session(now) !== undefined)
      await client.rename(id, `title ${tag}`)
      promise('renames', `the title of ${id}`, async (now) => (await session(now))?.title === `title ${tag}`)
      await client.draft(id, `draft ${tag}`)
      promise('settings', `the draft of ${id}`, async (now) => (await now.get(`/api/session/draft?session_id=${id}`)).body.draft.text === `draft ${tag}`)
      await client.project(`project ${tag}`)
      promise('settings', `the project ${tag}`, async (now) =>
        (await now.get('/api/projects')).body.projects.some(({ name }: { name: string }) => name === `project ${tag}`))
      const job = await client.post('/api/crons/create', { prompt: `words=5 ${tag}`, schedule: 'every 30d' })
      if (job.status === 200) {
        promise('slots', `the job ${tag}`, async (now) =>
          (await now.get('/api/crons')).body.jobs.some(({ id: known }: { id: string }) => known === job.body.job.id))
      }
      const file = join(home, 'workspace', `${tag}.txt`)
      if ((await client.post('/api/file/create', { session_id: id, path: `${tag}.txt`, content: tag })).status === 200) {
        promise('saves', `the file ${tag}.txt`, async () => readFileSync(file, 'utf8').startsWith(tag))
        await client.save(id, `${tag}.txt`, file, `${tag} again`)
        promise('saves', `what was saved in ${tag}.txt`, async () => readFileSync(file, 'utf8') === `${tag} again`)
      }
      const turn = await client.post('/api/chat/start', { session_id: id, message: `words=5 ${tag}` })
      if (turn.status === 200) {
        promise('messages', `the message ${tag}`, async (now) =>
          JSON.stringify((await session(now, 1))?.messages ?? []).includes(`words=5 ${tag}`))
      }
    }
  } catch (error) {
    if (!(error instanceof Gone)) throw error
  }
}

async function compare (arena: Arena, home: string, promised: Promised[]): Promise<void> {
  const { tally } = arena
  const service = await arena.ready({ home })
  const client = createCrew(arena).client(service)
  for (const { kind, says, holds } of promised) {
    tally.tried(kind)
    tally.checked()
    const found = await holds(client).catch((error: unknown) => String(error))
    if (found !== true) tally.lost(kind, `${says} was acknowledged, and is not there after the cut${found === false ? '' : `: ${found}`}`)
  }
  await arena.stop(service)
}
