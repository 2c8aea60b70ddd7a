import { Type } from '@sinclair/typebox'
import { Closed, Flag, Nullable, OneOf, Seconds } from './common.js'

const status = ['ok', 'warning', 'error', 'skipped'] as const

export const DiagnosticsQuery = Type.Object({
  thorough: Flag('also asks a model of each provider for one word, which may cost something, and starts external agents')
})

/** Findings that clients say in their own language: what a service meets most often, and all about its state folder, clock and disks. */
export const diagnosticsCodes = [
  'sandbox_off', 'sandbox_missing', 'git_missing', 'git_author_missing', 'backup_to_come', 'backups_off', 'provider_missing',
  'sign_in_missing', 'sign_in_missing_proxy', 'traffic_open', 'state_folder_ok', 'state_folder_missing', 'runs_as_root', 'link_broken',
  'owner_differs', 'open_to_all', 'open_to_group', 'disk_full', 'disk_read_only', 'not_writable', 'not_openable', 'not_openable_own',
  'clock_right', 'clock_unasked', 'clock_ahead', 'clock_behind', 'clock_far_ahead', 'clock_far_behind', 'clock_set_back',
  'clock_before_write', 'disk_room', 'disk_low', 'disk_almost_full', 'disk_backup_room', 'disk_few_files', 'memory_use',
  'memory_use_group', 'open_files', 'git_ready', 'git_author', 'git_workspace', 'git_workspace_plain', 'git_workspace_missing',
  'git_workspace_owner', 'git_logins', 'git_no_logins', 'push_works', 'push_none', 'push_no_keys', 'updates_off', 'updates_unchecked',
  'updates_current', 'log_written', 'machines_off', 'nats_connected', 'machine_connected', 'machine_version', 'machine_away',
  'sandbox_works', 'sandbox_unfiltered', 'sandbox_container', 'backup_nothing', 'backup_age', 'backup_late', 'backup_by_hand',
  'provider_agents', 'mcp_none', 'mcp_ready', 'mcp_idle', 'mcp_off', 'mcp_sign_in', 'agents_none', 'configuration_fine',
  'internet_direct', 'ripgrep_works',
  'database_intact', 'database_checking', 'database_in_memory', 'program_version', 'program_node_old', 'port_answers', 'sign_in_needed',
  'sign_in_needed_proxy', 'sign_in_local', 'provider_answers', 'provider_invalid_key', 'provider_no_quota', 'provider_rate_limited',
  'provider_timed_out', 'provider_no_answer', 'schedules_fine', 'schedule_failed', 'schedule_undelivered', 'schedule_ended', 'traces_taken',
  'proxy_answers', 'proxy_accepts_login', 'configuration_broken'
] as const
export type DiagnosticsCode = typeof diagnosticsCodes[number]

export const DiagnosticsCheck = Closed({
  id: Type.String({ description: 'id of the check, such as `state-folder`' }),
  group: OneOf(['service', 'storage', 'access', 'agent', 'models', 'connections']),
  title: Type.String({ description: 'what was checked' }),
  about: Nullable(Type.String(), 'which one is meant, such as the name of a provider'),
  status: OneOf(status),
  message: Type.String({ description: 'what was found' }),
  fix: Nullable(Type.String(), 'what to do about it, with commands and settings on separate lines'),
  code: Nullable(
    Type.String(),
    'name of the sentences in `message` and the first line of `fix`, for clients that show them in another language: ' +
      `${diagnosticsCodes.map((code) => `\`${code}\``).join(', ')}; null: they have none`
  ),
  values: Type.Optional(Type.Record(Type.String(), Type.String(), {
    description: 'what the sentences of the code contain: `path`, `target` of a link, the user ids `owner` and `user`, `code` of the system\'s error, ' +
      '`seconds`, `hours`, the sizes `free`, `needed`, `used` and `limit` with their unit (`limit` of open files without one), the numbers `count`, ' +
      '`open` and `messages`, `version` (`needed`: the least), `own` for the version of the service, `size` and `log` of the database, `host` ' +
      'and `port`, `profile`, and `reason`, a sentence in English'
  }))
}, { title: 'DiagnosticsCheck' })

export const DiagnosticsReport = Closed({
  status: OneOf(['ok', 'warning', 'error'], 'the worst result of all checks'),
  version: Type.String({ description: 'version of the service' }),
  at: Seconds(),
  took_ms: Type.Integer(),
  checks: Type.Array(DiagnosticsCheck)
}, { title: 'DiagnosticsReport' })

export const ProbeQuery = Type.Object({
  hold_s: Type.Optional(Type.String({ description: 'seconds for which the stream stays open, 1 to 600; default: 30' }))
})

/** The frames of `GET /api/diagnostics/stream`, by the name of the event. */
export const probeFrames = {
  seen: Closed({
    protocol: OneOf(['http', 'https'], 'as the service understands it; decides whether cookies are Secure'),
    host: Type.String({ description: 'as the service understands it' }),
    address: Type.String({ description: 'address of the client, as the service understands it' }),
    peer: Type.String({ description: 'address at the other end of the connection: the client, or a proxy' }),
    forwarded_is_believed: Type.Boolean({ description: 'SVC_WEBUI_TRUSTED_PROXIES names the peer, and the request has X-Forwarded-For' }),
    forwarded_for: Nullable(Type.String(), 'header X-Forwarded-For as received'),
    forwarded_proto: Nullable(Type.String(), 'header X-Forwarded-Proto as received'),
    forwarded_host: Nullable(Type.String(), 'header X-Forwarded-Host as received'),
    last_event_id: Nullable(Type.String(), 'header Last-Event-ID as received'),
    secure_cookies: Type.Boolean({ description: 'cookies set for this client are Secure' }),
    max_upload_bytes: Type.Integer({ description: 'largest file that can be uploaded' }),
    hold_s: Type.Integer({ description: 'seconds after which the stream ends with `end`' }),
    at: Seconds()
  }, { description: 'what the service saw of the request' }),
  tick: Closed({
    number: Type.Integer({ description: 'counted from 1' }),
    sent_ms: Type.Number({ description: 'milliseconds since the first frame' })
  }, { description: 'one of eight frames, 150 ms apart; a proxy that buffers delivers them together' }),
  end: Closed({}, { description: 'the stream was not cut' })
}

export const ProbeBytes = Type.Unsafe<unknown>({ description: 'any bytes' })
export const ProbeUpload = Closed({ received_bytes: Type.Integer() }, { title: 'ProbeUpload' })
