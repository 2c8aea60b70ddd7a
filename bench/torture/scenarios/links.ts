import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type ServerProcess } from '../../../test/support/server.js'
import { call, type Answer } from '../../wire.js'
import { type Arena } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const secret = 'only for eyes outside'
const lastMs = 4_000
const clients = 6

/** Swaps an entry in a loop: a folder of the workspace, a link to one, a link to the folder outside. */
const swapper = `
const { renameSync, symlinkSync, mkdirSync, writeFileSync, rmSync } = require('node:fs')
const { workerData: { door, inside, outside, untilMs } } = require('node:worker_threads')
let count = 0
while (Date.now() < untilMs) {
  try {
    const next = door + '.' + count++
    if (count % 3 === 0) { mkdirSync(next); writeFileSync(next + '/secret.txt', 'inside') }
    else symlinkSync(count % 3 === 1 ? outside : inside, next)
    if (count % 3 === 0) rmSync(door, { recursive: true, force: true })
    renameSync(next, door)
    if (count % 3 === 0) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); renameSync(door, door + '.old'); rmSync(door + '.old', { recursive: true, force: true }) }
  } catch {}
}
`

export const swappedLinks: Scenario = {
  name: 'links',
  says: 'a folder that is swapped for a link to one outside, thousands of times a second, while files below it are read and written',
  short: false,
  async run (arena) {
    const { tally, rounds, folder } = arena
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret.txt'), secret)
    const service = await arena.ready()
    const answers = new Map<number, number>()
    for (let round = 0; round < rounds; round++) {
      for (const [status, count] of await hammer(arena, service, outside)) answers.set(status, (answers.get(status) ?? 0) + count)
      tally.checked()
      const names = readdirSync(outside)
      if (names.join() !== 'secret.txt') tally.wrong(`outside of the workspace there is now ${names.join(', ')}`)
      if (readFileSync(join(outside, 'secret.txt'), 'utf8') !== secret) tally.wrong('a file outside of the workspace was changed')
    }
    await arena.stop(service)
    if (!answers.has(200) || answers.size < 2) tally.wrong('the requests met either folders alone or links alone')
    tally.note(`answered ${[...answers].sort().map(([status, count]) => `${status}: ${count}`).join(', ')}`)
  }
}

/** Returns how many answers had which status. */
async function hammer (arena: Arena, service: ServerProcess, outside: string): Promise<Map<number, number>> {
  const { tally, random } = arena
  const workspace = arena.workspace()
  const inside = join(workspace, 'inside')
  mkdirSync(inside, { recursive: true })
  writeFileSync(join(inside, 'secret.txt'), 'inside')
  const untilMs = Date.now() + lastMs
  const swapping = new Worker(swapper, { eval: true, workerData: { door: join(workspace, 'door'), inside, outside, untilMs } })
  const ended = new Promise((resolve) => swapping.once('exit', resolve))
  const sessionId = await createCrew(arena).client(service).newSession()
  const session = `session_id=${sessionId}`
  const post = async (path: string, body: object): Promise<Answer> =>
    await call(service.url + path, 'POST', { session_id: sessionId, ...body })
  const get = async (path: string): Promise<Answer> => await call(service.url + path)
  const answers = new Map<number, number>()
  let number = 0
  const actions: Array<() => Promise<Answer>> = [
    async () => await get(`/api/file?${session}&path=door/secret.txt`),
    async () => await get(`/api/file/raw?${session}&path=door/secret.txt`),
    async () => await get(`/api/list?${session}&path=door`),
    async () => await get(`/api/file/search?${session}&q=secret`),
    async () => await get(`/api/folder/download?${session}&path=door`),
    async () => await post('/api/file/save', { path: 'door/secret.txt', content: 'changed' }),
    async () => await post('/api/file/create', { path: `door/new-${number++}.txt`, content: 'new' }),
    async () => await post('/api/file/create', { path: `door/deep-${number++}/new.txt`, content: 'new', parents: true }),
    async () => await post('/api/file/create-dir', { path: `door/folder-${number++}` }),
    async () => await post('/api/file/rename', { path: 'door/secret.txt', new_name: `renamed-${number++}.txt` }),
    async () => await post('/api/file/move', { path: 'door/secret.txt', dest_dir: '' }),
    async () => {
      await post('/api/file/create', { path: `loose-${number}.txt`, content: 'loose' })
      return await post('/api/file/move', { path: `loose-${number++}.txt`, dest_dir: 'door' })
    },
    async () => await post('/api/file/delete', { path: 'door/secret.txt', permanent: random.chance(0.5) }),
    async () => await upload(service.url, sessionId)
  ]
  await Promise.all(Array.from({ length: clients }, async (_, index) => {
    const own = random.branch(`client ${index}`)
    while (Date.now() < untilMs) {
      const answer = await own.pick(actions)()
      tally.tried('requests')
      tally.checked()
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
      if (answer.status >= 500) tally.wrong(`a request is answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 200)}`)
      if (JSON.stringify(answer.body).includes(secret)) tally.wrong('an answer has what a file outside of the workspace says')
    }
  }))
  await ended
  rmSync(join(workspace, 'door'), { recursive: true, force: true })
  return answers
}

async function upload (url: string, sessionId: string): Promise<Answer> {
  const form = new FormData()
  form.set('session_id', sessionId)
  form.set('path', 'door')
  form.set('file', new Blob(['uploaded']), 'secret.txt')
  const response = await fetch(`${url}/api/workspace/upload`, { method: 'POST', body: form })
  return { status: response.status, body: await response.text() }
}
