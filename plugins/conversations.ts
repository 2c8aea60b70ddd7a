import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { systemPrompt } from '../services/agent/index.js'
import { priceOf } from '../services/agent/providers/index.js'
import { createChat, createTurnStore, recoverStreams, type Chat, type ModelChoice } from '../services/chat/index.js'
import { createPrompts, type Prompts } from '../services/prompts/index.js'
import { createSessions, type Sessions } from '../services/sessions/index.js'
import { ensureWorkspace } from '../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    sessions: Sessions
    prompts: Prompts
    chat: Chat
    /** Real path of the folder new sessions work in. */
    defaultWorkspace (): string
  }
}

const modelWaitMs = 8_000
const stepsPerTurn = 100
const clarifyTimeoutS = 120

/** Sessions, what waits on the user, and turns, wired together; and what a crash has left of them put in order. */
export default fp(async (app: FastifyInstance) => {
  const { db, events, journal, clock, agent, models, profiles, config } = app
  const workspace = await ensureWorkspace(config.defaultWorkspace)
  app.decorate('defaultWorkspace', () => workspace)

  const sessions = createSessions({ db, events, clock, defaultModel: (profile) => app.defaultModels.of(profile) })
  const prompts = createPrompts({
    db,
    events,
    clock,
    agent,
    changed: sessions.changed,
    allowAlways: async (profile, patternKeys) => {
      try {
        await profiles.allowPattern(profile, patternKeys)
      } catch (error) {
        // The answer itself stands; the grant lasts for the session instead of for good.
        app.log.error({ err: error, profile }, 'a permanent grant could not be written to config.yaml')
      }
    }
  })

  async function chooseModel (profile: string, wanted: { model?: string, provider?: string }): Promise<ModelChoice> {
    const choice = await models.choose(profile, wanted, modelWaitMs)
    if ('error' in choice) return choice
    const { entry, model } = choice
    return {
      label: model.label,
      contextLength: model.contextLength,
      cost: model.cost,
      ref: {
        provider: entry.id,
        id: model.id,
        ...(model.maxOutputTokens === null ? {} : { maxOutputTokens: model.maxOutputTokens }),
        ...(model.contextLength === null ? {} : { contextLength: model.contextLength }),
        ...(entry.isSelfHosted && entry.baseUrl !== null ? { baseUrl: entry.baseUrl } : {})
      }
    }
  }

  const recording = { db, store: createTurnStore(db), events, journal, clock, sessions, prompts, price: priceOf }
  const chat = createChat({
    ...recording,
    agent,
    chooseModel,
    effort: models.effort,
    systemPrompt: async (session) => {
      const { home } = profiles.get(session.profile) ?? { home: config.home }
      const memory = (profiles.settings(session.profile).config.memory ?? {}) as Record<string, unknown>
      return await systemPrompt({
        profileHome: home,
        workspace: session.workspace,
        botName: config.botName,
        today: new Date(clock.now()).toISOString().slice(0, 10),
        memoryEnabled: memory.memory_enabled !== false,
        userProfileEnabled: memory.user_profile_enabled !== false
      })
    },
    allowedPatterns: (profile) => profiles.allowedPatterns(profile),
    titleModel: async (profile) => {
      const slot = ((profiles.settings(profile).config.auxiliary ?? {}) as Record<string, Record<string, unknown>>).title_generation ?? {}
      const choice = await chooseModel(profile, {
        model: typeof slot.model === 'string' ? slot.model : undefined,
        provider: typeof slot.provider === 'string' ? slot.provider : undefined
      })
      return 'error' in choice || choice.ref.provider === 'offline-demo' ? null : choice.ref
    },
    limits: { steps: stepsPerTurn, clarifyTimeoutS },
    log: (message, details) => app.log.warn(details, message)
  })
  app.decorate('sessions', sessions)
  app.decorate('prompts', prompts)
  app.decorate('chat', chat)

  const interrupted = recoverStreams({ ...recording, onRefused: () => {} })
  if (interrupted > 0) app.log.warn({ turns: interrupted }, 'turns that a crash had interrupted were closed')

  // Before connections are closed: each turn gets its honest end, then each open stream its farewell.
  app.addHook('preClose', async () => {
    chat.shutdown()
    app.endEventStreams()
  })
  app.addHook('onReady', async () => { void app.defaultModels.refresh(profiles.active()) })
}, { name: 'conversations', dependencies: ['agent', 'events'] })
