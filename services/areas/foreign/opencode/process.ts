import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Readable, type Writable } from 'node:stream'
import { asset, fromSource } from '../../../ground/assets.js'
import { createQueue } from '../../../ground/concurrency/queue.js'
import { Unavailable } from '../../../ground/errors.js'
import { type Answer, type Ask } from './reading.js'

/** If an answer takes longer, the file contains something that is not OpenCode's. */
const answerMs = 10_000
const idleMs = 5_000
const longestAnswer = 64 * 1024 * 1024

const missing = (why: string): Unavailable => new Unavailable(`The database of OpenCode cannot be read: ${why}`)

/** Communicates with the program that reads databases, which is started when needed and ends when idle. */
export function createDatabaseReader () {
  const queue = createQueue()
  let child: ChildProcessByStdio<Writable, Readable, null> | null = null
  let idle: NodeJS.Timeout | undefined

  function end (): void {
    clearTimeout(idle)
    child?.kill('SIGKILL')
    child = null
  }

  function started (): ChildProcessByStdio<Writable, Readable, null> {
    clearTimeout(idle)
    if (child !== null) return child
    const entry = asset(`services/areas/foreign/opencode/main.${fromSource ? 'ts' : 'js'}`)
    // Nothing of the service's environment is passed on, except where the loader of sources needs it.
    const env = fromSource ? {} : { env: { LC_ALL: 'C.UTF-8' } }
    const made = spawn(process.execPath, ['--max-old-space-size=256', ...(fromSource ? process.execArgv : []), entry], {
      cwd: '/', ...env, stdio: ['pipe', 'pipe', 'ignore']
    })
    made.stdin.on('error', () => {})
    made.stdout.on('error', () => {})
    const over = (): void => { if (child === made) child = null }
    made.once('exit', over)
    made.once('error', over)
    child = made
    return made
  }

  async function answer (ask: Ask): Promise<string> {
    const asked = started()
    return await new Promise<string>((resolve, reject) => {
      const lines = createInterface({ input: asked.stdout })
      let received = 0
      const settle = (why: string | null, line = ''): void => {
        clearTimeout(timer)
        asked.stdout.off('data', count)
        asked.off('exit', gone)
        asked.off('error', gone)
        lines.close()
        if (why === null) return resolve(line)
        end()
        reject(missing(why))
      }
      const gone = (): void => settle('its reader has ended')
      const count = (chunk: Buffer): void => {
        received += chunk.length
        if (received > longestAnswer) settle('it says too much')
      }
      const timer = setTimeout(() => settle('it takes too long'), answerMs)
      asked.once('exit', gone)
      asked.once('error', gone)
      asked.stdout.on('data', count)
      lines.once('line', (line) => settle(null, line))
      asked.stdin.write(`${JSON.stringify(ask)}\n`)
    })
  }

  return {
    /** Asks one question at a time. Throws Unavailable. */
    async ask (ask: Ask): Promise<Exclude<Answer, { failure: string }>> {
      return await queue('', async () => {
        try {
          const found: Answer = JSON.parse(await answer(ask))
          if ('failure' in found) throw missing(found.failure)
          return found
        } finally {
          idle = setTimeout(end, idleMs).unref()
        }
      })
    },
    close: end
  }
}

export type DatabaseReader = ReturnType<typeof createDatabaseReader>
