import closeWithGrace from 'close-with-grace'
import { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildApp } from './app.js'
import { ConfigError, isLoopback, localEnvironment, readConfig, type Config } from './plugins/config.js'
import { redact, redactDeep } from './services/ground/redaction/index.js'
import { databaseFile, explained, inPlainWords, isDamage, isDiskTrouble, lockStateFolder, openDatabase, StateFolderInUse, UnusableDatabase } from './services/ground/database/index.js'
import { CannotListen, explainListenError } from './services/ground/listen-error.js'

const stopLimitMs = 5_000
/** Wherever a secret may stand in something that is logged. */
const redacted = ['req.headers.authorization', 'req.headers.cookie', '*.password', '*.apiKey', '*.api_key', '*.token', '*.authorization', '*.cookie', 'err.config', 'err.requestBodyValues', 'err.responseHeaders']

// Not awaited at the top: the build makes scripts of this, which know no such thing.
void start()

async function start (): Promise<void> {
  try {
    await serve(readConfig(localEnvironment()))
  } catch (error) {
    // What the operator can mend is told in words; anything else is a fault and shows where it happened.
    const isExplained = [ConfigError, StateFolderInUse, UnusableDatabase, CannotListen].some((type) => error instanceof type)
    console.error(isExplained ? (error as Error).message : error)
    process.exit(1)
  }
}

async function serve (config: Config): Promise<void> {
  for (const folder of [config.home, config.stateDir]) explained(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  const unlock = lockStateFolder(config.stateDir)
  process.on('exit', unlock)
  const file = databaseFile(config.stateDir)
  let app: FastifyInstance | undefined
  const db = openDatabase({
    file,
    startEmpty: config.startEmpty,
    onWriteFailure: (error) => app?.log.error({ err: error }, 'the database could not be written; trying again'),
    onRecovery: () => app?.log.info('the database can be written again')
  })
  try {
    app = await buildApp({ config, db, logger: loggerOptions(config.logLevel) })
    await listen(app, config)
  } catch (error) {
    throw isDamage(error) || isDiskTrouble(error) ? inPlainWords(error, file) ?? error : error
  }
}

async function listen (app: FastifyInstance, config: Config): Promise<void> {
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await app.close()
    throw explainListenError(error, config)
  }
  closeWithGrace({ delay: stopLimitMs, logger: app.log }, async ({ err: error }) => {
    if (error !== undefined) app.log.error({ err: error }, 'stopping after an unexpected error')
    await app.close()
  })
  // Whoever waits for the start is answered first.
  setImmediate(() => app.agent.warm(app.profiles.active()))
  console.log(await greeting(app, config))
}

/** By name, what is known to be secret; by its looks, what got into a log without anybody's intention. */
function loggerOptions (level: string): FastifyServerOptions['logger'] {
  return {
    level,
    redact: redacted,
    formatters: { log: redactDeep },
    hooks: {
      logMethod (args, method) {
        method.apply(this, args.map((arg) => typeof arg === 'string' ? redact(arg) : arg) as typeof args)
      }
    }
  }
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
  const gate = app.auth.gated ? '' : isLoopback(config.host) ? '; open to this machine, without a password' : '; OPEN'
  return `Ready at http://${host}:${port} — profile ${profile}, ${answers}${gate}.`
}
