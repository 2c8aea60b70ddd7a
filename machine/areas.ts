import { type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { join } from 'node:path'
import { type Config } from '../plugins/ground/config.js'
import { type SharedApp, type SharedPorts } from '../plugins/ground/shared-app.js'
import { Conflict, Invalid } from '../services/ground/errors.js'
import { createBroker, createJournal } from '../services/ground/events/index.js'
import { type Log } from '../services/ground/log.js'
import { knownSecrets, secretsOfSettings, secretsOfVariables } from '../services/ground/redaction/index.js'
import { createProfiles } from '../services/areas/profiles/index.js'
import { createCheckpoints } from '../services/workspace/checkpoints/index.js'
import {
  createCommitMessages, createEmbeddedGit, createEngineChoice, createGit, createSystemGit, embeddedGitVersion, type CommitMaterial
} from '../services/workspace/git/index.js'
import { createWorkspace, ensureWorkspace } from '../services/workspace/index.js'
import { type Guests } from './guests.js'
import { type RunningTurn } from './profile-process.js'

export type MachineConfig = SharedPorts['config'] & Pick<Config, 'home' | 'gitReadonly'> & {
  /** Files and folders that are closed, wherever they are. */
  reserved: string[]
}

/** Thrown to have a model of the service describe changes; the request is then sent again with the description. */
export class ModelQuestion extends Conflict {
  constructor (readonly material: CommitMaterial) { super('A model of the service is to be asked first') }
}

interface Context {
  config: MachineConfig
  guests: Guests
  /** Returns the running turns. */
  turns: () => RunningTurn[]
  log: Log
}

/** Offers a port to the shared routes and plugins. Fastify's types expect the service's whole object under such a name. */
function offer<Name extends keyof SharedPorts> (app: SharedApp, name: Name, port: SharedPorts[Name]): void {
  app.decorate<unknown, string>(name, port)
}

/** Creates a plugin under the name by which others depend on it. */
const named = (name: string, decorate: (app: SharedApp) => Promise<void>) => fp(decorate, { name })

/** Creates a plugin that offers a port under its name. */
export const offering = <Name extends keyof SharedPorts> (name: Name, port: SharedPorts[Name]) =>
  named(name, async (app) => offer(app, name, port))

/**
 * Replaces the service's areas, under their names: provides what the routes and plugins of a workspace need from them, from what the
 * service has told about the guest.
 */
export function areasOf ({ config, guests, turns }: Omit<Context, 'log'>) {
  return fp(async (app: SharedApp) => {
    const log: Log = (message, details) => app.log.warn(details, message)
    const context: Context = { config, guests, turns, log }
    await app.register(offering('events', createBroker({ db: app.db, journal: createJournal(app.db) })))
    await app.register(offering('sessions', sessionsOf(guests)))
    await app.register(named('profiles', async (app) => {
      const profiles = createProfiles({
        home: config.home,
        env: config.env,
        clock: app.clock,
        isolated: false,
        learned: ({ env, configAsWritten }) => knownSecrets.keep([...secretsOfVariables(env), ...secretsOfSettings(configAsWritten)]),
        log
      })
      for (const { name } of profiles.list()) profiles.settings(name)
      offer(app, 'profiles', profiles)
      app.decorateRequest('activeProfile', function (this: FastifyRequest) { return guests.current().profile })
      app.addHook('onClose', async () => profiles.close())
    }))
    await app.register(named('workspace', async (app) => await decorateWorkspace(app, context)))
    await app.register(named('git', async (app) => decorateGit(app, context)))
    await app.register(named('checkpoints', async (app) => decorateCheckpoints(app, context)))
  })
}

const sessionsOf = (guests: Guests): SharedPorts['sessions'] => ({
  // The service stores the attachments of conversations.
  has: () => false,
  folderOf: (id: string) => ({ workspace: guests.of(id).workspace, readOnly: guests.of(id).readOnly, isForeign: false }),
  mentions: (id: string) => guests.of(id).isMentioned,
  // Sessions are never removed here, so no event occurs.
  on: () => {}
})

async function elsewhere (): Promise<never> {
  throw new Invalid('A machine that joins only opens its own folders')
}

async function decorateWorkspace (app: SharedApp, { config, guests }: Context): Promise<void> {
  const { clock, db, profiles, sessions } = app
  // No conversation starts here, so there are no folders to offer, and only the guest's own is open.
  const nowhere = join(config.stateDir, 'nowhere')
  const workspace = createWorkspace({
    db,
    clock,
    defaultFolder: nowhere,
    // It is among the service's own folders, which cannot be workspaces.
    fallback: await ensureWorkspace(nowhere, []),
    chosenFolder: () => nowhere,
    reserved: config.reserved,
    userHome: config.home,
    folderOf: sessions.folderOf,
    homes: profiles.homes,
    lastUsed: () => undefined,
    // Every folder named here is on this machine.
    remote: { machines: () => [], folder: elsewhere, suggest: elsewhere }
  })
  workspace.list = () => {
    const { isKnown, workspace: path } = guests.current()
    return isKnown ? [{ path, name: '' }] : []
  }
  offer(app, 'workspace', workspace)
}

function decorateGit (app: SharedApp, { config, guests, turns, log }: Context): void {
  const { clock, workers, workspace: { territories } } = app
  offer(app, 'git', createGit({
    territories,
    choice: createEngineChoice({
      system: createSystemGit(),
      embedded: createEmbeddedGit({ workers, home: () => config.env.HOME ?? null, closed: (folder) => territories.around(folder).closed }),
      embeddedVersion: embeddedGitVersion,
      clock
    }),
    isReadOnly: (sessionId) => guests.of(sessionId).readOnly,
    // Only this machine knows of a turn that began while a request was waiting.
    isLive: (sessionId) => guests.of(sessionId).isLive || turns().some((turn) => turn.sessionId === sessionId),
    readonly: config.gitReadonly,
    messages: createCommitMessages({
      async ask (sessionId, material) {
        const { said } = guests.of(sessionId)
        if (said === undefined) throw new ModelQuestion(material)
        return said
      },
      log
    }),
    log
  }))
  app.addHook('onClose', async () => { app.git.close() })
}

function decorateCheckpoints (app: SharedApp, { config, turns, log }: Context): void {
  const { clock, db, workers } = app
  const working = () => turns().map(({ runId, workspace }) => ({ streamId: runId, workspace }))
  const checkpoints = createCheckpoints({ db, clock, workers, folder: join(config.stateDir, 'checkpoints'), env: config.env, working, log })
  offer(app, 'checkpoints', checkpoints)
  app.addHook('onReady', async () => checkpoints.begin())
  app.addHook('onClose', async () => await checkpoints.stop())
}
