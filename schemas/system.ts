import { Type } from '@sinclair/typebox'
import { Closed, Nullable, OneOf } from './common.js'
import { ConfigError, ConfigProblems } from './profiles-config.js'
import { InstalledAs } from './updates.js'

export const Reason = OneOf([
  'disk_full', 'disk_read_only', 'disk_failing', 'database_locked', 'database_damaged', 'no_file_handles', 'upgrading'
],
'why the service cannot store data or open files; absent: all is well')

const LogLinesDropped = Type.Integer({ description: 'log lines that could not be written since the start' })

const upgrade = {
  message: Type.Optional(Type.String({ description: 'progress while the database is upgraded, such as "upgrading 40 %"' })),
  progress: Type.Optional(Type.Number({ description: 'progress of the upgrade, 0 to 1' }))
}

export const Health = Closed({
  status: OneOf(['ok', 'degraded', 'upgrading']),
  reason: Type.Optional(Reason),
  ...upgrade,
  sessions: Type.Optional(Type.Integer({ description: 'absent until the service has started' })),
  active_streams: Type.Integer(),
  active_runs: Type.Integer(),
  uptime_seconds: Type.Number(),
  log_lines_dropped: LogLinesDropped
}, { title: 'Health' })
export const Alive = Closed({ status: Type.Literal('ok') }, { title: 'Alive' })
export const Ready = Closed({
  status: OneOf(['ok', 'unavailable']),
  reason: Type.Optional(Reason),
  ...upgrade,
  database: Type.Boolean({ description: 'the database can be read and written' }),
  agent: Type.Boolean()
}, { title: 'Ready' })

export const SystemHealth = Closed({
  status: OneOf(['ok', 'degraded']),
  reason: Type.Optional(Reason),
  version: Type.String(),
  installed_as: InstalledAs,
  node: Type.String(),
  sqlite: Type.String(),
  uptime_seconds: Type.Number(),
  memory_bytes: Type.Integer(),
  open_event_streams: Type.Integer(),
  active_turns: Type.Integer(),
  log_lines_dropped: LogLinesDropped,
  database: Closed({
    version: Type.Integer({ description: 'how many migrations were applied' }),
    writable: Type.Boolean(),
    check: Type.String({
      description: 'result of the full check after the start: pending, ok, damaged or unfinished; none for a database in memory'
    })
  }),
  backup: Closed({
    every_hours: Type.Integer({ description: 'hours between automatic backups; 0: no automatic backups' }),
    result: Type.String({ description: 'state of the last backup: ok, failed, running or none' }),
    last_at: Nullable(Type.Number({ description: 'epoch seconds: the newest backup' })),
    age_seconds: Nullable(Type.Integer()),
    kept: Type.Integer(),
    warning: Nullable(Type.String())
  }),
  config: Closed({ profile: Type.String(), error: ConfigError, problems: ConfigProblems }),
  agent: Closed({
    profile: Type.String(),
    running: Type.Boolean(),
    pid: Nullable(Type.Integer()),
    runs: Type.Integer()
  }),
  git: Closed({
    engine: Type.String({ description: 'git, or isomorphic-git where git is not installed' }),
    version: Type.String()
  }),
  sandbox: Closed({
    available: Type.Boolean({ description: 'commands are confined to the workspace' }),
    kind: Nullable(Type.String(), 'bwrap: a sandbox of their own; container: the container is the boundary'),
    version: Nullable(Type.String(), 'version of bubblewrap or setpriv'),
    note: Type.String()
  })
}, { title: 'SystemHealth' })
