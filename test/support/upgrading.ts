import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { asset } from '../../services/ground/assets.js'
import { type TestLike } from './app.js'

/** Starts the built service on a port, without waiting until it is up. */
export function startServer (t: TestLike, folder: string, port: number) {
  const child = spawn(process.execPath, [asset('dist/server.js')], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      SVC_HOME: join(folder, 'home'),
      SVC_WEBUI_DEFAULT_WORKSPACE: join(folder, 'workspace'),
      SVC_WEBUI_PORT: String(port),
      SVC_WEBUI_PROBE_LOCAL: '0',
      SVC_WEBUI_SANDBOX: '0',
      SVC_WEBUI_BACKUP_HOURS: '0'
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  for (const channel of [child.stdout, child.stderr]) channel.setEncoding('utf8').on('data', (text: string) => { output += text })
  const exited = once(child, 'exit')
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill)
  return { kill, output: () => output }
}
