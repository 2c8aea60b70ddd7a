import t from '#test'
import { createMachineApp } from '../../machine/app.js'
import { type SharedApp, type SharedPorts, type SharedRoutes } from '../../plugins/ground/shared-app.js'
import sessionRoutes from '../../routes/sessions.js'
import { start } from '../support/app.js'

const ports: Record<keyof SharedPorts, true> = {
  config: true,
  db: true,
  clock: true,
  events: true,
  workers: true,
  idempotency: true,
  profiles: true,
  sessions: true,
  workspace: true,
  files: true,
  git: true,
  checkpoints: true
}

/** For the type check: each line that is expected to be an error must be one. */
function nothingElseCompiles (app: SharedApp): SharedRoutes {
  void app.sessions.has
  // @ts-expect-error -- a machine knows no rows of sessions
  void app.sessions.get
  // @ts-expect-error -- a machine listens on no port
  void app.config.port
  // @ts-expect-error -- a machine chooses no profile
  void app.profiles.clientProfile
  // @ts-expect-error -- a machine has no chat
  void app.chat
  // @ts-expect-error -- these use what a machine does not have
  return sessionRoutes
}

t.test('a machine offers shared routes all that their type promises, and answers every route that is relayed', async (t) => {
  t.type(nothingElseCompiles, 'function')
  const folder = t.testdir({ opened: {}, state: {} })
  const answered = new Set<string>()
  const { app, close } = await createMachineApp({
    stateDir: `${folder}/state`,
    home: `${folder}/home`,
    workspaces: [`${folder}/opened`],
    maxUploadBytes: 1,
    env: {},
    prepare: (app) => app.addHook('onRoute', ({ method, url, config }) => { if (config?.relay !== undefined) answered.add(`${String(method)} ${url}`) })
  })
  t.teardown(close)
  for (const name of Object.keys(ports) as Array<keyof SharedPorts>) t.ok(app[name], name)
  const { routes } = await start(t)
  const relayed = routes.filter(({ isRelayed }) => isRelayed).map(({ method, url }) => `${method} ${url}`)
  t.ok(relayed.includes('GET /api/file/raw'))
  t.same([...answered].sort(), relayed.sort())
})
