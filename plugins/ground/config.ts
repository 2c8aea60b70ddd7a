import { Value } from '@sinclair/typebox/value'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { readSyslog, type SyslogServer } from '../../services/areas/audit/syslog-server.js'
import { type OidcSettings } from '../../services/areas/auth/index.js'
import { remoteFolder } from '../../services/ground/remote-folder.js'
import { isLoopback } from '../../services/ground/network/loopback.js'
import { isKeyOf } from '../../services/ground/one-of.js'
import { inContainer } from '../../services/ground/process/container.js'
import { tried } from '../../services/ground/tried.js'
import { unknownVariables, withSecretFiles } from './config-environment.js'
import { readNats, type NatsSettings } from './config-nats.js'
import { readOidc } from './config-oidc.js'
import { defaults, Environment, isOn, secrets, syslogForm, type Values } from './config-variables.js'

const mostProbePorts = 32

/** Where the service stores its data, and how it is backed up. */
export interface Places {
  home: string
  stateDir: string
  /** `everyHours`: 0 = only when asked. `keep`: how many stay in `folder`. */
  backup: { folder: string, everyHours: number, keep: number }
}

export interface Config extends Places {
  /** Whether a new database may be created if an earlier one has disappeared. */
  startEmpty: boolean
  host: string
  port: number
  password: string | null
  /** The fixed header of a fronting proxy or token gate: a request that carries it comes from the operator. */
  proxyHeader: { name: string, value: string } | null
  cookieName: string
  profileCookieName: string
  /** Whether the service stays in the profile in whose home it was started. */
  isolatedProfile: boolean
  /** How long a sign-in lasts. Null: the settings decide. */
  sessionTtlS: number | null
  /** Whether cookies are `Secure` even if the service sees no TLS. */
  forceSecureCookies: boolean
  /** Whether the first password may be set from anywhere. */
  onboardingOpen: boolean
  /** Whether passkeys can be used. Null: config.yaml decides. */
  passkeys: boolean | null
  /** Null: signing in with OpenID Connect is off. */
  oidc: OidcSettings | null
  trustedProxies: string[]
  allowedOrigins: string[]
  defaultWorkspace: string
  /** Where other front ends of this machine store their sessions. */
  userHome: string
  maxUploadBytes: number
  mediaRoots: string[]
  gitReadonly: boolean
  /** How the service restarts after an update; null: this is decided by what supervises its process. */
  restart: 'exit' | 'self' | null
  /** How long turns continue while the service is away; null: they end with it. */
  outliveMs: number | null
  botName: string
  journal: { days: number, bytes: number }
  probeLocal: boolean
  /** Ports of this machine that are probed for model servers, in addition to the usual ones. */
  probePorts: number[]
  /** Whether terminal commands are confined if possible, never, or by the container as their boundary. */
  sandbox: 'auto' | 'off' | 'container'
  /** Whether webhooks and Web Push may go to this machine and to private networks. */
  webhookPrivate: boolean
  /** Where entries of the audit log are also sent; null: nowhere. */
  auditSyslog: SyslogServer | null
  /** Contact for push services: `mailto:…` or `https://…`; null: the public address of the service. */
  pushContact: string | null
  /** Null: no other machine can join. */
  nats: NatsSettings | null
  logLevel: string
  /** The environment itself, for the model providers' variables. */
  env: Record<string, string>
}

export class ConfigError extends Error {
  constructor (readonly problems: string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/**
 * Reads the environment once. Every secret may be given as a file instead (`SVC_WEBUI_PASSWORD_FILE=/run/secrets/…`, likewise
 * `OPENAI_API_KEY_FILE`). Throws one ConfigError that lists all problems.
 */
export function readConfig (environment: NodeJS.ProcessEnv, { isContainer = inContainer() } = {}): Config {
  const problems: string[] = []
  const env = withSecretFiles(environment, problems)
  const raw: Record<string, unknown> = {}
  for (const name of Object.keys(Environment.properties)) {
    const given = env[name] === '' && !secrets.has(name) ? undefined : env[name]
    const value = given ?? defaults[name]
    if (value !== undefined) raw[name] = value
  }
  const candidate = Value.Default(Environment, Value.Convert(Environment, raw))
  const named = new Set<string>()
  for (const error of Value.Errors(Environment, candidate)) {
    const name = error.path.split('/')[1] ?? ''
    if (named.has(name)) continue
    named.add(name)
    const expected = (isKeyOf(Environment.properties, name) ? Environment.properties[name].description : undefined) ?? error.message
    problems.push(`${name} must be ${expected}${secrets.has(name) ? '' : `, not "${String(raw[name])}"`}`)
  }
  // Missing values are among the problems, which are thrown before a value is used.
  const values = candidate as Values
  const trustedProxies = list(values.SVC_WEBUI_TRUSTED_PROXIES)
  for (const entry of trustedProxies) {
    if (!isNetwork(entry)) problems.push(`SVC_WEBUI_TRUSTED_PROXIES: "${entry}" is not an address or network, such as loopback, 172.18.0.1 or 10.0.0.0/8`)
  }
  const probePorts = list(values.SVC_WEBUI_PROBE_PORTS)
  for (const entry of probePorts) {
    if (!/^\d{1,5}$/.test(entry) || Number(entry) < 1 || Number(entry) > 65_535) {
      problems.push(`SVC_WEBUI_PROBE_PORTS: "${entry}" is not a port`)
    }
  }
  if (probePorts.length > mostProbePorts) problems.push(`SVC_WEBUI_PROBE_PORTS: at most ${mostProbePorts} ports`)
  if (remoteFolder(values.SVC_WEBUI_DEFAULT_WORKSPACE) !== null) {
    problems.push('SVC_WEBUI_DEFAULT_WORKSPACE must be a folder of this machine. Choose a folder of another machine in the settings')
  }
  const allowedOrigins = list(values.SVC_WEBUI_ALLOWED_ORIGINS)
  for (const entry of allowedOrigins) {
    if (!isOrigin(entry)) problems.push(`SVC_WEBUI_ALLOWED_ORIGINS: "${entry}" is not an origin such as https://chat.example.org`)
  }
  const auditSyslog = values.SVC_WEBUI_AUDIT_SYSLOG === undefined ? null : readSyslog(values.SVC_WEBUI_AUDIT_SYSLOG)
  if (auditSyslog === null && values.SVC_WEBUI_AUDIT_SYSLOG !== undefined) problems.push(`SVC_WEBUI_AUDIT_SYSLOG must be ${syslogForm}`)
  const oidc = readOidc(values, problems)
  const nats = readNats(values, problems, folder)
  const host = String(values.SVC_WEBUI_HOST)
  // A gate whose file cannot be read is a problem of its own.
  const gates = ['SVC_WEBUI_PASSWORD', 'SVC_WEBUI_PASSWORD_FILE', 'SVC_WEBUI_PROXY_HEADER', 'SVC_WEBUI_PROXY_HEADER_FILE']
  if (!named.has('SVC_WEBUI_HOST') && !isLoopback(host) && gates.every((gate) => env[gate] === undefined) && values.SVC_WEBUI_OIDC_ISSUER === undefined) {
    // A container's own address must be reachable, and its image gives no place for an option.
    const [password, otherwise] = isContainer ? ['', ''] : [' or --password-file', ', or listen on 127.0.0.1']
    problems.push(`SVC_WEBUI_HOST=${host} is reachable from other machines: set SVC_WEBUI_PASSWORD${password} (or SVC_WEBUI_OIDC_ISSUER, or SVC_WEBUI_PROXY_HEADER behind an authenticating proxy)${otherwise}`)
  }
  if (problems.length > 0) throw new ConfigError(problems)

  return {
    ...placesOf(values),
    startEmpty: isOn(values.SVC_WEBUI_START_EMPTY),
    host,
    port: values.SVC_WEBUI_PORT,
    password: values.SVC_WEBUI_PASSWORD ?? null,
    proxyHeader: headerOf(values.SVC_WEBUI_PROXY_HEADER),
    cookieName: cookieName(values.SVC_WEBUI_COOKIE_NAME, 'svc_session'),
    isolatedProfile: isOn(values.SVC_WEBUI_ISOLATED_PROFILE),
    profileCookieName: cookieName(values.SVC_WEBUI_PROFILE_COOKIE_NAME, 'svc_profile'),
    sessionTtlS: values.SVC_WEBUI_SESSION_TTL ?? null,
    forceSecureCookies: isOn(values.SVC_WEBUI_SECURE),
    onboardingOpen: isOn(values.SVC_WEBUI_ONBOARDING_OPEN),
    passkeys: values.SVC_WEBUI_PASSKEY === undefined ? null : isOn(values.SVC_WEBUI_PASSKEY),
    oidc,
    trustedProxies,
    allowedOrigins,
    defaultWorkspace: folder(values.SVC_WEBUI_DEFAULT_WORKSPACE),
    userHome: folder(env.HOME === undefined || env.HOME === '' ? ownHome() : env.HOME),
    maxUploadBytes: values.SVC_WEBUI_MAX_UPLOAD_MB * 1024 * 1024,
    mediaRoots: values.SVC_WEBUI_MEDIA_ROOTS.split(':').filter((entry) => entry !== '').map(folder),
    gitReadonly: isOn(values.SVC_WEBUI_GIT_READONLY),
    restart: values.SVC_WEBUI_RESTART ?? null,
    outliveMs: values.SVC_WEBUI_AWAY_MINUTES === 0 ? null : values.SVC_WEBUI_AWAY_MINUTES * 60_000,
    botName: values.SVC_WEBUI_BOT_NAME,
    journal: { days: values.SVC_WEBUI_JOURNAL_DAYS, bytes: values.SVC_WEBUI_JOURNAL_MB * 1024 * 1024 },
    probePorts: probePorts.map(Number),
    probeLocal: values.SVC_WEBUI_PROBE_LOCAL === undefined || isOn(values.SVC_WEBUI_PROBE_LOCAL),
    sandbox: sandboxOf(values.SVC_WEBUI_SANDBOX),
    webhookPrivate: isOn(values.SVC_WEBUI_WEBHOOK_PRIVATE),
    auditSyslog,
    pushContact: values.SVC_WEBUI_PUSH_CONTACT ?? null,
    nats,
    logLevel: String(values.LOG_LEVEL),
    env
  }
}

const placeNames = ['SVC_HOME', 'SVC_WEBUI_STATE_DIR', 'SVC_WEBUI_BACKUP_DIR', 'SVC_WEBUI_BACKUP_HOURS', 'SVC_WEBUI_BACKUP_KEEP'] as const

/** Reads only the places, for programs that need nothing else: other mistakes in the environment do not concern them. */
export function readPlaces (environment: NodeJS.ProcessEnv): Places {
  return readConfig(Object.fromEntries(placeNames.map((name) => [name, environment[name]])))
}

/** Returns the state folder of a service without `SVC_WEBUI_STATE_DIR`. */
export const usualStateDir = (home: string): string => join(home, 'webui')

function placesOf (values: Pick<Values, typeof placeNames[number]>): Places {
  const home = folder(values.SVC_HOME)
  const stateDir = values.SVC_WEBUI_STATE_DIR === undefined ? usualStateDir(home) : folder(values.SVC_WEBUI_STATE_DIR)
  return {
    home,
    stateDir,
    backup: {
      folder: values.SVC_WEBUI_BACKUP_DIR === undefined ? join(stateDir, 'backups') : folder(values.SVC_WEBUI_BACKUP_DIR),
      everyHours: values.SVC_WEBUI_BACKUP_HOURS,
      keep: values.SVC_WEBUI_BACKUP_KEEP
    }
  }
}

function list (text: string): string[] {
  return text.split(',').map((entry) => entry.trim()).filter((entry) => entry !== '')
}

/** Returns the home folder of this process's user. An empty HOME counts as not set. */
const ownHome = (): string => process.env.HOME === '' ? tried(() => userInfo().homedir, '/') : homedir()

function folder (path: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? join(ownHome(), path.slice(1)) : path
  return isAbsolute(expanded) ? resolve(expanded) : resolve(process.cwd(), expanded)
}

function sandboxOf (word: string | undefined): Config['sandbox'] {
  return word === 'container' ? word : word === undefined || isOn(word) ? 'auto' : 'off'
}

function isNetwork (entry: string): boolean {
  return entry === 'loopback' || ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry)
}

function isOrigin (entry: string): boolean {
  return URL.canParse(entry) && new URL(entry).origin === entry
}

/** Falls back to the default if the override is unusable, because an unusable name would lock everyone out. */
function cookieName (name: string, fallback: string): string {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name) ? name : fallback
}

function headerOf (line: string | undefined): Config['proxyHeader'] {
  if (line === undefined) return null
  const colon = line.indexOf(':')
  return { name: line.slice(0, colon).toLowerCase(), value: line.slice(colon + 1).trim() }
}

declare module 'fastify' {
  interface FastifyInstance {
    config: Config
    /** The variables with which the program was started, for npm and other programs that it starts for its own work. */
    environment: NodeJS.ProcessEnv
  }
}

interface ConfigPluginOptions { config: Config, environment: NodeJS.ProcessEnv }

export default fp(async (app: FastifyInstance, { config, environment }: ConfigPluginOptions) => {
  app.decorate('config', config)
  app.decorate('environment', environment)
  for (const words of unknownVariables(config.env)) app.log.warn(words)
}, { name: 'config' })
