import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { boundaryFolder, systemPrompt } from '../services/agent/index.js'
import { type RunSpec } from '../services/agent/protocol.js'
import { priceOf } from '../services/providers/index.js'
import { createChat, createCompression, createTurnCheckpoints, createTurnStore, type Chat, type Compression, type Turn } from '../services/chat/index.js'
import { createGoals, type Goals } from '../services/goals/index.js'
import { createPrompts, type Prompts } from '../services/prompts/index.js'
import { warmStreamMasks } from '../services/ground/redaction/index.js'
import { createBackground, createBtw, createDelegation, type Background, type Btw, type Delegation } from '../services/side-turns/index.js'
import { attachmentFolder } from '../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    prompts: Prompts
    chat: Chat
    goals: Goals
    compression: Compression
    btw: Btw
    background: Background
    delegation: Delegation
  }
}

const stepsPerTurn = 100
const judgeLimitMs = 40_000
/** A person, or the client that was told to go on, may speak first. */
const continueGoalAfterMs = 1_000
const sweepEveryMs = 60_000
/** The start comes first. */
const warmAfterMs = 300

/** What waits on the user, turns, and what runs beside them, wired together; and what a crash has left of them put in order. */
export default fp(async (app: FastifyInstance) => {
  const { db, events, journal, clock, agent, models, modelChooser, profiles, sessions, config } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const prompts = createPrompts({
    db,
    events,
    clock,
    agent,
    changed: sessions.changed,
    shown: sessions.shown,
    allowAlways: async (profile, patternKeys) => {
      try {
        await profiles.allowPattern(profile, patternKeys)
      } catch (error) {
        // The answer itself stands; the grant lasts for the session instead of for good.
        app.log.error({ err: error, profile }, 'a permanent grant could not be written to config.yaml')
      }
    }
  })

  const store = createTurnStore(db)
  const chat: Chat = createChat({
    db,
    store,
    events,
    journal,
    clock,
    sessions,
    prompts,
    agent,
    price: priceOf,
    chooseModel: modelChooser.choose,
    rules: (profile) => {
      const rules = profiles.rules(profile)
      return { ...rules, sandbox: config.sandbox === 'off' ? 'off' : rules.sandbox, effort: models.effort(profile) }
    },
    attachmentFolder: (sessionId) => attachmentFolder(config.stateDir, sessionId),
    systemPrompt: async (session) => {
      const { home } = profiles.get(session.profile) ?? { home: config.home }
      const memory = (profiles.settings(session.profile).config.memory ?? {}) as Record<string, unknown>
      return await systemPrompt({
        profileHome: home,
        workspace: session.workspace,
        botName: config.botName,
        today: new Date(clock.now()).toISOString().slice(0, 10),
        memoryEnabled: memory.memory_enabled !== false,
        userProfileEnabled: memory.user_profile_enabled !== false,
        boundaryFolder: boundaryFolder(config.stateDir)
      })
    },
    titleModel: async (profile) => {
      const choice = await modelChooser.auxiliary(profile, 'title_generation')
      return 'error' in choice || choice.ref.provider === 'offline-demo' ? null : choice.ref
    },
    steps: stepsPerTurn,
    log,
    afterDone: async (turn, tell) => await goals.afterDone({ sessionId: turn.sessionId, kind: turn.plan.kind }, turn.recorder.finalText, tell),
    stoppedLate: (turn) => goals.stopped(turn.sessionId),
    turnEnded: (turn, outcome) => {
      delegation.parentEnded(turn.streamId)
      goals.ended({ sessionId: turn.sessionId, kind: turn.plan.kind }, outcome)
    }
  })

  const goals: Goals = createGoals({
    db,
    clock,
    sessions,
    maxTurns: (profile) => profiles.rules(profile).goalTurns,
    judge: async (profile, input, fallback) => {
      const choice = await modelChooser.auxiliary(profile, 'goal_judge', fallback)
      return 'error' in choice ? null : await agent.aux(profile, { task: 'judge', model: choice.ref, input }, judgeLimitMs)
    },
    chat: () => chat,
    isWatched: (sessionId) => ([['approvals', sessionId], ['questions', sessionId], ['session', sessionId], ['sessions', 'all']] as const)
      .some(([kind, id]) => events.isWatched({ kind, id })),
    log,
    continueAfterMs: continueGoalAfterMs
  })

  const beside = { db, clock, sessions, chat, log }
  const btw = createBtw(beside)
  const background = createBackground({ ...beside, events })
  const delegation = createDelegation(beside)
  const turnCheckpoints = createTurnCheckpoints({ checkpoints: app.checkpoints, sessions, activeStream: store.activeStream, territory: app.territories.around, log })
  const running = ({ runId }: RunSpec): Turn | undefined => {
    const turn = chat.turn(runId)
    return turn?.phase === 'running' ? turn : undefined
  }
  agent.serve('checkpoint', async ({ place }, { spec }) => {
    const turn = running(spec)
    if (turn !== undefined && place === 'workspace') await turnCheckpoints.take(turn, spec.places.workspace)
    return null
  })
  agent.serve('delegate', async ({ task }, { spec }) => {
    const turn = running(spec)
    return turn === undefined ? { text: 'The turn is over.', isError: true } : await delegation.work(turn, task)
  })
  app.decorate('prompts', prompts)
  app.decorate('chat', chat)
  app.decorate('goals', goals)
  app.decorate('compression', createCompression({
    db,
    clock,
    agent,
    sessions,
    chooseModel: async (sessionId) => {
      const { profile, model, modelProvider } = sessions.get(sessionId)
      return await modelChooser.auxiliary(profile, 'compression', { model: model ?? undefined, provider: modelProvider ?? undefined })
    }
  }))
  app.decorate('btw', btw)
  app.decorate('background', background)
  app.decorate('delegation', delegation)

  const interrupted = chat.recover()
  if (interrupted.length > 0) app.log.warn({ turns: interrupted.length }, 'turns that a crash had interrupted were closed')
  const sweep = async (): Promise<void> => {
    await btw.sweep()
    await background.sweep()
    await prompts.followClock()
  }
  const failed = (error: unknown): void => log('cleaning up went wrong', { reason: String(error) })
  const sweeping = setInterval(() => { sweep().catch(failed) }, sweepEveryMs)
  sweeping.unref()

  app.addHook('onReady', async () => {
    goals.recover(interrupted)
    background.recover().then(sweep).catch(failed)
    void app.defaultModels.refresh(profiles.active())
    setTimeout(warmStreamMasks, warmAfterMs).unref()
  })
  // Before connections are closed: each turn gets its honest end, then each open stream its farewell.
  app.addHook('preClose', async () => {
    clearInterval(sweeping)
    goals.shutdown()
    background.shutdown()
    chat.shutdown()
    app.endEventStreams()
  })
}, { name: 'conversations', dependencies: ['sessions', 'checkpoints'] })
