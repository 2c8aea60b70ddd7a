import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createForeignSessions, createGuests, type Guests } from '../services/foreign/index.js'
import { createProjects, type Projects } from '../services/projects/index.js'
import { createSessions, createSessionWorktrees, remask, type SessionRow, type Sessions, type SessionWorktrees } from '../services/sessions/index.js'
import { createSettings, type Settings } from '../services/settings/index.js'
import { createShares, type Shares } from '../services/shares/index.js'
import { copyAttachments, ensureWorkspace, removeAttachments, workspaceFolder } from '../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    settings: Settings
    sessions: Sessions
    /** Sessions of other front ends of this machine. */
    guests: Guests
    /** It is a session of another front end, and none of ours: it can be read. */
    isGuest (id: string): boolean
    /** Makes a session of our own from one of another front end. */
    adopt (foreignId: string, wanted: { keep?: number, title?: string, profile: string }): Promise<SessionRow>
    projects: Projects
    shares: Shares
    worktrees: SessionWorktrees
    /** Real path of the folder new sessions work in. */
    defaultWorkspace (): string
  }
}

/** Other front ends do not tell when they have written something. */
const lookForGuestsEveryMs = 20_000

/** Conversations and what they are kept in: folders, worktrees, shared pages, and those of other front ends. */
export default fp(async (app: FastifyInstance) => {
  const { db, events, clock, profiles, config } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  remask(db)
  const workspace = await ensureWorkspace(config.defaultWorkspace)
  const settings = createSettings({ db, clock, changed: () => sessions.changed('settings') })
  const isMasked = () => settings.values().api_redact_enabled
  const foreign = createForeignSessions({ db, clock, home: config.userHome, log })
  const guests = createGuests({
    foreign,
    profile: () => profiles.active(),
    isMasked,
    isShown: (source) => {
      const { show_cli_sessions: all, show_claude_code_sessions: claudeCode } = settings.values()
      return all && (source !== 'claude_code' || claudeCode)
    }
  })
  const sessions = createSessions({
    db,
    events,
    clock,
    defaultModel: (profile) => app.defaultModels.of(profile),
    isMasked,
    pinLimit: () => settings.values().pinned_sessions_limit,
    isForeign: guests.has,
    foreign: guests.rows,
    attachments: {
      copy: (fromId, toId) => copyAttachments(config.stateDir, fromId, toId),
      remove: (id) => removeAttachments(config.stateDir, id)
    }
  })

  app.decorate('defaultWorkspace', () => workspace)
  app.decorate('settings', settings)
  app.decorate('sessions', sessions)
  app.decorate('guests', guests)
  app.decorate('isGuest', (id: string) => !sessions.has(id) && guests.has(id))
  app.decorate('projects', createProjects({ db, clock, changed: sessions.changed }))
  app.decorate('shares', createShares({ db, clock }))
  app.decorate('worktrees', createSessionWorktrees({ db, clock, sessions }))
  app.decorate('adopt', async (id: string, { profile, ...wanted }: { keep?: number, title?: string, profile: string }) => {
    const conversation = await guests.conversation(id)
    // Its folder may be gone, or be one that no session may work in.
    const folder = conversation.workspace === null ? workspace : await workspaceFolder(conversation.workspace, [config.stateDir, config.backup.folder]).catch(() => workspace)
    return await sessions.adopt(id, { ...conversation, workspace: folder, profile }, wanted)
  })

  async function lookForGuests (): Promise<void> {
    if (!settings.values().show_cli_sessions) return
    if (await guests.refresh()) sessions.changed('session_imported')
  }
  const look = (): void => {
    lookForGuests().catch((error: unknown) => log('sessions of other front ends could not be read', { reason: String(error) }))
  }
  const looking = setInterval(look, lookForGuestsEveryMs)
  looking.unref()
  app.addHook('onReady', async () => {
    look()
    sessions.sweep().catch((error: unknown) => log('what was left half made could not be removed', { reason: String(error) }))
  })
  app.addHook('preClose', async () => {
    clearInterval(looking)
    await foreign.stop()
  })
}, { name: 'sessions', dependencies: ['agent', 'events'] })
