import { Type, type Static } from '@sinclair/typebox'
import { longestPassword } from '../../schemas/auth.js'
import { secretTracingVariables, tracingVariables } from '../../services/ground/tracing/variables.js'
import { natsVariables } from './config-nats.js'
import { oidcVariables } from './config-oidc.js'

const Flag = Type.Union(['1', 'true', 'yes', 'on', '0', 'false', 'no', 'off', ''].map((word) => Type.Literal(word)), {
  description: '1 or 0'
})
const Whole = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description })

export const syslogForm = 'udp://host:514, tcp://host:601 or tls://host:6514'

/** Every variable that the service reads, except for those of the model providers (see docs/configuration.md). */
export const Environment = Type.Object({
  SVC_HOME: Type.String({ default: '~/.svc', minLength: 1, description: 'a folder' }),
  SVC_WEBUI_STATE_DIR: Type.Optional(Type.String({ minLength: 1, description: 'a folder' })),
  SVC_WEBUI_START_EMPTY: Type.Optional(Flag),
  SVC_WEBUI_BACKUP_DIR: Type.Optional(Type.String({ minLength: 1, description: 'a folder' })),
  SVC_WEBUI_BACKUP_HOURS: Whole(0, 8_760, 'hours, 0 (never) to 8760'),
  SVC_WEBUI_BACKUP_KEEP: Whole(1, 1_000, 'a number of backups, 1 to 1000'),
  SVC_WEBUI_HOST: Type.String({ default: '127.0.0.1', minLength: 1, description: 'an address to listen on' }),
  SVC_WEBUI_PORT: Type.Integer({ default: 8787, minimum: 0, maximum: 65535, description: 'a port number' }),
  SVC_WEBUI_PASSWORD: Type.Optional(Type.String({
    minLength: 1, maxLength: longestPassword, description: `a password of 1 to ${longestPassword} characters`
  })),
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

/** Values of numbers, which are read like those that are set. */
export const defaults: Record<string, string> = {
  SVC_WEBUI_BACKUP_HOURS: '24',
  SVC_WEBUI_BACKUP_KEEP: '3',
  SVC_WEBUI_AWAY_MINUTES: '15',
  SVC_WEBUI_MAX_UPLOAD_MB: '20',
  SVC_WEBUI_JOURNAL_DAYS: '30',
  SVC_WEBUI_JOURNAL_MB: '1024'
}
/** Variables that may be given as a file, and are not repeated in errors. */
export const secrets = new Set<string>([
  'SVC_WEBUI_PASSWORD', 'SVC_WEBUI_PROXY_HEADER', 'SVC_WEBUI_OIDC_CLIENT_SECRET', ...secretTracingVariables
])

/** The variables as they are once they are checked. */
export type Values = Static<typeof Environment>

/** Whether a flag is set to a word that means yes. */
export function isOn (flag: unknown): boolean {
  return typeof flag === 'string' && ['1', 'true', 'yes', 'on'].includes(flag)
}
