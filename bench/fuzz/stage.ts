import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tarOf, zipOf } from '../../test/support/archives.js'
import { asset } from '../../services/ground/assets.js'
import { startEndpoint, startService, type Service } from '../processes.js'
import { workspaceOf } from '../seed.js'
import { type Answer } from '../wire.js'
import { type Pool } from './pool.js'

const password = 'planted-password-9f2c'
const providerKey = 'sk-planted4f9a8c7d6e5b4a3f2e1d0c9b8a7f6e5d'
export const plantedSecrets: readonly string[] = [password, providerKey]

/** Headers that authenticate a sender. */
type Credentials = Array<[string, string]>

/** What the preloaded script wrote (bench/fuzz/watch.js). */
interface Watched { pauseMs?: number, uncaught?: string, usedMib?: number }

export interface Stage {
  service: Service
  port: number
  folder: string
  /** Returns the credentials of a sender with this scope; none for null. */
  credentials (scope: string | null): Credentials
  /** Renews credentials that are no longer valid. */
  renew (scope: string): Promise<void>
  ask (method: string, path: string, body?: unknown): Promise<{ status: number, text: string }>
  /** Returns what was written since the last call. */
  watched (): Watched[]
  /** Returns what the service printed since the last call. */
  printed (): string
  /** Creates again what requests have deleted: a session, and files. */
  tend (): Promise<void>
  end (): Promise<void>
}

/** Starts a service behind a password that contains something of everything, with credentials for each scope. */
export async function openStage (folder: string, pool: Pool, entry?: string): Promise<Stage> {
  const watchFile = join(folder, 'watched')
  await prepareFolder(folder)
  const endpoint = await startEndpoint(0)
  let output = ''
  const service = await startService({
    home: folder, modelUrl: endpoint.url, entry, nodeOptions: ['--import', asset('bench/fuzz/watch.js')], onOutput: (text) => { output += text },
    variables: {
      SVC_WEBUI_PASSWORD: password, SVC_WEBUI_PASSKEY: '1', SVC_WEBUI_TRUSTED_PROXIES: '127.0.0.1', SVC_WEBUI_SANDBOX: '0', OPENAI_API_KEY: providerKey,
      FUZZ_WATCH: watchFile, TMPDIR: join(folder, 'tmp')
    }
  })
  const held = new Map<string, Credentials>()
  let keeper: Credentials = []
  const ask = async (
    method: string, path: string, body?: unknown, headers: Credentials = keeper
  ): Promise<{ status: number, text: string, cookie: string }> => {
    const answer = await fetch(service.url + path, {
      method, headers: [...headers, ...body === undefined ? [] : [['content-type', 'application/json'] as [string, string]]],
      ...body === undefined ? {} : { body: JSON.stringify(body) }
    })
    return { status: answer.status, text: await answer.text(), cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' }
  }
  /** Uses another address each time, so that attempts to sign in from elsewhere do not count against it. */
  let signIns = 0
  const signedIn = async (): Promise<Credentials> => {
    const { status, cookie } = await ask('POST', '/api/auth/login', { password }, [['x-forwarded-for', `10.0.${signIns >> 8}.${++signIns & 255}`]])
    if (status !== 200) throw new Error(`signing in was answered ${status}`)
    return [['Cookie', cookie]]
  }
  const renew = async (scope: string): Promise<void> => {
    if ((await ask('GET', '/api/projects')).status === 401) keeper = await signedIn()
    if (scope === 'person') {
      held.set(scope, await signedIn())
      return
    }
    const { status, text } = await ask('POST', '/api/auth/tokens/create', { name: scope, scope })
    if (status === 200) held.set(scope, [['Authorization', `Bearer ${(JSON.parse(text) as { token: string }).token}`]])
    // The number of tokens is limited, and requests may have used it up.
    else await ask('POST', '/api/auth/tokens/revoke', { all: true })
  }
  let readTo = 0
  const stage: Stage = {
    service, folder, ask, renew,
    port: Number(new URL(service.url).port),
    credentials: (scope) => held.get(scope ?? '') ?? [],
    watched () {
      if (!existsSync(watchFile)) return []
      const text = readFrom(watchFile, readTo)
      readTo += Buffer.byteLength(text)
      return text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Watched)
    },
    printed () {
      const text = output
      output = ''
      return text
    },
    async tend () {
      await writeFiles(workspaceOf(folder))
      const { status, text } = await ask('POST', '/api/session/new', {})
      if (status === 200) pool.harvest('sessions', JSON.parse(text))
    },
    async end () {
      await service.stop()
      endpoint.stop()
    }
  }
  keeper = await signedIn()
  for (const scope of ['read', 'chat', 'approve', 'admin', 'person']) await renew(scope)
  await fill(stage, pool)
  stage.watched()
  return stage
}

/** Returns the complete lines of a file from a position on. */
function readFrom (file: string, from: number): string {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(256 * 1024)
    const text = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from)).toString()
    return text.slice(0, text.lastIndexOf('\n') + 1)
  } finally {
    closeSync(descriptor)
  }
}

/** Prepares a work tree with changes, and files of every kind that operations work with. */
async function prepareFolder (folder: string): Promise<void> {
  const workspace = workspaceOf(folder)
  mkdirSync(join(workspace, 'sub'), { recursive: true })
  mkdirSync(join(folder, 'tmp'))
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'init.defaultBranch=main', ...args], { cwd: workspace, stdio: 'ignore' })
  }
  writeFileSync(join(workspace, 'notes.txt'), 'first line\nsecond line\n')
  git('init')
  git('add', '.')
  git('commit', '-m', 'Begin')
  git('branch', 'other')
  await writeFiles(workspace)
}

/** Writes the files, as far as nothing else is in their place. */
async function writeFiles (workspace: string): Promise<void> {
  const write = (name: string, content: string | Buffer): void => {
    try {
      mkdirSync(dirname(join(workspace, name)), { recursive: true })
      writeFileSync(join(workspace, name), content)
    } catch {}
  }
  write('notes.txt', 'first line\nchanged\n')
  write('sub/new.md', '# New\n')
  write('a.zip', zipOf([{ name: 'a/b.txt', content: 'b' }, { name: '../c.txt', content: 'c' }, { name: 'a/b.txt', content: 'twice' }]))
  write('b.zip', zipOf([{ name: 'plain.txt', content: 'plain' }]))
  write('a.tar', await tarOf([{ name: 'x.txt', content: 'x' }, { name: 'link', type: 'symlink', linkname: '/etc/passwd' }]))
  write('bad.docx', zipOf([{ name: 'word/document.xml', content: '<a>' }]))
  write('picture.png', Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'))
  write('bytes.bin', Buffer.from([0, 255, 254, 10, 0]))
}

const turnLimitMs = 5_000

/**
 * Fills the service with things that requests can be about: conversations with calls, open approvals and questions, a job, a
 * skill, shared pages.
 */
async function fill ({ ask }: Stage, pool: Pool): Promise<void> {
  const asked = async (area: string, method: string, path: string, body?: unknown): Promise<Answer['body']> => {
    const { status, text } = await ask(method, path, body)
    if (status !== 200) throw new Error(`${method} ${path} is answered ${status}: ${text.slice(0, 300)}`)
    const got = JSON.parse(text) as unknown
    pool.harvest(area, got)
    return got
  }
  for (const path of ['notes.txt', 'sub', 'sub/new.md', 'a.zip', 'b.zip', 'a.tar', 'bad.docx', 'picture.png', 'bytes.bin']) pool.add('files.path', path)
  for (const section of ['memory', 'user', 'soul']) pool.add('memory.section', section)
  for (const message of ['words=5 tools=1', 'words=3 ask', 'words=3 question', 'words=200']) {
    const { session } = await asked('sessions', 'POST', '/api/session/new', {})
    const { stream_id: stream } = await asked('chat', 'POST', '/api/chat/start', { session_id: session.session_id, message })
    const untilMs = performance.now() + turnLimitMs
    while (!/ask|question/.test(message) && performance.now() < untilMs) {
      if (!(await asked('chat', 'GET', `/api/chat/stream/status?stream_id=${stream as string}`)).active) break
      await delay(20)
    }
    await asked('sessions', 'GET', `/api/session?session_id=${session.session_id as string}`)
  }
  const { session } = await asked('sessions', 'POST', '/api/session/new', {})
  await asked('sessions', 'POST', '/api/session/share', { session_id: session.session_id })
  await asked('projects', 'POST', '/api/projects/create', { name: 'Work' })
  await asked('crons', 'POST', '/api/crons/create', { prompt: 'words=3', schedule: '0 9 * * *' })
  await asked('skills', 'POST', '/api/skills/save', { name: 'tidy', content: '---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n' })
  await asked('personalities', 'POST', '/api/personality/save', { name: 'brief', prompt: 'Be brief.' })
  await asked('profiles', 'POST', '/api/profile/create', { name: 'other' })
  for (const path of ['/api/prompts', '/api/models', '/api/providers', '/api/git/branches', '/api/git/log', '/api/mcp/servers', '/api/profiles', '/api/list']) {
    await asked(path.split('/')[2] ?? '', 'GET', `${path}?session_id=${session.session_id as string}`)
  }
}
