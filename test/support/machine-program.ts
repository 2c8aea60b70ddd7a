import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { asset } from '../../services/ground/assets.js'
import { type TestLike } from './app.js'

export interface Program { pid: number, output (): string, end (signal?: NodeJS.Signals): Promise<number | string>, exited: Promise<number | string> }

/** Starts the program of a machine, from dist. */
export function program (t: TestLike, folder: string, args: string[], env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [asset('dist/machine/main.js'), ...args], {
    cwd: folder, env: { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home'), SVC_WEBUI_PROBE_LOCAL: '0', SVC_WEBUI_SANDBOX: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const channel of [child.stdout, child.stderr]) channel.setEncoding('utf8').on('data', (text: string) => { output += text })
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const end = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<number | string> => {
    child.kill(signal)
    return await exited
  }
  t.teardown(async () => await end())
  return { pid: child.pid!, output: () => output, exited, end }
}
