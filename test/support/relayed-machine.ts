import { type FastifyInstance } from 'fastify'
import { createHostApp, type HostApp } from '../../host/app.js'
import { serveHttp } from '../../host/serve-http.js'
import { type Config } from '../../plugins/config.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { type RelayOptions } from '../../services/relay/index.js'
import { type TestLike } from './app.js'
import { startNats, type NatsServer } from './nats.js'
import { checkWire } from './wire.js'

export interface TestMachine {
  relay: RelayOptions
  host: HostApp
  nats: NatsServer
  link: NatsLink
  /** Says nothing any more, as one that was killed. */
  stop (): void
  /** Has every session of a service work on this machine, whoever gives it its folder. */
  take (app: FastifyInstance): void
  /** Requests that it is answering. */
  size (): number
  leave (): Promise<void>
}

/** A machine in this process that has joined a service over a real server; what it answers is held against the same schemas. */
export async function joinMachine (t: TestLike, { name, folder, config, server }: { name: string, folder: string, config: Config, server?: NatsServer }): Promise<TestMachine> {
  const nats = server ?? await startNats(t)
  const [near, far] = [await nats.link({ name: 'service' }), await nats.link({ name })]
  const host = await createHostApp({
    // As of the service itself: what stays closed there stays closed here.
    stateDir: config.stateDir,
    home: config.home,
    workspaces: [folder],
    maxUploadBytes: config.maxUploadBytes,
    gitReadonly: config.gitReadonly,
    env: config.env,
    prepare: (app) => checkWire(app, t)
  })
  const serving = serveHttp(far, name, host, { log: () => {} })
  let isOver = false
  return {
    relay: { link: () => near },
    host,
    nats,
    link: near,
    stop: serving.stop,
    take ({ db: { sqlite }, files }) {
      // What tests wait for happens there.
      files.trash = host.app.files.trash
      for (const [event, when] of [['insert', 'after insert'], ['update', 'after update of workspace']]) {
        sqlite.exec(`create temp trigger machine_${event} ${when} on sessions when new.workspace like '/%' begin update sessions set workspace = '${name}:' || new.workspace where id = new.id; end`)
      }
    },
    size: serving.size,
    async leave () {
      if (isOver) return
      isOver = true
      serving.stop()
      await host.close()
    }
  }
}
