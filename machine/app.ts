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
import gitHistoryRoutes from '../routes/git-history.js'
import gitRoutes from '../routes/git.js'
import { openDatabase, tables, type Database } from '../services/ground/database/index.js'
import { type Clock } from '../services/ground/time/clock.js'
import { asError, NotFound } from '../services/ground/errors.js'
import { questionHeader, type Guest } from '../services/areas/relay/index.js'
import { type Territory } from '../services/workspace/files/index.js'
import { areasOf, offering, ModelQuestion, type MachineConfig } from './areas.js'
import { createGuests } from './guests.js'
import { ask, type LocalRequest } from './in-process.js'
import { type RunningTurn } from './profile-process.js'

export interface MachineAppOptions {
  /** The machine's own data: its database, uploads that are being received, its checkpoints. */
  stateDir: string
  /** Files and folders that are closed, wherever they are. Default: `stateDir`. */
  reserved?: string[]
  /** The home of the profiles on this machine. */
  home: string
  /** Folders that may contain workspaces. */
  workspaces: readonly string[]
  /** Size of the largest file that may be uploaded. */
  maxUploadBytes: number
  mediaRoots?: string[]
  /** Whether git repositories may not be changed here. */
  gitReadonly?: boolean
  /** The environment of the program: PATH finds git, HOME its settings. */
  env: Record<string, string>
  /** Returns the running turns, including those that have begun since a request was sent. */
  turns?: () => RunningTurn[]
  clock?: Clock
  logger?: FastifyServerOptions['logger']
  /** Called with the bare instance before anything is registered; tests add their checks here. */
  prepare?: (app: FastifyInstance) => void
}

interface MachineRequest extends LocalRequest {
  /** The session of the request, as told by the service. */
  guest: Guest
}

export interface MachineApp {
  /** The app with its ports; `checkpoints` also takes those of runs. */
  readonly app: SharedApp
  /** Records a folder in which conversations work, so that what a crash leaves in it is removed when this machine starts. */
  remember (workspace: string): void
  /** Answers a request of the service. The caller must read or destroy the answer's body. */
  handle (request: MachineRequest): Promise<IncomingMessage>
  /** Returns the territory of a workspace. Throws Forbidden for one that this machine does not open, NotFound. */
  territory (workspace: string): Territory
  close (): Promise<void>
}

const guestHeader = 'x-guest'
const sharedRoutes: SharedRoutes[] = [
  fileRoutes, fileEditRoutes, fileTrashRoutes, uploadRoutes, gitRoutes, gitHistoryRoutes, gitChangeRoutes, checkpointRoutes
]

/**
 * Creates the interface of a machine: the service's routes that work in a workspace, with a database of the machine's own. It listens on
 * no port, and knows about sessions only what comes with each request.
 */
export async function createMachineApp (options: MachineAppOptions): Promise<MachineApp> {
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

/** Records workspaces in the database, because this machine has no rows of conversations that name them. */
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
      // A full disk must not prevent reading. The next request tries again.
    }
  }
}

/** Sends a question to a model of the service as a special answer, which the service handles and no client sees. */
function askBack (app: FastifyInstance): void {
  const questions = new WeakMap<FastifyRequest, ModelQuestion>()
  app.addHook('onError', async (request, reply, error) => {
    if (!(error instanceof ModelQuestion)) return
    questions.set(request, error)
    reply.header(questionHeader, 'commit_message')
  })
  app.addHook('onSend', async (request, _reply, payload) => {
    const question = questions.get(request)
    return question === undefined ? payload : JSON.stringify(question.material)
  })
}
