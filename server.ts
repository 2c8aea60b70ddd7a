import closeWithGrace from 'close-with-grace'
import { type FastifyInstance } from 'fastify'
import { existsSync, mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildApp } from './app.js'
import { localEnvironment } from './plugins/ground/config-environment.js'
import { ConfigError, readConfig, type Config } from './plugins/ground/config.js'
import { loggerOptions } from './plugins/ground/logging.js'
import {
  databaseFile, explained, inPlainWords, isDamage, isDiskTrouble, holdBuild, lockStateFolder, StateFolderInUse, UnusableDatabase,
  type Database, type OpenOptions
} from './services/ground/database/index.js'
import { asset, dist, fromSource } from './services/ground/assets.js'
import { takeLibraryWarnings } from './services/ground/library-warnings.js'
import { inWords, neverFailToWrite, type Notice } from './services/ground/output.js'
import { CannotListen, explainListenError } from './services/ground/listen-error.js'
import { isLoopback } from './services/ground/loopback.js'
import { startedWith } from './services/ground/process/environment.js'
import { isRestartedBySystemd } from './services/ground/process/systemd.js'
import { openArgument, openBrowser } from './services/ground/process/open-browser.js'
import { UnusableWorkspace } from './services/workspace/index.js'
import { createUpgrade, createWaitingRoom, type Upgrade } from './services/areas/upgrades/index.js'
import {
  comesUp, configurationArgument, findInstallation, ownTurn, ownUpdate, protocolLine, repairUpdate, restartExitCode, restartWay, startAgain,
  startSuccessor, trialArgument, undoUpdate, type Installation, type Successor
} from './services/areas/updates/index.js'

const stopLimitMs = 5_000
/** A new version has been tried before, and has now a database to open: beside this, several times as long as its trial took. */
const comingUpLimitMs = 60_000
const comingUpTrials = 4
/** Its program, before it has anything to open. */
const loadLimitMs = 30_000
/** A line of the log among the others, where there is no logger. */
const logLine = (level: number, msg: string, details: Record<string, unknown>): string =>
  `${JSON.stringify({ level, time: Date.now(), pid: process.pid, hostname: hostname(), ...details, msg })}\n`
const [infoLevel, warnLevel] = [30, 40]
const linesLostNotice: Notice = (count, code) => logLine(warnLevel, inWords(count, code).trim(), { lines: count, code })

// Not awaited at the top: the build makes scripts of this, which know no such thing.
void start()

async function start (): Promise<void> {
  neverFailToWrite({ stdout: linesLostNotice, stderr: inWords })
  startedWith(process.env)
  try {
    const config = readConfig(localEnvironment())
    if (process.argv.includes(configurationArgument)) {
      console.log(protocolLine())
      process.exit(0)
    }
    holdBuild(asset('.'))
    await ownTurn()
    await serve(config)
  } catch (error) {
    giveUp(error)
  }
}

function giveUp (error: unknown): never {
  tell(error)
  process.exit(1)
}

/** What the operator can mend is told in words; anything else is a fault and shows where it happened. */
function tell (error: unknown): void {
  const isExplained = error instanceof ConfigError || error instanceof StateFolderInUse || error instanceof UnusableDatabase ||
    error instanceof CannotListen || error instanceof UnusableWorkspace
  console.error(isExplained ? error.message : error)
}

async function serve (config: Config): Promise<void> {
  for (const folder of [config.home, config.stateDir]) explained(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  const unlock = lockStateFolder(config.stateDir)
  process.on('exit', unlock)
  const isTrial = process.argv.includes(trialArgument)
  const upgrade = createUpgrade({
    room: createWaitingRoom(config),
    log: (
      message, details
    ) => { if (!['warn', 'error', 'fatal', 'silent'].includes(config.logLevel)) process.stdout.write(logLine(infoLevel, message, details)) }
  })
  if (isTrial) endWithParent()
  const installation: Installation | null = fromSource || isTrial ? null : findInstallation({ dist, startedAs: process.argv[1] })
  const repaired = installation === null ? null : await repairUpdate({ stateDir: config.stateDir, installation }, Date.now() / 1000)
  if (repaired !== null && repaired !== 'proving' && repaired.restart) {
    console.error(repaired.message)
    return await handOver({ unlock, config, installation }, { isClosed: true, successor: null })
  }
  try {
    await comeUp({ unlock, config, installation }, { isTrial, upgrade, news: repaired === 'proving' ? null : repaired })
  } catch (error) {
    if (repaired === 'proving' && installation !== null && wayOf(config) === 'exit') await giveWay({ config, installation }, error)
    throw error
  }
}

/** Opens the database and listens. Where it throws, the database is closed. `news`: how an update went that this start has ended. */
async function comeUp (
  held: Held, { isTrial, upgrade, news }: { isTrial: boolean, upgrade: Upgrade, news: { ok: boolean, message: string } | null }
): Promise<void> {
  const { config, installation } = held
  const file = databaseFile(config.stateDir)
  let app: FastifyInstance | undefined
  // On trial, a version shows that it can migrate and open what people have; what is in there must not begin to work here.
  if (isTrial && existsSync(file)) (await opened(upgrade, { file }, config)).close()
  const db = await opened(upgrade, {
    file: isTrial ? ':memory:' : file,
    startEmpty: config.startEmpty,
    onWriteFailure: (error) => app?.log.error({ err: error }, 'the database could not be written; retrying'),
    onRecovery: () => app?.log.info('the database can be written again')
  }, config)
  try {
    const way: Partial<Ways> = {}
    const updates = installation === null ? {} : { installation, restart: (keepsTurns: boolean) => way.restart?.(keepsTurns) }
    // What is tried leaves nothing behind.
    const kept = { ...config, outliveMs: isTrial ? null : config.outliveMs }
    app = await buildApp({ config: kept, db, updates, console: { stop: () => way.stop?.() }, logger: loggerOptions(config.logLevel) })
    const { log } = app
    takeLibraryWarnings((text) => log.warn({ text }, 'a library warns'))
    if (news !== null) log.warn({ ok: news.ok }, news.message)
    await upgrade.end()
    Object.assign(way, await listen(app, { ...held, config: { ...config, port: upgrade.port() ?? config.port } }))
  } catch (error) {
    db.close()
    throw isDamage(error) || isDiskTrouble(error) ? inPlainWords(error, file) ?? error : error
  }
}

async function opened (upgrade: Upgrade, options: OpenOptions, config: Config): Promise<Database> {
  try {
    return await upgrade.open(options)
  } catch (error) {
    throw explainListenError(error, config)
  }
}

const wayOf = ({ restart, env }: Config) => restart ?? restartWay({ env })

/**
 * A new version that does not come up puts the one from before in place itself where nobody watches but a supervisor, who
 * would have to start it once more for that.
 */
async function giveWay (
  { config: { stateDir }, installation }: { config: Config, installation: Installation }, reason: unknown
): Promise<void> {
  const undone = await undoUpdate({ stateDir, installation }, Date.now() / 1000)
  if (undone?.restart !== true) return
  tell(reason)
  console.error(undone.message)
  process.exit(restartExitCode)
}

/** Whoever tries this version ends it; one that was killed does not, and nobody would look for it. */
function endWithParent (): void {
  const parent = process.ppid
  setInterval(() => { if (process.ppid !== parent) process.exit(1) }, 500).unref()
}

/** How a service that listens is ended from within. `restart`: it comes back. */
interface Ways { stop: () => void, restart: (keepsTurns: boolean) => void }

/** Serves until a signal comes, or one of the functions that are answered is called. */
async function listen (app: FastifyInstance, held: Held): Promise<Ways> {
  const { config } = held
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    app.agent.keepAtWork()
    await app.close()
    throw explainListenError(error, config)
  }
  // Nobody but the program of the command line needs it, and not every file system has sockets.
  await app.console.listen().catch((error: unknown) => app.log.warn({ reason: String(error) }, 'the socket for agent-web-service commands could not be opened'))
  app.updates.begin()
  let isStopping = false
  const grace = closeWithGrace({ delay: stopLimitMs, logger: app.log }, async ({ err: error, signal }) => {
    isStopping = true
    if (error !== undefined) {
      app.log.error({ err: error }, 'stopping after an unexpected error')
      app.agent.keepAtWork()
    } else if (signal === 'SIGTERM' && await isRestartedBySystemd({ env: config.env })) app.agent.keepAtWork()
    await app.close()
  })
  // Whoever waits for the start is answered first.
  setImmediate(() => app.agent.warm({ profile: app.profiles.active() }))
  console.log(await greeting(app, config))
  if (process.argv.includes(openArgument)) openApp(app, config)
  async function restart (keepsTurns: boolean): Promise<void> {
    // It loads while this one goes on; whoever stops this one stops both.
    const successor = wayOf(config) === 'exit' ? null : startSuccessor({ loadLimitMs })
    const isLoaded = await successor?.isLoaded
    if (isStopping) return
    grace.uninstall()
    if (keepsTurns) app.agent.keepAtWork()
    const closed = app.close().then(() => true, () => false)
    const isClosed = await Promise.race([closed, delay(stopLimitMs, false)])
    await handOver(held, { isClosed, successor: isLoaded === true ? successor : null })
  }
  return { stop: grace.close, restart: (keepsTurns) => { restart(keepsTurns).catch(giveUp) } }
}

/** What this process holds, and gives up for its successor. */
interface Held {
  config: Config
  unlock: () => void
  /** Null: there is nothing to be updated. */
  installation: Installation | null
}

/**
 * Ends this process for one of the version that is in place now. Where nobody else watches over that, this one does until it has
 * come up, and otherwise puts the version from before in place, whose program it still has, and serves again; not where something is still
 * open here (`isClosed`). `successor`: it waits for its turn already.
 */
async function handOver (
  { unlock, config, installation }: Held, { isClosed, successor }: { isClosed: boolean, successor: Successor | null }
): Promise<void> {
  if (wayOf(config) === 'exit') process.exit(restartExitCode)
  const { stateDir } = config
  // At the end of this process the folder is another's.
  process.removeListener('exit', unlock)
  unlock()
  const tried = installation === null ? null : ownUpdate({ stateDir, installation })
  const child = successor?.process ?? startAgain()
  await successor?.go()
  console.log(`Starting again as process ${child.pid ?? '?'}.`)
  if (!isClosed || installation === null || await comesUp(child, {
    isUp: () => ownUpdate({ stateDir, installation }) === null, timeoutMs: comingUpLimitMs + comingUpTrials * (tried?.triedMs ?? 0)
  })) process.exit(0)
  const unlockAgain = lockStateFolder(stateDir)
  const undone = await undoUpdate({ stateDir, installation }, Date.now() / 1000)
  unlockAgain()
  console.error(undone?.message ?? 'The service did not come up again.')
  if (undone === null) process.exit(1)
  if (undone.restart) return await serve(config)
  console.log(`Starting again as process ${startAgain().pid ?? '?'}.`)
  process.exit(0)
}

/** By a name that only this machine has, where it listens there: passkeys need a name. */
function openApp (app: FastifyInstance, config: Config): void {
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const host = isLoopback(config.host) || /^(?:0\.0\.0\.0|::)$/.test(config.host) ? 'localhost' : config.host
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`
  openBrowser(url, process.env, () => console.error(`No browser could be opened here. Open ${url}`))
}

/** The one line a person reads: where it is, who answers, and how to change that. */
async function greeting (app: FastifyInstance, config: Config): Promise<string> {
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const profile = app.profiles.active()
  const { model, provider } = await app.models.defaults.refresh(profile)
  const answers = provider === 'offline-demo'
    ? 'no AI model yet (the built-in demo answers): give it a key (POST /api/providers, or OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY), or start Ollama'
    : model === null ? `no model could be found (see ${join(config.home, 'config.yaml')})` : `model ${model} from ${provider}`
  const gate = app.auth.gated ? '; sign-in required' : isLoopback(config.host) ? '; open to this machine, without a password' : '; OPEN'
  return `Ready at http://${host}:${port} — profile ${profile}, ${answers}${gate}.`
}
