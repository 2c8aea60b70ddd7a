import compress from '@fastify/compress'
import fastify, { LogController, type FastifyInstance, type FastifyServerFactory, type FastifyServerOptions } from 'fastify'
import { type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import agent, { type AgentPluginOptions } from './plugins/areas/agent.js'
import attempts from './plugins/areas/attempts.js'
import audit from './plugins/areas/audit.js'
import auditActing from './plugins/areas/audit-acting.js'
import auditTurns from './plugins/areas/audit-turns.js'
import auditUpkeep from './plugins/areas/audit-upkeep.js'
import auth, { type AuthPluginOptions } from './plugins/areas/auth.js'
import backups from './plugins/areas/backups.js'
import bodies, { bodyLimits } from './plugins/ground/bodies.js'
import budgets from './plugins/areas/budgets.js'
import chat from './plugins/areas/chat.js'
import checkpoints from './plugins/areas/checkpoints.js'
import checks from './plugins/areas/checks.js'
import commands from './plugins/areas/commands.js'
import compression from './plugins/areas/compression.js'
import config, { type Config } from './plugins/ground/config.js'
import consoleSocket, { type ConsoleOptions } from './plugins/ground/console.js'
import crons from './plugins/areas/crons.js'
import database from './plugins/ground/database.js'
import diagnostics from './plugins/areas/diagnostics.js'
import digest from './plugins/areas/push-digest.js'
import docs from './plugins/ground/docs.js'
import errors, { answerClientError, answerFrameworkError } from './plugins/ground/errors.js'
import events from './plugins/ground/events.js'
import exports from './plugins/areas/exports.js'
import feed from './plugins/areas/feed.js'
import files from './plugins/areas/files.js'
import attached from './plugins/areas/foreign-attached.js'
import foreign from './plugins/areas/foreign.js'
import git from './plugins/areas/git.js'
import goals, { type GoalsPluginOptions } from './plugins/areas/goals.js'
import help from './plugins/ground/help.js'
import home from './plugins/areas/home.js'
import hooks from './plugins/areas/hooks.js'
import machines, { type MachinesPluginOptions } from './plugins/areas/machines.js'
import idempotency from './plugins/ground/idempotency.js'
import insights from './plugins/areas/insights.js'
import mcp from './plugins/areas/mcp.js'
import mcpServer from './plugins/areas/mcp-server.js'
import memory from './plugins/areas/memory.js'
import metrics from './plugins/areas/metrics.js'
import models from './plugins/areas/models.js'
import openapi from './plugins/ground/openapi.js'
import openai from './plugins/areas/openai.js'
import grants from './plugins/areas/grants.js'
import personalities from './plugins/areas/personalities.js'
import profiles from './plugins/areas/profiles.js'
import projects from './plugins/areas/projects.js'
import prompts from './plugins/areas/prompts.js'
import providerTests from './plugins/areas/models-tests.js'
import recovery from './plugins/areas/chat-recovery.js'
import relay from './plugins/areas/relay.js'
import reviews from './plugins/areas/reviews.js'
import planning from './plugins/areas/plans-mode.js'
import plans from './plugins/areas/plans.js'
import push from './plugins/areas/push.js'
import pulls from './plugins/areas/pulls.js'
import queue from './plugins/areas/queue.js'
import rateLimit from './plugins/ground/rate-limit.js'
import requestLog from './plugins/ground/request-log.js'
import { requestLogger } from './plugins/ground/request-logger.js'
import requestMetrics from './plugins/ground/request-metrics.js'
import sandbox from './plugins/areas/sandbox.js'
import secrets from './plugins/ground/secrets.js'
import security from './plugins/ground/security.js'
import serialization from './plugins/ground/serialization.js'
import sessionProfiles from './plugins/areas/sessions-profiles.js'
import sessions from './plugins/areas/sessions.js'
import settings from './plugins/areas/settings.js'
import limitSaves from './plugins/ground/limit-saves.js'
import maskedAnswers from './plugins/ground/masked-answers.js'
import shares from './plugins/areas/shares.js'
import sideTurns from './plugins/areas/side-turns.js'
import skillRequests from './plugins/areas/skills-requests.js'
import skills from './plugins/areas/skills.js'
import smallTasks from './plugins/areas/small-tasks.js'
import plugins from './plugins/areas/plugins.js'
import staticFiles from './plugins/ground/static.js'
import titles from './plugins/areas/titles.js'
import traces from './plugins/areas/traces.js'
import tracing from './plugins/ground/tracing.js'
import usage from './plugins/areas/usage.js'
import updates, { type UpdatesPluginOptions } from './plugins/areas/updates.js'
import validation from './plugins/ground/validation.js'
import warming from './plugins/ground/warming.js'
import version from './plugins/ground/version.js'
import voice, { type VoicePluginOptions } from './plugins/areas/voice.js'
import watching from './plugins/areas/workspace-watching.js'
import workers from './plugins/ground/workers.js'
import workspace from './plugins/areas/workspace.js'
import approvalRoutes from './routes/prompts.js'
import attemptRoutes from './routes/attempts.js'
import checkRunRoutes from './routes/checks-runs.js'
import checkRoutes from './routes/checks.js'
import auditRoutes from './routes/audit.js'
import authRoutes from './routes/auth.js'
import deviceRoutes from './routes/auth-devices.js'
import budgetRoutes from './routes/budgets.js'
import oidcRoutes from './routes/auth-oidc.js'
import passkeyRoutes from './routes/auth-passkeys.js'
import chatRoutes from './routes/chat.js'
import checkpointRoutes from './routes/checkpoints.js'
import compressionRoutes from './routes/compression.js'
import configRoutes from './routes/profiles-config.js'
import consoleRoutes from './routes/console.js'
import commandRoutes from './routes/commands.js'
import cronRoutes from './routes/crons.js'
import diagnosticsRoutes from './routes/diagnostics.js'
import feedRoutes from './routes/feed.js'
import fileEditRoutes from './routes/files-editing.js'
import fileTrashRoutes from './routes/files-trash.js'
import fileRoutes from './routes/files.js'
import gitChangeRoutes from './routes/git-changes.js'
import frameRoutes from './routes/pages-frame.js'
import gitHistoryRoutes from './routes/git-history.js'
import gitRoutes from './routes/git.js'
import homeRoutes from './routes/home.js'
import hookRoutes from './routes/hooks.js'
import machineRoutes from './routes/machines.js'
import insightsRoutes from './routes/insights.js'
import mcpRoutes from './routes/mcp.js'
import mcpServerRoutes from './routes/mcp-server.js'
import mcpSignInRoutes from './routes/mcp-sign-in.js'
import modelConfigurationRoutes from './routes/models-configuring.js'
import modelProviderRoutes from './routes/models-providers.js'
import memoryRoutes from './routes/memory.js'
import metricsRoutes from './routes/metrics.js'
import modelRoutes from './routes/models.js'
import openaiRoutes from './routes/openai.js'
import pageRoutes from './routes/pages.js'
import grantRoutes from './routes/grants.js'
import agentRoutes from './routes/models-agents.js'
import personalityRoutes from './routes/personalities.js'
import profileRoutes from './routes/profiles.js'
import projectRoutes from './routes/projects.js'
import pullRoutes from './routes/pulls.js'
import pushRoutes from './routes/push.js'
import queueRoutes from './routes/queue.js'
import reviewRoutes from './routes/reviews.js'
import planRoutes from './routes/plans.js'
import sessionEditRoutes from './routes/sessions-editing.js'
import sessionFileRoutes from './routes/sessions-files.js'
import sessionListRoutes from './routes/sessions-lists.js'
import sessionRoutes from './routes/sessions.js'
import sessionWorktreeRoutes from './routes/sessions-worktrees.js'
import settingsRoutes from './routes/settings.js'
import shareRoutes from './routes/shares.js'
import goalRoutes from './routes/goals.js'
import sideTurnRoutes from './routes/side-turns.js'
import skillTransferRoutes from './routes/skills-transfers.js'
import skillRoutes from './routes/skills.js'
import pluginRoutes from './routes/plugins.js'
import systemRoutes from './routes/system.js'
import updateRoutes from './routes/updates.js'
import uploadRoutes from './routes/files-uploads.js'
import voiceRoutes from './routes/voice.js'
import workspaceRoutes from './routes/workspace.js'
import { type Clock } from './services/ground/time/clock.js'
import { type Database } from './services/ground/database/index.js'
import { type RelayOptions } from './services/areas/relay/index.js'

export interface AppOptions {
  config: Config
  /** The variables with which the program was started. */
  environment: NodeJS.ProcessEnv
  /** Opened by the caller, closed with the app. */
  db: Database
  clock?: Clock
  transport?: AgentPluginOptions['transport']
  machines?: MachinesPluginOptions
  /** Without a way to restart, the service cannot update itself. */
  updates?: UpdatesPluginOptions
  auth?: AuthPluginOptions
  console?: ConsoleOptions
  goals?: GoalsPluginOptions
  voice?: VoicePluginOptions
  /** Without a link, workspaces on other machines cannot be reached. */
  relay?: RelayOptions
  logger?: FastifyServerOptions['logger']
  /** Returns the server to use, if it listens already. */
  serverFactory?: FastifyServerFactory
  /** Called with the bare instance before anything is registered; tests add their checks here. */
  prepare?: (app: FastifyInstance) => void
}

const requestTimeoutMs = 5 * 60_000

/** Builds the service. Its parts are registered below, and read like a table of contents. Waiting requests may be answered in between. */
export async function buildApp (options: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: options.logger ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    // An empty list would have Fastify look for forwarded addresses in every request.
    trustProxy: options.config.trustedProxies.length > 0 && options.config.trustedProxies,
    bodyLimit: bodyLimits.usual,
    requestTimeout: requestTimeoutMs,
    // A busy machine must only delay the start, not prevent it. A limit would also cost a timer for each plugin.
    pluginTimeout: 0,
    forceCloseConnections: true,
    clientErrorHandler: answerClientError,
    frameworkErrors: answerFrameworkError,
    genReqId: () => randomUUID(),
    ...(options.serverFactory === undefined ? {} : { serverFactory: options.serverFactory }),
    childLoggerFactory: requestLogger,
    routerOptions: { ignoreTrailingSlash: true }
  }).withTypeProvider<TypeBoxTypeProvider>()
  options.prepare?.(app)
  await registerGround(app, options)
  await nextTurn()
  await registerAreas(app, options)
  await nextTurn()
  await registerRoutes(app)
  return app
}

/** Registers what every area may use. */
async function registerGround (app: FastifyInstance, options: AppOptions): Promise<void> {
  await app.register(config, { config: options.config, environment: options.environment })
  await app.register(secrets)
  await app.register(version)
  await app.register(errors)
  await app.register(tracing)
  await app.register(requestLog)
  await app.register(requestMetrics)
  await app.register(database, { db: options.db, clock: options.clock })
  await app.register(audit)
  await app.register(backups)
  await app.register(security)
  await app.register(settings)
  await app.register(consoleSocket, options.console ?? {})
  await app.register(auth, options.auth ?? {})
  await app.register(auditActing)
  await app.register(rateLimit)
  await app.register(bodies)
  await app.register(warming)
  await app.register(validation)
  await app.register(serialization)
  await app.register(compress, { threshold: 1024, encodings: ['gzip', 'deflate'], globalDecompression: false })
  await app.register(openapi)
  await app.register(staticFiles)
  await app.register(events)
  await app.register(workers)
  await app.register(docs)
  await app.register(help)
  await app.register(machines, options.machines ?? {})
  await app.register(idempotency)
}

/** Registers each area after those that it uses. `recovery` comes after all that runs turns, because it continues earlier turns. */
async function registerAreas (app: FastifyInstance, options: AppOptions): Promise<void> {
  await app.register(profiles)
  await app.register(limitSaves)
  await app.register(traces)
  await app.register(agent, { transport: options.transport })
  await app.register(models)
  await app.register(sandbox)
  await app.register(sessions)
  await app.register(maskedAnswers)
  await app.register(projects)
  await app.register(personalities)
  await app.register(skills)
  await app.register(plugins)
  await app.register(commands)
  await app.register(mcp)
  await app.register(workspace)
  await app.register(foreign)
  await app.register(exports)
  await app.register(shares)
  await app.register(files)
  await app.register(watching)
  await app.register(prompts)
  await app.register(usage)
  await app.register(budgets)
  await app.register(providerTests)
  await app.register(smallTasks)
  await app.register(plans)
  await app.register(attached)
  await app.register(chat)
  await app.register(auditTurns)
  await app.register(grants)
  await app.register(sessionProfiles)
  await app.register(titles)
  await app.register(checkpoints)
  await app.register(git)
  await app.register(pulls)
  await app.register(queue)
  await app.register(goals, options.goals ?? {})
  await app.register(planning)
  await app.register(sideTurns)
  await app.register(attempts)
  await app.register(checks)
  await app.register(compression)
  await app.register(insights)
  await app.register(memory)
  await app.register(skillRequests)
  await app.register(push)
  await app.register(crons)
  await app.register(hooks)
  await app.register(auditUpkeep)
  await app.register(voice, options.voice ?? {})
  await app.register(updates, options.updates ?? {})
  await app.register(openai)
  await app.register(home)
  await app.register(digest)
  await app.register(feed)
  await app.register(mcpServer)
  await app.register(metrics)
  await app.register(diagnostics)
  await app.register(recovery)
  const { current: link, presence } = app.machines
  await app.register(relay, options.relay ?? { link, isThere: (machine) => presence.instanceOf(machine) !== null })
  await app.register(reviews)
}

async function registerRoutes (app: FastifyInstance): Promise<void> {
  await app.register(pageRoutes)
  await app.register(frameRoutes)
  await app.register(systemRoutes)
  await app.register(metricsRoutes)
  await app.register(diagnosticsRoutes)
  await app.register(authRoutes)
  await app.register(deviceRoutes)
  await app.register(passkeyRoutes)
  await app.register(oidcRoutes)
  await app.register(auditRoutes)
  await app.register(sessionListRoutes)
  await app.register(sessionRoutes)
  await app.register(sessionEditRoutes)
  await app.register(compressionRoutes)
  await app.register(sessionFileRoutes)
  await app.register(shareRoutes)
  await app.register(sessionWorktreeRoutes)
  await app.register(projectRoutes)
  await app.register(chatRoutes)
  await app.register(queueRoutes)
  await app.register(reviewRoutes)
  await app.register(planRoutes)
  await app.register(approvalRoutes)
  await app.register(homeRoutes)
  await app.register(feedRoutes)
  await app.register(goalRoutes)
  await app.register(sideTurnRoutes)
  await app.register(attemptRoutes)
  await app.register(checkRoutes)
  await app.register(checkRunRoutes)
  await app.register(cronRoutes)
  await app.register(hookRoutes)
  await app.register(pushRoutes)
  await app.register(workspaceRoutes)
  await app.register(fileRoutes)
  await app.register(fileEditRoutes)
  await app.register(fileTrashRoutes)
  await app.register(uploadRoutes)
  await app.register(checkpointRoutes)
  await app.register(gitRoutes)
  await app.register(gitHistoryRoutes)
  await app.register(gitChangeRoutes)
  await app.register(pullRoutes)
  await app.register(mcpRoutes)
  await app.register(mcpSignInRoutes)
  await app.register(mcpServerRoutes)
  await app.register(modelRoutes)
  await app.register(modelConfigurationRoutes)
  await app.register(modelProviderRoutes)
  await app.register(grantRoutes)
  await app.register(agentRoutes)
  await app.register(personalityRoutes)
  await app.register(profileRoutes)
  await app.register(memoryRoutes)
  await app.register(skillRoutes)
  await app.register(skillTransferRoutes)
  await app.register(pluginRoutes)
  await app.register(commandRoutes)
  await app.register(voiceRoutes)
  await app.register(settingsRoutes)
  await app.register(insightsRoutes)
  await app.register(updateRoutes)
  await app.register(configRoutes)
  await app.register(consoleRoutes)
  await app.register(machineRoutes)
  await app.register(budgetRoutes)
  await app.register(openaiRoutes)
}
