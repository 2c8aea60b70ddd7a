import { type FastifyInstance, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { mayUse } from '../../services/areas/auth/index.js'
import { Forbidden } from '../../services/ground/errors.js'
import { remoteFolder } from '../../services/ground/location.js'
import { createForgetting } from '../../services/areas/machines/index.js'
import { createWorkspace, ensureWorkspace, type Workspace } from '../../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance { workspace: Workspace }
  interface FastifyRequest {
    /**
     * Returns the folder that a client names for a conversation, as `workspace.folder` does. Throws Invalid, Unavailable if its machine is
     * away, and Forbidden if a token may not choose it.
     */
    workspaceFolder (path: string, sessionId?: string): Promise<string>
  }
}

/** Short, because a person is typing. */
const suggestMs = 2_000

/** The folders that conversations work in. */
export default fp(async (app: FastifyInstance) => {
  const { asking, db, clock, config, hosts, profiles, sessions, settings } = app
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
      hosts: asking.names,
      folder: async ({ host, path }, { create }) => (await asking.ask(host, 'folder', { path, ...(create ? { create } : {}) })).path,
      suggest: async ({ host, path }) => await asking.ask(host, 'suggest', { prefix: path }, { timeoutMs: suggestMs })
    }
  }))
  app.decorateRequest('workspaceFolder', async function (this: FastifyRequest, path, sessionId) {
    // The folder was checked when the session got it. If its machine is away now, the turn reports that.
    if (sessionId !== undefined && remoteFolder(path) !== null && sessions.folderOf(sessionId).workspace === path) return path
    const folder = await app.workspace.folder(path)
    if (mayUse(this.operator, 'admin')) return folder
    // With any other folder, a token with the scope `chat` could read every folder of the machine.
    if (app.workspace.list(this.activeProfile()).some((listed) => listed.path === folder) ||
      (sessionId !== undefined && sessions.folderOf(sessionId).workspace === folder)) return folder
    throw new Forbidden('This token may only use the folders that GET /api/workspaces lists', 'scope_too_narrow', {
      scope: this.operator?.scope, needed_scope: 'admin'
    })
  })
  const forgetting = createForgetting({ asking, has: sessions.has, log: (message, details) => app.log.warn(details, message) })
  sessions.on('removed', forgetting.removed)
  hosts.presence.on('changed', ({ name, state }) => { if (state === 'ready') void forgetting.joined(name) })
  settings.vet('default_workspace', async (path) =>
    path === app.workspace.defaultFolder ? settings.values().default_workspace : await app.workspace.typed(String(path)))
}, { name: 'workspace', dependencies: ['asking', 'config', 'database', 'hosts', 'profiles', 'sessions', 'settings'] })
