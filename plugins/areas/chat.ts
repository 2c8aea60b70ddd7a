import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { boundaryFolder, forgetAgentSession, systemPrompt, workspaceRules, type WorkspaceRules } from '../../services/agent/index.js'
import { createChat, type Chat } from '../../services/areas/chat/index.js'
import { AgentCommands } from '../../services/areas/models/index.js'
import { Invalid, Unavailable } from '../../services/ground/errors.js'
import { remoteFolder } from '../../services/ground/remote-folder.js'
import { warmStreamMasks } from '../../services/ground/redaction/index.js'
import { priceOf } from '../../services/providers/index.js'
import { attachmentFolder } from '../../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance { chat: Chat }
}

const stepsPerTurn = 100
/** How long after the start warming begins, so that it does not delay the start. */
const warmAfterMs = 300

/** Turns. Code that reacts to them listens to `chat.turns`. */
export default fp(async (app: FastifyInstance) => {
  const {
    machines, attached, commands, db, events, clock, agent, models, personalities, plans, profiles, projects, sessions, skills, prompts,
    budgets, usage, config, sandbox, settings, traces, log
  } = app
  const rulesOf = async (workspace: string): Promise<WorkspaceRules> => {
    const elsewhere = remoteFolder(workspace)
    if (elsewhere === null) return workspaceRules(boundaryFolder(config.stateDir), workspace)
    return await machines.ask(elsewhere.machine, 'context', { workspace: elsewhere.path }).catch((error: unknown) => {
      // The machine may offer other folders now than when this one was chosen.
      throw error instanceof Invalid
        ? new Unavailable(`The machine ${elsewhere.machine} does not offer the folder ${elsewhere.path}`, 'host_unreachable')
        : error
    })
  }
  const chat = createChat({
    db,
    events,
    journal: events.journal,
    clock,
    sessions,
    prompts,
    agent,
    price: priceOf,
    budgets,
    usageLog: usage,
    chooseModel: async ({ profile, workspace }, wanted) => await models.chooser.choose(profile, wanted, machineOf(workspace)),
    fallback: async ({ profile, workspace }, tried) => await models.chooser.fallback(profile, tried, machineOf(workspace)),
    smallTaskModel: async ({ profile, workspace }, task, beside) =>
      await models.chooser.inTurn(profile, task, beside, machineOf(workspace)),
    assertProfile: (profile) => { profiles.existing(profile) },
    rules: (profile) => {
      return { ...profiles.rules(profile), sandbox: sandbox.rule(profile), effort: models.catalog.effort(profile) }
    },
    attachmentFolder: (sessionId) => attachmentFolder(config.stateDir, sessionId),
    systemPrompt: async (session) => {
      const { home } = profiles.existing(session.profile)
      const { memory = {} } = profiles.settings(session.profile).config
      return await systemPrompt({
        profileHome: home,
        workspace: session.workspace,
        rules: await rulesOf(session.workspace),
        botName: settings.values().bot_name,
        personality: personalities.promptOf(session.profile, session.personality),
        project: projects.instructionsFor(session),
        today: new Date(clock.now()).toISOString().slice(0, 10),
        skills: await skills.prompt(session.profile).catch(() => null),
        memoryEnabled: memory.memory_enabled !== false,
        userProfileEnabled: memory.user_profile_enabled !== false
      })
    },
    expand: async ({ profile, workspace }, message) => await commands.expand({ profile, workspace }, message),
    steps: stepsPerTurn,
    editedPlan: plans.edited,
    attached: (sessionId) => attached.of(sessionId),
    ready: async (sessionId) => await attached.ready(sessionId),
    traces,
    log: (message, details) => log.warn(details, message)
  })
  traces?.follow(chat, prompts, (id) => sessions.has(id) ? sessions.get(id).workspace : undefined)
  // A third-party agent that answers in a conversation has commands of its own.
  commands.addSource(new AgentCommands(models.catalog))
  sessions.on('removed', (ids) => { for (const { home } of profiles.list()) for (const id of ids) forgetAgentSession(home, id) })
  agent.serve('budget', async (_, { spec }) => await chat.budget(spec.runId))
  profiles.busyWhen(chat.isBusy)
  profiles.on('removing', chat.cancelParkedOf)
  agent.serve('fallback', async (body, { spec }) => await chat.fallback(spec.runId, body))
  agent.serve('helper', async (body, { spec }) => await chat.smallTaskModel(spec.runId, body))
  app.decorate('chat', chat)
  app.addHook('onReady', async () => {
    setTimeout(() => {
      void warmStreamMasks()
      // The skills' documents are read once; if that fails, the turn says so.
      skills.prompt(profiles.active()).catch(() => {})
    }, warmAfterMs).unref()
  })
  // Before connections are closed, each turn gets a proper end, and then each open stream its farewell.
  app.addHook('preClose', async () => {
    const isDown = chat.shutdown()
    app.eventStreams.end()
    await isDown
  })
}, {
  name: 'chat', dependencies: [
    'machines', 'foreign-attached', 'config', 'database', 'events', 'profiles', 'settings', 'personalities', 'skills', 'commands', 'models', 'agent', 'sessions',
    'plans', 'projects', 'prompts', 'sandbox', 'traces', 'usage', 'budgets'
  ]
})

const machineOf = (workspace: string): string | null => remoteFolder(workspace)?.machine ?? null
