import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { readSyslog, type SyslogServer } from '../../services/areas/audit/index.js'
import { type OidcSettings } from '../../services/areas/auth/index.js'
import { isStartedAnywhere } from '../../services/areas/updates/index.js'
import { dist } from '../../services/ground/assets.js'
import { codeOf } from '../../services/ground/errors.js'
import { remoteFolder } from '../../services/ground/location.js'
import { isLoopback } from '../../services/ground/loopback.js'
import { isKeyOf } from '../../services/ground/one-of.js'
import { secretTracingVariables, tracingVariables } from '../../services/ground/tracing/wanted.js'
import { parseDotenv } from '../../services/areas/profiles/index.js'
import { natsVariables, readNats, type NatsSettings } from './config-nats.js'
import { oidcVariables, readOidc } from './config-oidc.js'

const Flag = Type.Union(['1', 'true', 'yes', 'on', '0', 'false', 'no', 'off', ''].map((word) => Type.Literal(word)), {
  description: '1 or 0'
})
const Whole = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description })

const syslogForm = 'udp://host:514, tcp://host:601 or tls://host:6514'

/** Every variable that the service reads, except for those of the model providers (see docs/configuration.md). */
const Environment = Type.Object({
  SVC_HOME: Type.String({ default: '~/.svc', minLength: 1, description: 'a folder' }),
  SVC_WEBUI_STATE_DIR: Type.Optional(Type.String({ minLength: 1, description: 'a folder' })),
  SVC_WEBUI_START_EMPTY: Type.Optional(Flag),
  SVC_WEBUI_BACKUP_DIR: Type.Optional(Type.String({ minLength: 1, description: 'a folder' })),
  SVC_WEBUI_BACKUP_HOURS: Whole(0, 8_760, 'hours, 0 (never) to 8760'),
  SVC_WEBUI_BACKUP_KEEP: Whole(1, 1_000, 'a number of backups, 1 to 1000'),
  SVC_WEBUI_HOST: Type.String({ default: '127.0.0.1', minLength: 1, description: 'an address to listen on' }),
  SVC_WEBUI_PORT: Type.Integer({ default: 8787, minimum: 0, maximum: 65535, description: 'a port number' }),
  SVC_WEBUI_PASSWORD: Type.Optional(Type.String({ minLength: 1, description: 'a password' })),
  SVC_WEBUI_PROXY_HEADER: Type.Optional(Type.String({
    pattern: '^[A-Za-z0-9-]+:[ \\t]*\\S.*$', description: 'a header line such as "X-Api-Key: <secret>"'
  })),
  SVC_WEBUI_COOKIE_NAME: Type.String({ default: 'svc_session', description: 'a cookie name' }),
  SVC_WEBUI_PROFILE_COOKIE_NAME: Type.String({ default: 'svc_profile', description: 'a cookie name' }),
  SVC_WEBUI_ISOLATED_PROFILE: Type.Optional(Flag),
  SVC_WEBUI_SESSION_TTL: Type.Optional(Whole(60, 31_536_000, 'seconds, 60 to 31536000')),
  SVC_WEBUI_SECURE: Type.Optional(Flag),
  SVC_WEBUI_ONBOARDING_OPEN: Type.Optional(Flag),
  SVC_WEBUI_PASSKEY: Type.Optional(Flag),
  ...oidcVariables,
  SVC_WEBUI_TRUSTED_PROXIES: Type.String({ default: '', description: 'addresses or networks, separated by commas' }),
  SVC_WEBUI_ALLOWED_ORIGINS: Type.String({ default: '', description: 'origins such as https://chat.example.org, separated by commas' }),
  SVC_WEBUI_DEFAULT_WORKSPACE: Type.String({ default: '~/workspace', minLength: 1, description: 'a folder' }),
  SVC_WEBUI_MAX_UPLOAD_MB: Whole(1, 10_240, 'megabytes, 1 to 10240'),
  SVC_WEBUI_MEDIA_ROOTS: Type.String({ default: '', description: 'folders, separated by colons' }),
  SVC_WEBUI_GIT_READONLY: Type.Optional(Flag),
  SVC_WEBUI_RESTART: Type.Optional(Type.Union([Type.Literal('exit'), Type.Literal('self')], { description: 'exit or self' })),
  SVC_WEBUI_AWAY_MINUTES: Whole(0, 1_440, 'minutes, 0 (turns end with the service) to 1440'),
  SVC_WEBUI_BOT_NAME: Type.String({ default: 'Agent', description: 'a name' }),
  SVC_WEBUI_JOURNAL_DAYS: Whole(1, 3_650, 'days, 1 to 3650'),
  SVC_WEBUI_JOURNAL_MB: Whole(16, 1_048_576, 'megabytes, 16 to 1048576'),
  SVC_WEBUI_PROBE_LOCAL: Type.Optional(Flag),
  SVC_WEBUI_PROBE_PORTS: Type.String({ default: '' }),
  SVC_WEBUI_SANDBOX: Type.Optional(Type.Union([Flag, Type.Literal('container')], { description: '1, 0 or container' })),
  SVC_WEBUI_WEBHOOK_PRIVATE: Type.Optional(Flag),
  SVC_WEBUI_AUDIT_SYSLOG: Type.Optional(Type.String({ minLength: 1, description: syslogForm })),
  SVC_WEBUI_PUSH_CONTACT: Type.Optional(Type.String({
    pattern: '^(mailto:[^\\s@]+@[^\\s@]+|https://\\S+)$', description: 'mailto:you@example.org, or an address that begins with https://'
  })),
  ...natsVariables,
  LOG_LEVEL: Type.Union(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)), {
    default: 'info', description: 'one of fatal, error, warn, info, debug, trace, silent'
  })
})

/** Names of all variables, for comparison with the documentation. */
export const variables: readonly string[] = [...Object.keys(Environment.properties), ...tracingVariables]

const defaults: Record<string, string> = {
  SVC_WEBUI_BACKUP_HOURS: '24',
  SVC_WEBUI_BACKUP_KEEP: '3',
  SVC_WEBUI_AWAY_MINUTES: '15',
  SVC_WEBUI_MAX_UPLOAD_MB: '20',
  SVC_WEBUI_JOURNAL_DAYS: '30',
  SVC_WEBUI_JOURNAL_MB: '1024'
}
const secrets = new Set<string>([
  'SVC_WEBUI_PASSWORD', 'SVC_WEBUI_PROXY_HEADER', 'SVC_WEBUI_OIDC_CLIENT_SECRET', ...secretTracingVariables
])
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
export function readConfig (environment: NodeJS.ProcessEnv): Config {
  const problems: string[] = []
  const env = withSecretFiles(environment, problems)
  const raw: Record<string, unknown> = {}
  for (const name of Object.keys(Environment.properties)) {
    const value = env[name] ?? defaults[name]
    if (value !== undefined && (value !== '' || secrets.has(name))) raw[name] = value
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
  const values = candidate as Static<typeof Environment>
  const trustedProxies = list(values.SVC_WEBUI_TRUSTED_PROXIES)
  for (const entry of trustedProxies) {
    if (!isNetwork(entry)) problems.push(`SVC_WEBUI_TRUSTED_PROXIES: "${entry}" is not an address or network`)
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
  if (!named.has('SVC_WEBUI_HOST') && !isLoopback(host) && env.SVC_WEBUI_PASSWORD === undefined &&
    env.SVC_WEBUI_PROXY_HEADER === undefined && values.SVC_WEBUI_OIDC_ISSUER === undefined) {
    problems.push(`SVC_WEBUI_HOST=${host} is reachable from other machines: set SVC_WEBUI_PASSWORD (or SVC_WEBUI_OIDC_ISSUER, or SVC_WEBUI_PROXY_HEADER behind an authenticating proxy), or listen on 127.0.0.1`)
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
    userHome: folder(env.HOME ?? homedir()),
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

function placesOf (values: Pick<Static<typeof Environment>, typeof placeNames[number]>): Places {
  const home = folder(values.SVC_HOME)
  const stateDir = values.SVC_WEBUI_STATE_DIR === undefined ? join(home, 'webui') : folder(values.SVC_WEBUI_STATE_DIR)
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

/**
 * Returns the environment with the variables of a `.env` file in the folder a program is started in; the real environment wins. A program
 * that is installed for all folders reads none: the `.env` of a project, which anybody may have written, could open the service to others.
 */
export function localEnvironment (): NodeJS.ProcessEnv {
  if (dist !== null && isStartedAnywhere(dist)) return process.env
  try {
    return { ...parseDotenv(readFileSync('.env', 'utf8')), ...process.env }
  } catch {
    return process.env
  }
}

/** Replaces each `NAME_FILE` with `NAME` and the file's text, for names of secrets. */
function withSecretFiles (environment: NodeJS.ProcessEnv, problems: string[]): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) env[name] = value
  for (const [name, path] of Object.entries(env)) {
    const secret = name.slice(0, -'_FILE'.length)
    if (!name.endsWith('_FILE') || !(secrets.has(secret) || /_(API_KEY|TOKEN)$/.test(secret))) continue
    if (env[secret] !== undefined && env[secret] !== '') {
      problems.push(`${secret} and ${name} are both set: keep one`)
      continue
    }
    try {
      const text = readFileSync(path, 'utf8').trim()
      if (text === '' && secrets.has(secret)) problems.push(`${name}: ${path} is empty`)
      else env[secret] = text
    } catch (error) {
      problems.push(`${name}: ${path} ${unreadable[codeOf(error) ?? ''] ?? 'cannot be read'}`)
    }
  }
  return env
}

const unreadable: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read by the user of the service: change its owner or its permissions (chown, chmod)',
  EISDIR: 'is a folder, not a file. Docker creates a folder if the file to mount is missing: remove the folder, then write the file'
}

function list (text: string): string[] {
  return text.split(',').map((entry) => entry.trim()).filter((entry) => entry !== '')
}

function folder (path: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
  return isAbsolute(expanded) ? resolve(expanded) : resolve(process.cwd(), expanded)
}

function isOn (flag: unknown): boolean {
  return typeof flag === 'string' && ['1', 'true', 'yes', 'on'].includes(flag)
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

export interface ConfigPluginOptions { config: Config, environment: NodeJS.ProcessEnv }

export default fp(async (app: FastifyInstance, { config, environment }: ConfigPluginOptions) => {
  app.decorate('config', config)
  app.decorate('environment', environment)
}, { name: 'config' })
