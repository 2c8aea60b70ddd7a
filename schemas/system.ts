import { Type } from '@sinclair/typebox'
import { Nullable } from './common.js'

export const Health = Type.Object({
  status: Type.Literal('ok'),
  sessions: Type.Integer(),
  active_streams: Type.Integer(),
  active_runs: Type.Integer(),
  uptime_seconds: Type.Number()
})
export const Alive = Type.Object({ status: Type.Literal('ok') })
export const Ready = Type.Object({ status: Type.String(), database: Type.Boolean(), agent: Type.Boolean() })

export const SystemHealth = Type.Object({
  status: Type.Literal('ok'),
  version: Type.String(),
  node: Type.String(),
  sqlite: Type.String(),
  uptime_seconds: Type.Number(),
  memory_bytes: Type.Integer(),
  open_event_streams: Type.Integer(),
  active_turns: Type.Integer(),
  agent: Type.Object({
    profile: Type.String(),
    running: Type.Boolean(),
    pid: Nullable(Type.Integer()),
    runs: Type.Integer()
  }),
  git: Type.Object({
    engine: Type.String({ description: 'git, or isomorphic-git where git is not installed' }),
    version: Type.String()
  }),
  sandbox: Type.Object({
    available: Type.Boolean({ description: 'commands run confined to the workspace' }),
    kind: Nullable(Type.String()),
    version: Nullable(Type.String()),
    note: Type.String()
  })
})
