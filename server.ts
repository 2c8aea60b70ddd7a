import closeWithGrace from 'close-with-grace'
import { type FastifyInstance } from 'fastify'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { localEnvironment } from './plugins/ground/config-environment.js'
import { ConfigError, readConfig, type Config } from './plugins/ground/config.js'
import {
  databaseFile, inPlainWords, isDamage, isDiskTrouble, holdBuild, lockStateFolder, makeFolder, StateFolderInUse, UnusableDatabase,
  type Database, type OpenOptions
} from './services/ground/database/index.js'
import { asset, dist, fromSource } from './services/ground/assets.js'
import { hostPortText } from './services/ground/network/host-port.js'
import { takeLibraryWarnings } from './services/ground/library-warnings.js'
import { inWords, neverFailToWrite, type Notice } from './services/ground/process/standard-output.js'
import { CannotListen, explainListenError } from './services/ground/network/listen-error.js'
import { isLoopback } from './services/ground/network/loopback.js'
import { gitStartsIn } from './services/workspace/git/environment.js'
import { isRestartedBySystemd } from './services/ground/process/systemd.js'
import { openArgument, openBrowser } from './services/ground/process/open-browser.js'
import { serverArguments } from './services/ground/process/server-arguments.js'
import { UnusableWorkspace } from './services/workspace/place/unusable.js'
import { createUpgrade, createWaitingRoom, type Upgrade, type WaitingRoom } from './services/areas/upgrades/index.js'
import { configurationArgument, trialArgument } from './services/areas/updates/arguments.js'
import { findInstallation, type Installation } from './services/areas/updates/installation.js'
import { ownUpdate, repairUpdate, undoUpdate } from './services/areas/updates/repairing.js'
import {
  restartExitCode, restartWay, startAgain, startSuccessor, successorArgument, waitForTurn, waitUntilUp, type Successor
} from './services/areas/updates/successor.js'

const stopLimitMs = 5_000
/** A new version must come up within this time, plus `comingUpTrials` times as long as its trial, which migrated a copy of the database. */
const comingUpLimitMs = 60_000
const comingUpTrials = 4
/** How long the program of a successor may take to load, before it opens anything. */
const loadLimitMs = 30_000
/** Returns a line in the logger's form, for the time before the logger exists. */
const logLine = (level: number, msg: string, details: Record<string, unknown>): string =>
  `${JSON.stringify({ level, time: Date.now(), pid: process.pid, hostname: hostname(), ...details, msg })}\n`
const [infoLevel, warnLevel] = [30, 40]
/** The exit code for arguments that the service does not know, as of its commands. */
const wrongUsage = 2
const linesLostNotice: Notice = (count, code) => logLine(warnLevel, inWords(count, code).trim(), { lines: count, code })

// No top-level await, because the build turns this into a script, which does not support it.
void start()

async function start (): Promise<void> {
  neverFailToWrite({ stdout: linesLostNotice, stderr: inWords })
  gitStartsIn(process.env)
  const instead = serverArguments(process.argv.slice(2), [configurationArgument, trialArgument, successorArgument])
  if (instead !== null) {
    console[instead.isWrong ? 'error' : 'log'](instead.text)
    process.exit(instead.isWrong ? wrongUsage : 0)
  }
  try {
    const config = readConfig(localEnvironment())
    if (process.argv.includes(configurationArgument)) {
      const { protocolLine } = await import('./services/areas/updates/index.js')
      console.log(protocolLine())
      process.exit(0)
    }
    holdBuild(asset('.'))
    await waitForTurn()
    await serve(config)
  } catch (error) {
    exitWithError(error)
  }
}

function exitWithError (error: unknown): never {
  printError(error)
  process.exit(1)
}

/** Prints an error: its message if the operator can fix the problem, and otherwise its stack. */
function printError (error: unknown): void {
  const isExplained = error instanceof ConfigError || error instanceof StateFolderInUse || error instanceof UnusableDatabase ||
    error instanceof CannotListen || error instanceof UnusableWorkspace
  console.error(isExplained ? error.message : error)
}

async function serve (config: Config): Promise<void> {
  for (const folder of [config.home, config.stateDir]) makeFolder(folder)
  const unlock = lockStateFolder(config.stateDir)
  process.on('exit', unlock)
  const isTrial = process.argv.includes(trialArgument)
  const room = createWaitingRoom(config)
  const upgrade = createUpgrade({
    room,
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
    await openAndListen({ unlock, config, installation }, { isTrial, room, upgrade, news: repaired === 'proving' ? null : repaired })
  } catch (error) {
    if (repaired === 'proving' && installation !== null && wayOf(config) === 'exit') await giveWay({ config, installation }, error)
    throw error
  }
}

interface Start {
  isTrial: boolean
  room: WaitingRoom
  upgrade: Upgrade
  /** The result of an update that this start has finished. */
  news: { ok: boolean, message: string } | null
}

/**
 * Opens the database, lets requests wait while the rest of the program loads, and serves them. If it throws, the database and the waiting
 * room are closed.
 */
async function openAndListen (held: Held, { isTrial, room, upgrade, news }: Start): Promise<void> {
  const { config, installation } = held
  const file = databaseFile(config.stateDir)
  let app: FastifyInstance | undefined
  // A trial shows that the version can migrate and open the existing data, but serves an empty database: jobs and turns must not run twice.
  if (isTrial && existsSync(file)) (await openUpgraded(upgrade, { file }, config)).close()
  const db = await openUpgraded(upgrade, {
    file: isTrial ? ':memory:' : file,
    startEmpty: config.startEmpty,
    onWriteFailure: (error) => app?.log.error({ err: error }, 'the database could not be written; retrying'),
    onRecovery: () => app?.log.info('the database can be written again')
  }, config)
  try {
    // Fastify listens on all addresses of `localhost` itself.
    const isEarly = config.host !== 'localhost'
    if (isEarly) await room.wait()
    else await room.close()
    const { buildApp } = await import('./app.js')
    const { loggerOptions } = await import('./plugins/ground/logging.js')
    const way: Partial<Ways> = {}
    const updates = installation === null ? {} : { installation, restart: (keepsTurns: boolean) => way.restart?.(keepsTurns) }
    // Agent processes must not outlive a trial.
    const kept = { ...config, outliveMs: isTrial ? null : config.outliveMs }
    app = await buildApp({
      config: kept, environment: process.env, db, updates, console: { stop: () => way.stop?.() }, logger: loggerOptions(config.logLevel),
      ...(isEarly ? { serverFactory: room.handOver } : {})
    })
    const { log } = app
    takeLibraryWarnings((text) => log.warn({ text }, 'a library warns'))
    if (news !== null) log.warn({ ok: news.ok }, news.message)
    Object.assign(way, await listen(app, held))
  } catch (error) {
    await room.close()
    db.close()
    throw isDamage(error) || isDiskTrouble(error) ? inPlainWords(error, file) ?? error : explainListenError(error, config)
  }
}

async function openUpgraded (upgrade: Upgrade, options: OpenOptions, config: Config): Promise<Database> {
  try {
    return await upgrade.open(options)
  } catch (error) {
    throw explainListenError(error, config)
  }
}

const wayOf = ({ restart, env }: Config) => restart ?? restartWay({ env })

/**
 * Called in a new version that cannot come up under a supervisor: restores the previous version and exits, so that the supervisor starts
 * that one. Returns if the previous version could not be restored.
 */
async function giveWay (
  { config: { stateDir }, installation }: { config: Config, installation: Installation }, reason: unknown
): Promise<void> {
  const undone = await undoUpdate({ stateDir, installation }, Date.now() / 1000)
  if (undone?.restart !== true) return
  printError(reason)
  console.error(undone.message)
  process.exit(restartExitCode)
}

/** Exits once the parent is gone. The parent ends a trial, unless it was killed itself. */
function endWithParent (): void {
  const parent = process.ppid
  setInterval(() => { if (process.ppid !== parent) process.exit(1) }, 500).unref()
}

/** Ends a service that listens, from within. `restart` also starts it again. */
interface Ways { stop: () => void, restart: (keepsTurns: boolean) => void }

/** Listens, and serves until a signal arrives or one of the returned functions is called. Throws CannotListen. */
async function listen (app: FastifyInstance, held: Held): Promise<Ways> {
  const { config } = held
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    app.agent.keepAtWork()
    await app.close()
    throw explainListenError(error, config)
  }
  // Only commands need the socket, and not every file system supports sockets.
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
  // Whatever waits for the start goes first.
  setImmediate(() => app.agent.warm({ profile: app.profiles.active(), machine: undefined }))
  console.log(await greeting(app, config))
  if (process.argv.includes(openArgument)) openApp(app, config)
  async function restart (keepsTurns: boolean): Promise<void> {
    // It loads while this process still serves. If this process is stopped meanwhile, the successor exits too.
    const successor = wayOf(config) === 'exit' ? null : startSuccessor({ loadLimitMs })
    const isLoaded = await successor?.isLoaded
    if (isStopping) return
    grace.uninstall()
    if (keepsTurns) app.agent.keepAtWork()
    const closed = app.close().then(() => true, () => false)
    const isClosed = await Promise.race([closed, delay(stopLimitMs, false)])
    await handOver(held, { isClosed, successor: isLoaded === true ? successor : null })
  }
  return { stop: grace.close, restart: (keepsTurns) => { restart(keepsTurns).catch(exitWithError) } }
}

/** What this process holds, and releases for its successor. */
interface Held {
  config: Config
  unlock: () => void
  /** Null if this process cannot update itself: it runs from source, or is a trial. */
  installation: Installation | null
}

/**
 * Hands over to a process of the version that is in place now. Exits at once if a supervisor starts that process. Otherwise starts it, or
 * tells the `successor`, which is loaded already, to go on. After an update, waits until it has come up. If it does not, restores the
 * previous version, whose program this process still runs, and serves again: only if everything was closed before (`isClosed`).
 */
async function handOver (
  { unlock, config, installation }: Held, { isClosed, successor }: { isClosed: boolean, successor: Successor | null }
): Promise<void> {
  if (wayOf(config) === 'exit') process.exit(restartExitCode)
  const { stateDir } = config
  // When this process exits, the folder belongs to the successor.
  process.removeListener('exit', unlock)
  unlock()
  const tried = installation === null ? null : ownUpdate({ stateDir, installation })
  const child = successor?.process ?? startAgain()
  await successor?.go()
  console.log(`Restarting as process ${child.pid ?? '?'}.`)
  if (!isClosed || installation === null || await waitUntilUp(child, {
    isUp: () => ownUpdate({ stateDir, installation }) === null, timeoutMs: comingUpLimitMs + comingUpTrials * (tried?.triedMs ?? 0)
  })) process.exit(0)
  const unlockAgain = lockStateFolder(stateDir)
  const undone = await undoUpdate({ stateDir, installation }, Date.now() / 1000)
  unlockAgain()
  console.error(undone?.message ?? 'The service did not come up after the restart.')
  if (undone === null) process.exit(1)
  if (undone.restart) return await serve(config)
  console.log(`Restarting as process ${startAgain().pid ?? '?'}.`)
  process.exit(0)
}

/** Opens the app in a browser: as `localhost` if the service can be reached there, because passkeys need a name instead of an address. */
function openApp (app: FastifyInstance, config: Config): void {
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const host = isLoopback(config.host) || /^(?:0\.0\.0\.0|::)$/.test(config.host) ? 'localhost' : config.host
  const url = `http://${hostPortText({ host, port })}/`
  openBrowser(url, process.env, () => console.error(`No browser could be opened. Open ${url} yourself`))
}

/** Returns the line that tells a person where the service listens, which model answers, and who may use it. */
async function greeting (app: FastifyInstance, config: Config): Promise<string> {
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  const profile = app.profiles.active()
  const { model, provider } = await app.models.defaults.refresh(profile)
  const answers = provider === 'offline-demo'
    ? 'no AI model yet (the built-in demo answers): add a key (POST /api/providers, or OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY), or start Ollama'
    : model === null ? `no model was found (see ${join(config.home, 'config.yaml')})` : `model ${model} from ${provider}`
  const gate = app.auth.gated ? '; sign-in required' : isLoopback(config.host) ? '; open to this machine only, without a password' : '; OPEN to anyone who can reach it, without a password'
  return `Ready at http://${host}:${port} — profile ${profile}, ${answers}${gate}.`
}
