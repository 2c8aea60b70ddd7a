import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { hostField } from '../../services/ground/location.js'
import {
  createCommitMessages, createEmbeddedGit, createEngineChoice, createGit, createSystemGit, embeddedGitVersion, type CommitMessagesOptions,
  type EngineName, type Git
} from '../../services/workspace/git/index.js'

declare module 'fastify' {
  interface FastifyInstance { git: Git }
}

interface GitPluginOptions {
  /** Use this engine, whatever the machine has. */
  gitEngine?: EngineName
}

/** A little more than the model itself is given. */
const messageLimitMs = 70_000

/** Git in the folders of conversations: with the system's git, or an embedded engine where there is none. */
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
}, { name: 'git', dependencies: ['config', 'profiles', 'models', 'agent', 'workers', 'sessions', 'workspace', 'budgets', 'chat'] })

/** What a model of the session's profile says about changes; null when there is none. Throws Conflict when the budget is used up. */
export function askForMessage ({ agent, budgets, models, profiles, sessions }: FastifyInstance): CommitMessagesOptions['ask'] {
  return async (sessionId, material) => {
    const { profile, model, modelProvider, workspace } = sessions.isForeign(sessionId)
      ? { profile: profiles.active(), model: null, modelProvider: null, workspace: '' }
      : sessions.get(sessionId)
    const choice = await models.chooser.auxiliary(profile, 'commit_message', {
      model: model ?? undefined, provider: modelProvider ?? undefined
    })
    // The demo understands nothing, so it has nothing to say about changes.
    if ('error' in choice || choice.ref.provider === 'offline-demo') return null
    const account = { profile, ...(sessions.isForeign(sessionId) ? {} : { session: sessionId }) }
    budgets.assertLeft(account)
    const task = { task: 'commit_message', model: choice.ref, input: material } as const
    return await agent.aux({ profile, ...hostField(workspace) }, task, messageLimitMs, budgets.counting('commit_message', account, choice))
  }
}
