import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { isNoModel } from '../../services/areas/small-tasks/index.js'
import {
  createCommitMessages, createEmbeddedGit, createEngineChoice, createGit, createSystemGit, embeddedGitVersion, type CommitMessagesOptions,
  type EngineName, type Git
} from '../../services/workspace/git/index.js'

declare module 'fastify' {
  interface FastifyInstance { git: Git }
}

interface GitPluginOptions {
  /** Uses this engine, whatever the machine has. */
  gitEngine?: EngineName
}

/** Git in the folders of conversations: uses the system's git, or an embedded engine if the machine has none. */
export default fp<GitPluginOptions>(async (app: FastifyInstance, { gitEngine }) => {
  const { chat, clock, config, sessions, workers, workspace: { territories } } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const closed = (folder: string): readonly string[] => territories.around(folder).closed

  app.decorate('git', createGit({
    territories,
    choice: createEngineChoice({
      system: createSystemGit(),
      embedded: createEmbeddedGit({ workers, home: () => config.env.HOME ?? null, closed }),
      embeddedVersion: embeddedGitVersion,
      clock,
      ...(gitEngine === undefined ? {} : { force: gitEngine })
    }),
    isReadOnly: (sessionId) => sessions.isForeign(sessionId) || sessions.get(sessionId).readOnly,
    isLive: (sessionId) => chat.isLive(sessionId),
    readonly: config.gitReadonly,
    messages: createCommitMessages({
      ask: askForMessage(app),
      log
    }),
    log
  }))
  app.addHook('onClose', async () => { app.git.close() })
}, { name: 'git', dependencies: ['config', 'profiles', 'workers', 'sessions', 'workspace', 'chat', 'small-tasks'] })

/**
 * Returns a function that has a model of the session's profile describe changes. It resolves with null without such a model, and throws
 * Conflict when the budget is used up.
 */
export function askForMessage ({ profiles, sessions, smallTasks }: FastifyInstance): CommitMessagesOptions['ask'] {
  return async (sessionId, material) => {
    const { profile, model, modelProvider, workspace } = sessions.isForeign(sessionId)
      ? { profile: profiles.active(), model: null, modelProvider: null, workspace: '' }
      : sessions.get(sessionId)
    return await smallTasks.run('commit_message', material, {
      account: { profile, ...(sessions.isForeign(sessionId) ? {} : { session: sessionId }) }, workspace,
      fallback: { model: model ?? undefined, provider: modelProvider ?? undefined }
    }).catch((error: unknown) => {
      if (isNoModel(error)) return null
      throw error
    })
  }
}
