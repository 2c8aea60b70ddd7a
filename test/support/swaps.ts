import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestLike } from './app.js'

const swapper = `
  const { renameSync } = require('node:fs')
  process.chdir(process.argv[1])
  let swaps = 0
  let stopping = false
  process.stdin.on('data', () => { stopping = true })
  // Whoever started it has gone without a word.
  process.stdin.on('end', () => { if (!stopping) process.exit() })
  // A folder that is made in the moment when there is none is put aside.
  const put = (name) => {
    try {
      renameSync(name, 'swap')
    } catch (error) {
      if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
      renameSync('swap', 'made' + swaps + name)
      put(name)
    }
  }
  const round = () => {
    for (let i = 0; i < 250; i++) {
      renameSync('swap', 'aside')
      put('trap')
      renameSync('swap', 'trap')
      put('aside')
      swaps += 2
    }
    if (stopping && swaps >= 10000) return process.stdout.write(String(swaps), () => process.exit())
    setImmediate(round)
  }
  process.stdout.write('go')
  round()
`

/** A folder outside of the workspace that must stay unchanged. */
export interface Outside {
  path: string
  /** Everything in it: names, contents, modes. */
  look (): string[]
}

export function outsideOf (folder: string, files: Record<string, string>): Outside {
  const path = join(folder, 'outside')
  mkdirSync(path, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  const look = (): string[] => [`${statSync(path).mode}`, ...readdirSync(path, { recursive: true }).map(String).sort().map((name) => {
    const stats = statSync(join(path, name))
    return `${name} ${stats.mode} ${stats.ino} ${stats.isFile() ? readFileSync(join(path, name), 'utf8') : ''}`
  })]
  return { path, look }
}

/**
 * Makes another process put a symlink to `outside` in place of the workspace's folder `swap` and remove it again, without a pause, during
 * `work` and at least 10,000 times. Resolves to the number of swaps.
 */
export async function whileSwapping (t: TestLike, workspace: string, outside: string, work: () => Promise<void>): Promise<number> {
  symlinkSync(outside, join(workspace, 'trap'))
  const child = spawn(process.execPath, ['-e', swapper, workspace], { stdio: ['pipe', 'pipe', 'inherit'], env: {} })
  t.teardown(() => child.kill())
  let said = ''
  const started = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
  child.stdout.on('data', (chunk: Buffer) => { said += chunk.toString() })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  await started
  await work()
  child.stdin.end('stop')
  await ended
  return Number(said.replace('go', ''))
}
