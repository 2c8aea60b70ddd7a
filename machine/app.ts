import fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions } from 'fastify'
import { type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { mkdirSync } from 'node:fs'
import { type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import bodies, { bodyLimits } from '../plugins/ground/bodies.js'
import database from '../plugins/ground/database.js'
import errors from '../plugins/ground/errors.js'
import files from '../plugins/areas/files.js'
import idempotency from '../plugins/ground/idempotency.js'
import serialization from '../plugins/ground/serialization.js'
import { type SharedApp, type SharedRoutes } from '../plugins/ground/shared-app.js'
import validation from '../plugins/ground/validation.js'
import warming from '../plugins/ground/warming.js'
import workers from '../plugins/ground/workers.js'
import checkpointRoutes from '../routes/checkpoints.js'
import fileEditRoutes from '../routes/files-editing.js'
import fileTrashRoutes from '../routes/files-trash.js'
import fileRoutes from '../routes/files.js'
import uploadRoutes from '../routes/files-uploads.js'
import gitChangeRoutes from '../routes/git-changes.js'
import gitRoutes from '../routes/git.js'
import { openDatabase, tables, type Database } from '../services/ground/database/index.js'
import { type Clock } from '../services/ground/clock.js'
import { asError, NotFound } from '../services/ground/errors.js'
import { questionHeader, type Guest } from '../services/areas/relay/index.js'
import { type Territory } from '../services/workspace/files/index.js'
import { areasOf, offering, Question, type MachineConfig } from './areas.js'
import { createGuests } from './guests.js'
import { ask, type LocalRequest } from './in-process.js'
import { type RunningTurn } from './profile-process.js'

export interface HostAppOptions {
  /** The machine's own: its database, what comes in, its checkpoints. */
  stateDir: string
  /** What stays closed, wherever it lies; the former where nothing is named. */
  reserved?: string[]
  /** The home of the profiles on this machine. */
  home: string
  /** Folders in which workspaces may lie. */
  workspaces: readonly string[]
  /** The largest file that may come in. */
  maxUploadBytes: number
  mediaRoots?: string[]
  /** Nothing here changes a git repository. */
  gitReadonly?: boolean
  /** The environment of the program: PATH finds git, HOME its settings. */
  env: Record<string, string>
  /** Turns at work here, also those that have begun since a request was sent. */
  turns?: () => RunningTurn[]
  clock?: Clock
  logger?: FastifyServerOptions['logger']
  /** Called with the bare instance before anything is registered; tests hang their checks in here. */
  prepare?: (app: FastifyInstance) => void
}

interface HostRequest extends LocalRequest {
  /** Whose request it is, as the service tells it. */
  guest: Guest
}

export interface HostApp {
  /** What has been registered: `checkpoints` takes those of runs. */
  readonly app: SharedApp
  /** Conversations work in this folder: what a crash leaves in it goes when this machine starts. */
  remember (workspace: string): void
  /** Answers a request of the service. Its body has to be read or destroyed. */
  handle (request: HostRequest): Promise<IncomingMessage>
  /** What may be seen of a workspace. Throws Forbidden for one that this machine does not open, NotFound. */
  territory (workspace: string): Territory
  close (): Promise<void>
}

const guestHeader = 'x-guest'
const sharedRoutes: SharedRoutes[] = [
  fileRoutes, fileEditRoutes, fileTrashRoutes, uploadRoutes, gitRoutes, gitChangeRoutes, checkpointRoutes
]

/**
 * The interface of a machine: those routes of the service that work in a workspace, with a database of the machine's own. It
 * listens nowhere, and knows of sessions what it is told with each request.
 */
export async function createHostApp (options: HostAppOptions): Promise<HostApp> {
  const { stateDir, home, env, reserved = [stateDir] } = options
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const guests = createGuests({ roots: options.workspaces, reserved })
  const arriving = new Map<string, Guest>()
  const db = openDatabase({ file: join(stateDir, 'machine.db') })
  const remember = rememberingFolders(db)
  const app = fastify({
    logger: options.logger ?? false, bodyLimit: bodyLimits.usual, genReqId: () => crypto.randomUUID(),
    routerOptions: { ignoreTrailingSlash: true }
  }).withTypeProvider<TypeBoxTypeProvider>()
  options.prepare?.(app)
  const config: MachineConfig = {
    stateDir, reserved, home, env, maxUploadBytes: options.maxUploadBytes, mediaRoots: options.mediaRoots ?? [],
    gitReadonly: options.gitReadonly ?? false
  }
  await app.register(errors)
  await app.register(offering('config', config))
  await app.register(database, { db, clock: options.clock })
  await app.register(idempotency)
  await app.register(bodies)
  await app.register(warming)
  await app.register(validation)
  await app.register(serialization)
  await app.register(workers)
  app.decorateRequest('operator', null)
  app.addHook('onRequest', (request, _reply, done) => {
    const guest = arriving.get(String(request.headers[guestHeader]))
    if (guest === undefined || request.routeOptions.config.relay === undefined) {
      return done(new NotFound('This machine has no such route'))
    }
    request.operator = { via: 'open', csrfToken: guest.client, ...(guest.scope !== undefined && { scope: guest.scope }) }
    try {
      guests.admit(guest)
      if (guest.isKnown) remember(guest.workspace)
    } catch (error) {
      return done(asError(error))
    }
    guests.during(guest, done)
  })
  askBack(app)
  await app.register(areasOf({ config, guests, turns: options.turns ?? (() => []) }))
  await app.register(files)
  for (const routes of sharedRoutes) await app.register(routes)
  await app.ready()

  return {
    app,
    remember,
    async handle ({ guest, ...request }) {
      const key = crypto.randomUUID()
      try {
        arriving.set(key, guest)
        return await ask(app.server, { ...request, headers: { ...request.headers, [guestHeader]: key } })
      } finally {
        arriving.delete(key)
      }
    },
    territory (workspace) {
      guests.assertOpen(workspace)
      return app.workspace.territories.around(workspace)
    },
    close: async () => await app.close()
  }
}

/** No conversation of this machine says where it works. */
function rememberingFolders ({ orm }: Database): (workspace: string) => void {
  const known = new Set<string>()
  return (workspace) => {
    if (known.has(workspace)) return
    try {
      orm.insert(tables.workspaces).values({
        profile: '', path: workspace, name: '', position: 0, createdAt: Date.now() / 1_000
      }).onConflictDoNothing().run()
      known.add(workspace)
    } catch {
      // A disk that is full keeps nobody from reading; the next request tries again.
    }
  }
}

/** A question to a model of the service is an answer of its own, which no client gets to see. */
function askBack (app: FastifyInstance): void {
  const questions = new WeakMap<FastifyRequest, Question>()
  app.addHook('onError', async (request, reply, error) => {
    if (!(error instanceof Question)) return
    questions.set(request, error)
    reply.header(questionHeader, 'commit_message')
  })
  app.addHook('onSend', async (request, _reply, payload) => {
    const question = questions.get(request)
    return question === undefined ? payload : JSON.stringify(question.material)
  })
}
