import { type Static } from '@sinclair/typebox'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { localEnvironment } from '../../plugins/ground/config-environment.js'
import { ConfigError, readConfig, readPlaces, type Config } from '../../plugins/ground/config.js'
import { keepSecrets } from '../../plugins/ground/secrets.js'
import { ConsoleStatus } from '../../schemas/console.js'
import { type DiagnosticsReport } from '../../schemas/diagnostics.js'
import {
  addressCheck, createTidy, databaseFileCheck, localChecks, ownAddress, problem, reportText, runChecks, skipped, worstOf, type Check,
  type Finding, type Line, type Section
} from '../../services/areas/diagnostics/index.js'
import { findInstallation, installedAs } from '../../services/areas/updates/index.js'
import { dist } from '../../services/ground/assets.js'
import { monotonicMs, systemClock } from '../../services/ground/time/clock.js'
import { commandLine } from '../../services/ground/command-line.js'
import { holderOf } from '../../services/ground/database/index.js'
import { fieldsOf } from '../../services/ground/fields.js'
import { isLoopback } from '../../services/ground/network/loopback.js'
import { knownSecrets, secretsOfVariables } from '../../services/ground/redaction/index.js'
import { tried } from '../../services/ground/tried.js'
import { createEngineChoice, createSystemGit, gitStartsIn } from '../../services/workspace/git/index.js'
import { judge } from '../../web/src/core/diagnostics/judge.js'
import { linesOf } from '../../web/src/core/diagnostics/lines.js'
import { measure, usedOf } from '../../web/src/core/diagnostics/probe.js'
import { diagnostics as words } from '../../web/src/words/en/diagnostics.js'
import { isOfAgent } from '../agents.js'
import { exitCodes, hasFlag, textOf, WrongUsage, type CommandLine, type Run } from '../command.js'
import { askOf, overSocket, runningProcess } from '../service.js'
import { installedVariables, startLine } from '../unit-file.js'
import { numberOf, readAll } from '../values.js'

type Report = Static<typeof DiagnosticsReport>
interface Options { url: string | null, token: string | null, isThorough: boolean, holdS: number }

const reportMs = 120_000
const aliveMs = 3_000
const useHttps = 'Use an address that begins with https://, or run the doctor on the machine of the service.'
const usualHoldS = 30

/** Checks this machine, the service if it runs, and the connection to it. Changes nothing, and copes with anything that is broken. */
export const run: Run = async (asked) => {
  gitStartsIn(process.env)
  const own = localEnvironment()
  const options = readOptions(asked, own)
  const environment = { ...own, ...installedHere(own) }
  knownSecrets.keep([...secretsOfVariables(environment), ...options.token === null ? [] : [options.token]])
  const { config, checks } = configuredChecks(environment, await whereItListens(environment))
  const isOthers = config === null || (options.token === null && isStopped(config))
  const addresses = [isOthers ? null : ownAddress(config), options.url].filter((address) => address !== null)
  const tidy = createTidy(environment.HOME ?? '')
  const [here, report] = await Promise.all([runChecks(checks, tidy), reportOf(config, addresses, options)])
  // Measured after the other checks, so that only a proxy can delay it.
  const connection = options.url === null ? [] : await connectionTo(options.url, options)
  const service = report !== null && 'checks' in report ? report : null
  // The running service knows better than this process.
  const known = new Set(service?.checks.map(({ id }) => id))
  const refusal = report !== null && 'message' in report ? [fixedCheck('service', 'access', 'Report of the service', report)] : []
  const local = [...here.filter(({ id }) => !known.has(id)), ...await runChecks(refusal, tidy)]
  const all = [...local, ...service?.checks ?? [], ...connection]
  return {
    text: reportText(sections(local, service, connection), words.summary),
    value: { status: worstOf(all), local, service, connection },
    exitCode: worstOf(all) === 'error' ? exitCodes.failed : exitCodes.done
  }
}

/** Returns the variables of the service whose folders the environment names, if the supervisor starts it: those apply to it. */
function installedHere (environment: NodeJS.ProcessEnv): Record<string, string> {
  try {
    return installedVariables(readPlaces(environment)) ?? {}
  } catch (error) {
    if (error instanceof ConfigError) return {}
    throw error
  }
}

/** Throws WrongUsage. */
function readOptions (asked: CommandLine, environment: NodeJS.ProcessEnv): Options {
  const { SVC_TOKEN: token = null } = environment
  return {
    ...readAll({
      url: () => addressOf(asked, environment),
      holdS: () => numberOf(asked, 'hold', { least: 1, most: 600, usual: usualHoldS })
    }),
    token,
    isThorough: hasFlag(asked, 'thorough')
  }
}

function addressOf (asked: CommandLine, { SVC_URL }: NodeJS.ProcessEnv): string | null {
  const named = textOf(asked, 'url')
  const url = named ?? SVC_URL
  if (url !== undefined && !(/^https?:\/\/[^/@]+\/?$/.test(url) && URL.canParse(url))) {
    throw new WrongUsage(`${named === undefined ? 'SVC_URL' : '--url'} must be an address such as https://agent.example.org`)
  }
  return url?.replace(/\/$/, '') ?? null
}

function sections (local: Line[], service: Report | null, connection: Line[]): Section[] {
  return [
    { heading: 'This machine', lines: local },
    ...service === null ? [] : [{ heading: `The service, version ${service.version}`, lines: service.checks }],
    ...connection.length === 0 ? [] : [{ heading: 'Connection to the service', lines: connection }]
  ]
}

/** Returns where the running service listens, which may have been started with other options; null if none answers. */
async function whereItListens (environment: NodeJS.ProcessEnv): Promise<{ host: string, port: number } | null> {
  try {
    const { stateDir } = readPlaces(environment)
    if (isOfAgent(stateDir)) return null
    const { host, port } = await askOf(stateDir)('/api/console', ConsoleStatus)
    return { host, port }
  } catch {
    return null
  }
}

/** Whether a service has used a state folder and does not run now, as this user can see: then another service answers at its address. */
const isStopped = ({ stateDir }: { stateDir: string }): boolean =>
  existsSync(stateDir) && tried(() => runningProcess(stateDir) === null, false)

/** Returns the checks of this machine for the given configuration; the running service says where it listens. */
function configuredChecks (
  environment: NodeJS.ProcessEnv, listening: { host: string, port: number } | null
): { config: Config | null, checks: Check[] } {
  try {
    const config = { ...readConfig(environment), ...listening }
    keepSecrets(config)
    const isGated = config.password !== null || config.proxyHeader !== null || config.oidc !== null
    return {
      config,
      checks: [
        addressCheck({
          ...config,
          user: process.getuid?.() ?? 0,
          start: startLine(config),
          isService: async () => !isStopped(config) && await isAlive(ownAddress(config)),
          holder: () => holderOf(config.stateDir)
        }),
        ...checksOf({
          ...config, isLoopback: isLoopback(config.host), isGated: () => isGated || null, isSandboxOn: config.sandbox !== 'off'
        })
      ]
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const wrong = error.problems.map((text) => problem(text, 'Correct it in the environment of the service, or in the file .env of its folder.'))
    return { config: null, checks: [fixedCheck('environment', 'service', 'Environment', wrong), ...withoutConfiguration(environment)] }
  }
}

/** Returns the checks that are possible with an invalid environment: most depend only on the places. */
function withoutConfiguration (environment: NodeJS.ProcessEnv): Check[] {
  try {
    const places = readPlaces(environment)
    return checksOf({
      ...places, host: '', port: 0, isLoopback: true, trustedProxies: [], isGated: () => null, isSandboxOn: true, sandbox: 'auto',
      defaultWorkspace: places.home,
      env: Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))
    }).filter(({ id }) => id !== 'access' && id !== 'git')
  } catch (error) {
    if (error instanceof ConfigError) return []
    throw error
  }
}

type Facts = Omit<Parameters<typeof localChecks>[0], 'installedAs' | 'clock' | 'startedAt' | 'askTime' | 'gitEngine' | 'database' | 'isService' | 'environment'>

function checksOf (facts: Facts): Check[] {
  const clock = systemClock
  const system = createSystemGit()
  const git = createEngineChoice({ system, embedded: system, embeddedVersion: '', clock })
  return localChecks({
    ...facts,
    environment: process.env,
    installedAs: installedAs(findInstallation({ dist, startedAs: dist === null ? undefined : join(dist, 'server.js') })),
    isService: false,
    clock,
    startedAt: { wallMs: clock.now(), monotonicMs: monotonicMs(clock) },
    askTime: async () => null,
    gitEngine: async () => {
      const { version } = await git.current()
      return { engine: version === '' ? 'none' : 'git', version }
    },
    database: databaseFileCheck({ stateDir: facts.stateDir, isHeld: () => holderOf(facts.stateDir) !== null })
  })
}

const fixedCheck = (id: string, group: Line['group'], title: string, found: Finding | Finding[]): Check =>
  ({ id, group, title, run: () => found })

/** Whether a token may be sent to an address. Over plain HTTP to another machine it could be read on the way. */
const maySendToken = (address: string, { url }: Options): boolean => address !== url || isEncryptedOrLocal(address)

function isEncryptedOrLocal (address: string): boolean {
  const { protocol, isLocal } = usedOf(address)
  return protocol === 'https' || isLocal
}

const authorization = (address: string, options: Options): Record<string, string> =>
  options.token === null || !maySendToken(address, options) ? {} : { authorization: `Bearer ${options.token}` }

async function isAlive (address: string): Promise<boolean> {
  const answer = await fetch(`${address}/livez`, { redirect: 'manual', signal: AbortSignal.timeout(aliveMs) }).catch(() => null)
  const body: unknown = await answer?.json().catch(() => null)
  return answer?.status === 200 && fieldsOf(body).status === 'ok'
}

async function firstAlive (addresses: readonly string[]): Promise<string | null> {
  for (const address of addresses) if (await isAlive(address)) return address
  return null
}

/** Returns the running service's report, from its socket or the first address that answers; null if none runs; a finding if it failed. */
async function reportOf (config: Config | null, addresses: readonly string[], options: Options): Promise<Report | Finding | null> {
  const own = config === null ? null : await reportFromSocket(config, options)
  if (own !== null) return own
  const address = await firstAlive(addresses)
  if (address === null) return null
  if (options.token !== null && !maySendToken(address, options)) return skipped(tokenNotSent.message, useHttps)
  try {
    const answer = await fetch(`${address}/api/diagnostics${options.isThorough ? '?thorough=1' : ''}`, {
      headers: authorization(address, options), redirect: 'manual', signal: AbortSignal.timeout(reportMs)
    })
    const body: unknown = await answer.json().catch(() => null)
    if (answer.status === 200 && Array.isArray(fieldsOf(body).checks)) return body as Report
    return answer.status === 401 || answer.status === 403
      ? skipped(
        'The running service requires a token for its report.',
        `Create one with the scope admin under Settings → Devices and tokens, then:\nread -rs SVC_TOKEN; export SVC_TOKEN\n${commandLine('doctor')}`
      )
      : problem(`The running service answered with status ${answer.status}.`, 'See its log.')
  } catch {
    return problem('The running service did not send its report in time.', 'See its log, then check again.')
  }
}

/** Returns the report from the socket of the state folder; null if no service listens there, or its report has another form. */
async function reportFromSocket ({ stateDir }: Config, { isThorough }: Options): Promise<Report | null> {
  if (isOfAgent(stateDir)) return null
  return await overSocket(stateDir, `/api/diagnostics${isThorough ? '?thorough=1' : ''}`, undefined, reportMs).then(({ status, body }) =>
    status === 200 && Array.isArray(fieldsOf(body).checks) ? body as Report : null, () => null)
}

/** Checks the connection from this machine to an address. */
async function connectionTo (url: string, options: Options): Promise<Line[]> {
  const found = judge(await measure({ origin: url, headers: () => authorization(url, options), holdS: options.holdS }))
    .map(({ check, status, verdict, value, fix, fixValue }) => {
      const advice = fix === null
        ? null
        : [words.advice[fix], ...linesOf(fix, fixValue).map(({ program, text }) => `${program}:\n${indented(text)}`)].join('\n')
      const wantsSignIn = verdict === 'refused' && value === '401' && options.token === null
      return {
        id: check,
        group: 'connections' as const,
        title: words.titles[check],
        about: null,
        status,
        message: words.verdicts[verdict](value),
        fix: wantsSignIn ? tokenFix(url) : advice,
        code: null
      }
    })
  return options.token === null || maySendToken(url, options) ? found : [tokenNotSent, ...found]
}

/** Returns how to check a connection to a service that requires a sign-in. */
const tokenFix = (url: string): string => [
  'The service requires a sign-in. Give the doctor a token, made on the machine of the service, and check again:',
  `export SVC_TOKEN=$(${commandLine('token create --name doctor --scope admin --expires-in 1h')})`,
  commandLine(`doctor --url ${url}`)
].join('\n')

const tokenNotSent: Line = {
  id: 'token',
  group: 'connections',
  title: 'Token',
  about: null,
  status: 'warning',
  message: 'The token was not sent: over plain HTTP it can be read on the way.',
  fix: useHttps,
  code: null
}

const indented = (text: string): string => text.split('\n').map((line) => `  ${line}`).join('\n')
