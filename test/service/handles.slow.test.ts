import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { spawnServer, type ServerProcess } from '../support/server.js'

// A process that has as many files open as it may. Requests come over existing connections.

interface Answer { status: number, retryAfter: string | undefined, body: string }
interface Operation { parameters?: Array<{ name: string, in: string, required?: boolean }> }

async function service (t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'handles-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const server = await spawnServer(t, folder)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const ask = async (method: string, path: string, body?: unknown): Promise<Answer> => await new Promise((resolve, reject) => {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    request(server.url + path, { method, agent, headers: sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => { text += chunk }).on('error', reject)
        .on('end', () => resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body: text }))
    }).on('error', reject).end(sent)
  })
  const limit = (handles: string): void => { execFileSync('prlimit', ['--pid', String(server.pid), `--nofile=${handles}:`]) }
  const before = /Max open files\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/limits`, 'utf8'))?.[1] ?? '1024'
  return { folder, server, ask, exhaust: () => limit('3'), recover: () => limit(before) }
}

const coded = ({ body }: Answer): unknown => (JSON.parse(body) as { code?: unknown }).code
const linesOf = (server: ServerProcess, pattern: RegExp): string[] => server.output().split('\n').filter((line) => pattern.test(line))

t.test('without file handles health says so, what needs one is told in words, and all is well again by itself', async (t) => {
  const { folder, server, ask, exhaust, recover } = await service(t)
  const { session } = JSON.parse((await ask('POST', '/api/session/new', {})).body) as { session: { session_id: string } }
  const id = session.session_id
  writeFileSync(join(folder, 'workspace', 'there.txt'), 'A text\n')
  t.match(await ask('GET', '/health'), { status: 200 })
  t.match(await ask('POST', '/api/memory/write', { section: 'memory', content: 'There.' }), { status: 200 })
  t.match(await ask('POST', '/api/default-model', { model: 'offline-demo' }), { status: 200 })
  t.match(await ask('GET', `/api/git/status?session_id=${id}`), { status: 200 })
  exhaust()
  t.match(await ask('GET', `/api/git/status?session_id=${id}`), { status: 503 })
  t.match(await ask('GET', '/health'), { status: 503, body: /"status":"degraded".*"reason":"no_file_handles"/ })
  t.match(await ask('GET', '/readyz'), { status: 503, body: /"database":true.*"reason":"no_file_handles"/ })
  t.match(await ask('GET', '/livez'), { status: 200 })
  for (const [method, path, body] of [
    ['POST', '/api/file/create', { session_id: id, path: 'new.txt', content: 'x' }],
    ['POST', '/api/file/save', { session_id: id, path: 'there.txt', content: 'x' }],
    ['POST', '/api/file/create-dir', { session_id: id, path: 'folder' }],
    ['GET', `/api/file?session_id=${id}&path=there.txt`, undefined],
    ['GET', `/api/file/raw?session_id=${id}&path=there.txt`, undefined],
    ['GET', `/api/list?session_id=${id}&path=.`, undefined],
    ['GET', '/api/plugins', undefined],
    ['POST', '/api/memory/write', { section: 'memory', content: 'x' }],
    ['POST', '/api/default-model', { model: 'offline-demo' }]
  ] as const) {
    const answer = await ask(method, path, body)
    t.match(answer, { status: 503, retryAfter: '5' }, `${method} ${path}: ${answer.body}`)
    t.equal(coded(answer), 'no_handles', path)
  }
  t.notOk(readdirSync(join(folder, 'workspace')).includes('new.txt'))
  recover()
  t.match(await ask('GET', '/health'), { status: 200 })
  t.match(await ask('GET', '/readyz'), { status: 200 })
  t.match(await ask('POST', '/api/file/create', { session_id: id, path: 'new.txt', content: 'x' }), { status: 200 })
  t.match(await ask('GET', `/api/list?session_id=${id}&path=.`), { status: 200 })
  t.ok(linesOf(server, /EMFILE/).length > 0, 'the log has the cause')
})

t.test('no read route answers with a bare fault without handles, and each works afterwards', async (t) => {
  const { ask, exhaust, recover } = await service(t)
  const { session } = JSON.parse((await ask('POST', '/api/session/new', {})).body) as { session: { session_id: string } }
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: Record<string, { get?: Operation }> }
  const given: Record<string, string> = { session_id: session.session_id, path: '.' }
  const reads = Object.entries(paths).flatMap(([path, { get }]) => {
    const needed = get?.parameters?.filter(({ required }) => required === true).map(({ name }) => name) ?? []
    if (get === undefined || path.includes('{') || /stream|events|feed|\/health$|readyz/.test(path)) return []
    return [`${path}?${needed.map((name) => `${name}=${encodeURIComponent(given[name] ?? 'x')}`).join('&')}`]
  })
  t.ok(reads.length > 50, `${reads.length} routes`)
  exhaust()
  for (const path of [...reads, '/', '/nothere.css']) {
    const answer = await ask('GET', path)
    t.not(answer.status, 500, `${path}: ${answer.status} ${answer.body.slice(0, 200)}`)
  }
  recover()
  for (const path of [...reads, '/']) {
    const answer = await ask('GET', path)
    t.notMatch(answer, { status: 500 }, `${path} afterwards: ${answer.body.slice(0, 200)}`)
    t.not(answer.status === 503 && coded(answer) === 'no_handles', true, path)
  }
})
