import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench } from './context.js'
import { load } from './load.js'
import { startService } from './processes.js'
import { median } from './report.js'
import { workspaceOf } from './seed.js'
import { call, newSession } from './wire.js'

const tracked = 5_000
const dirty = 300
const untracked = 1_000
const perFolder = 50

/** Measures git in a repository of 5,000 tracked files, 300 of them dirty, and 1,000 untracked ones, against git itself. */
export async function gitRows ({ report, quick, ...bench }: Bench): Promise<void> {
  const folder = workspaceOf(bench.home)
  prepare(folder)
  const service = await startService(bench)
  try {
    const id = await newSession(service.url)
    const url = (path: string) => `${service.url}/api/${path}?session_id=${id}`
    const rounds = quick ? 15 : 40
    const direct: number[] = []
    const here: number[] = []
    const touched = join(folder, 'folder-0', 'file-0.txt')
    for (let round = 0; round < rounds; round++) {
      // Another size each time, so that neither can use a cache; alternating, because the load of the machine varies.
      writeFileSync(touched, 'x'.repeat(round + 1))
      direct.push(await timed(async () => await statusItself(folder)))
      writeFileSync(touched, 'y'.repeat(rounds + round + 1))
      here.push(await timed(async () => { await call(url('git/status')) }))
    }
    const itself = median(direct)
    const measure = `GET /api/git/status, ${tracked} files, ${dirty} dirty, ${untracked} untracked, just changed`
    report.add({
      measure, value: median(here), unit: 'ms', bare: itself, promise: { most: 1.5 * itself },
      note: 'bare: git status --porcelain=v2; here with lines of each file'
    })

    const seconds = quick ? 2 : 4
    await call(url('git-info'))
    const counts: number[] = []
    for (let round = 0; round < 200; round++) counts.push(await timed(async () => { await call(url('git-info')) }))
    report.add({
      measure: 'GET /api/git-info, nothing changed', value: median(counts), unit: 'ms', promise: { most: 2 },
      note: 'median of 200, client included'
    })
    const many = await load({ url: url('git-info'), connections: 1, seconds })
    report.add({ measure: '… c=1', value: many.perSecond, unit: '/s', bare: 1_000 / itself, promise: { least: 500 } })
    const unchanged = await load({ url: url('git/status'), connections: 10, seconds })
    report.add({
      measure: 'GET /api/git/status, nothing changed, c=10', value: unchanged.perSecond, unit: '/s', bare: 1_000 / itself,
      promise: { least: 2_000 }, note: `p99 ${unchanged.p99} ms`
    })
  } finally {
    await service.stop()
  }
}

function prepare (folder: string): void {
  mkdirSync(folder, { recursive: true })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', ...args], { cwd: folder })
  git('init', '--quiet')
  const write = (name: string, index: number, text: string): void => {
    const place = join(folder, `folder-${Math.floor(index / perFolder)}`)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, `${name}-${index}.txt`), text)
  }
  const text = 'A line of text that stands here.\n'.repeat(40)
  for (let index = 0; index < tracked; index++) write('file', index, text)
  git('add', '.')
  git('commit', '--quiet', '-m', 'All of them')
  for (let index = 0; index < dirty; index++) write('file', index * Math.floor(tracked / dirty), `${text}and one more\n`)
  for (let index = 0; index < untracked; index++) write('new', index * (tracked / untracked), text)
}

async function statusItself (folder: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn('git', ['status', '--porcelain=v2', '--branch', '--untracked-files=all', '-z'], {
      cwd: folder, env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' }, stdio: ['ignore', 'pipe', 'inherit']
    })
    child.stdout.resume()
    child.on('error', reject)
    child.on('close', (code) => code === 0 ? resolve() : reject(new Error(`git status ended with ${code}`)))
  })
}

async function timed (work: () => Promise<void>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
