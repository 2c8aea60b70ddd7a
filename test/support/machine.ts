import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAnswers } from '../../machine/answers.js'
import { serveQuestions } from '../../machine/questions.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { setUp, setUpObjects } from '../../services/ground/nats/setup.js'
import { type TestLike, type TestService } from './app.js'
import { type NatsServer } from './nats.js'

export interface TestMachine {
  name: string
  link: NatsLink
  /** The folder that it offers for workspaces. */
  opened: string
  /** Beside it, and not offered. */
  closed: string
  stateDir: string
  /** Creates a folder in the offered one; returns its path there. */
  folder (name: string): string
  /** Stops answering until it is back. */
  leave (): void
  comeBack (): Promise<void>
}

const limits = { runsMb: 16, objectsMb: 16 }

/** Creates a machine that has joined a service, and answers questions about its folders; it runs nothing. */
export async function joinMachine (t: TestLike, server: NatsServer, service: TestService, name = 'big'): Promise<TestMachine> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'machine-')))
  t.teardown(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const [opened, closed, stateDir] = ['opened', 'closed', 'state'].map((each) => join(home, each)) as [string, string, string]
  for (const path of [opened, closed, stateDir]) mkdirSync(path)
  const ours = await server.link()
  await setUp(ours, limits)
  await setUpObjects(ours, name, limits)
  service.app.machines.reachBy({ link: async () => ours, names: () => [name] })
  service.app.machines.listen(ours)
  const link = await server.link()
  const answers = createAnswers({ name, workspaces: [opened], stateDir, reserved: [stateDir] })
  const serve = () => serveQuestions({ link, machine: name, answers, log: () => {} })
  let serving = serve()
  await link.nc.flush()
  return {
    name,
    link,
    opened,
    closed,
    stateDir,
    folder (below) {
      const path = join(opened, below)
      mkdirSync(path, { recursive: true })
      return path
    },
    leave: () => serving.stop(),
    async comeBack () {
      serving = serve()
      await link.nc.flush()
    }
  }
}
