import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openLink, type NatsLink, type NatsOptions } from '../../services/ground/nats/link.js'
import { type TestLike } from './app.js'
import { freePort } from './listening.js'

export interface NatsServer {
  url: string
  port: number
  pid: () => number
  /** Ends the server: SIGKILL by default. Its stored data stays. */
  stop (signal?: NodeJS.Signals): Promise<void>
  /** Starts it again, on the same port with its stored data; `isEmpty`: without it. */
  start (options?: { isEmpty?: boolean }): Promise<void>
  /** Reloads it with other lines of configuration. */
  reload (configuration: string): void
  /** Sets other lines of its configuration for the next start. */
  configure (configuration: string): void
  link (options?: Partial<NatsOptions>): Promise<NatsLink>
}

/**
 * Starts a real nats-server with JetStream, ended with the test. `configuration`: lines of its configuration file, for accounts, limits and
 * TLS. Tests that use it begin with `needs('nats-server')`.
 */
export async function startNats (t: TestLike, { configuration = '' }: { configuration?: string } = {}): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'nats-'))
  const port = await freePort()
  const file = join(folder, 'server.conf')
  const store = join(folder, 'store')
  const configure = (more: string): void => writeFileSync(file, `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(store)} }\n${more}\n`)
  configure(configuration)
  let child: ChildProcess | null = null
  const links: NatsLink[] = []
  const server: NatsServer = {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: () => child!.pid!,
    configure,
    async stop (signal = 'SIGKILL') {
      const ending = child
      child = null
      if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
      const ended = once(ending, 'exit')
      ending.kill(signal)
      await ended
    },
    async start ({ isEmpty = false } = {}) {
      if (isEmpty) rmSync(store, { recursive: true, force: true, maxRetries: 5 })
      child = spawn('nats-server', ['-c', file], { stdio: 'ignore' })
      while (!await answers(port)) {
        if (child.exitCode !== null) throw new Error('nats-server did not start')
        await delay(20)
      }
    },
    reload (configuration) {
      configure(configuration)
      child?.kill('SIGHUP')
    },
    async link (options = {}) {
      const link = await openLink({ urls: [server.url], prefix: 'agents', inbox: '_INBOX', name: 'test', ...options })
      links.push(link)
      return link
    }
  }
  t.teardown(async () => {
    for (const link of links) await link.close().catch(() => {})
    await server.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  await server.start()
  return server
}

async function answers (port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', () => { socket.destroy(); resolve(true) })
    socket.on('error', () => resolve(false))
  })
}
