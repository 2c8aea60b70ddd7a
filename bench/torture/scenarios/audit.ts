import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { asset } from '../../../services/ground/assets.js'
import { type ServerProcess } from '../../../test/support/server.js'
import { type Arena } from '../arena.js'
import { Gone, type Client } from '../client.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const workers = 6
const pageSize = 500

interface Entry { id: number, kind: string, details: Record<string, unknown> }
/** An acknowledged action, as its audit entry must report it. */
interface Action { kind: string, key: string, value: string }

export const auditLog: Scenario = {
  name: 'audit',
  says: 'kill -9 while people change, delete and switch things: each acknowledged action has its entry',
  short: false,
  async run (arena) {
    const { random, tally, rounds, folder } = arena
    let service = await arena.ready()
    const done: Action[] = []
    for (let round = 0; round < rounds * 2; round++) {
      const life = { over: false }
      const working = Promise.all(Array.from({ length: workers }, async (_, index) =>
        await keepDoing(createCrew(arena).client(service, `worker ${index}`), done, life)))
      await delay(random.whole(200, 1_500))
      life.over = true
      await service.crash()
      tally.tried('kills')
      await working
      service = await arena.ready()
      await compare(arena, service, done)
    }
    await promisify(execFile)(process.execPath, [asset('dist/audit.js'), 'verify'], {
      env: { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home') }
    }).catch((error: Error & { stdout?: string }) => tally.wrong(`the log is not whole: ${error.stdout ?? error.message}`))
    await arena.stop(service)
  }
}

/** Changes data in the database, whose entries are committed with it, and files, whose entries come before the answer. */
async function keepDoing (client: Client, done: Action[], life: { over: boolean }): Promise<void> {
  const action = async (kind: string, key: string, value: string, path: string, body: object): Promise<void> => {
    const { status } = await client.post(path, body)
    if (status === 200) done.push({ kind, key, value })
  }
  try {
    while (!life.over) {
      const sessionId = await client.newSession()
      const { project } = (await client.post('/api/projects/create', { name: `project ${client.random.next()}` })).body
      const path = `note-${client.random.next()}.txt`
      await client.post('/api/file/create', { session_id: sessionId, path, content: 'to be deleted' })
      await action('file.deleted', 'path', path, '/api/file/delete', { session_id: sessionId, path, permanent: client.random.chance(0.5) })
      await action('yolo.switched', 'session', sessionId, '/api/session/yolo', { session_id: sessionId, enabled: true })
      await action('project.deleted', 'project', project.project_id, '/api/projects/delete', { project_id: project.project_id })
      const { status, body } = await client.post('/api/crons/create', { prompt: 'words=5', schedule: 'every 30d' })
      if (status === 200) {
        done.push({ kind: 'job.created', key: 'job', value: body.job.id })
        await action('job.deleted', 'job', body.job.id, '/api/crons/delete', { job_id: body.job.id })
      }
      await action('session.deleted', 'session', sessionId, '/api/session/delete', { session_id: sessionId })
    }
  } catch (error) {
    if (!(error instanceof Gone)) throw error
  }
}

/** Checks that each action has one entry, and that ids have no gap. */
async function compare (arena: Arena, service: ServerProcess, done: Action[]): Promise<void> {
  const { tally } = arena
  const entries = await entriesOf(createCrew(arena).client(service))
  const counts = new Map<string, number>()
  for (const { kind, details } of entries) {
    for (const [key, value] of Object.entries(details)) {
      const name = `${kind} ${key} ${String(value)}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  for (const { kind, key, value } of done) {
    const count = counts.get(`${kind} ${key} ${value}`) ?? 0
    tally.tried('entries')
    tally.checked()
    if (count === 0) tally.lost('entries', `${kind} of ${key} ${value} has no entry`)
    if (count > 1) tally.wrong(`${kind} of ${key} ${value} has ${count} entries`)
  }
  done.length = 0
}

async function entriesOf (client: Client): Promise<Entry[]> {
  const entries: Entry[] = []
  let before = ''
  for (;;) {
    const { body } = await client.get(`/api/audit?limit=${pageSize}${before}`)
    entries.push(...body.entries as Entry[])
    if (body.next_before === null || body.next_before === undefined) return entries
    before = `&before=${body.next_before}`
  }
}
