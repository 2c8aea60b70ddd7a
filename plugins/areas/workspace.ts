import { type FastifyInstance, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { mayUse } from '../../services/areas/auth/index.js'
import { Forbidden } from '../../services/ground/errors.js'
import { remoteFolder } from '../../services/ground/remote-folder.js'
import { createForgetting } from '../../services/areas/machines/index.js'
import { createWorkspace, ensureWorkspace, type Workspace } from '../../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance { workspace: Workspace }
  interface FastifyRequest {
    /**
     * Returns the folder that a client names for a conversation, as `workspace.folder` does. Throws Invalid, Unavailable for a folder of a
     * machine that is away, and Forbidden when a token may not choose it.
     */
    workspaceFolder (path: string, sessionId?: string): Promise<string>
  }
}

/** How long suggestions may take: a person is typing meanwhile. */
const suggestMs = 2_000

/** The folders that conversations work in. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, config, machines, profiles, sessions, settings } = app
  const reserved = [config.stateDir, config.backup.folder, ...(config.nats?.credentials === undefined ? [] : [config.nats.credentials])]
  app.decorate('workspace', createWorkspace({
    db,
    clock,
    defaultFolder: config.defaultWorkspace,
    fallback: await ensureWorkspace(config.defaultWorkspace, reserved),
    chosenFolder: () => settings.values().default_workspace,
    reserved,
    userHome: config.userHome,
    folderOf: sessions.folderOf,
    homes: profiles.homes,
    lastUsed: sessions.rows.lastWorkspace,
    remote: {
      machines: machines.names,
      folder: async ({ machine, path }, { create }) => (await machines.ask(machine, 'folder', { path, ...(create ? { create } : {}) })).path,
      suggest: async ({ machine, path }) => await machines.ask(machine, 'suggest', { prefix: path }, { timeoutMs: suggestMs })
    }
  }))
  app.decorateRequest('workspaceFolder', async function (this: FastifyRequest, path, sessionId) {
    // Already checked when it was given to the session. If its machine is away now, the turn reports that.
    if (sessionId !== undefined && remoteFolder(path) !== null && sessions.folderOf(sessionId).workspace === path) return path
    const folder = await app.workspace.folder(path)
    if (mayUse(this.operator, 'admin')) return folder
    // Any other folder would let a token that may only chat read any folder of the machine.
    if (app.workspace.list(this.activeProfile()).some((listed) => listed.path === folder) ||
      (sessionId !== undefined && sessions.folderOf(sessionId).workspace === folder)) return folder
    throw new Forbidden('This token may only use the folders that GET /api/workspaces lists', 'scope_too_narrow', {
      scope: this.operator?.scope, needed_scope: 'admin'
    })
  })
  const forgetting = createForgetting({ asking: machines, has: sessions.has, log: (message, details) => app.log.warn(details, message) })
  sessions.on('removed', forgetting.removed)
  machines.presence.on('changed', ({ name, state }) => { if (state === 'ready') void forgetting.joined(name) })
  settings.vet('default_workspace', async (path) =>
    path === app.workspace.defaultFolder ? settings.values().default_workspace : await app.workspace.typed(String(path)))
}, { name: 'workspace', dependencies: ['config', 'database', 'machines', 'profiles', 'sessions', 'settings'] })
