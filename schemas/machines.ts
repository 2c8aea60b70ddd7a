import { Type } from '@sinclair/typebox'
import { Closed, Id, Nullable, OneOf, Seconds } from './common.js'

export const HostState = OneOf(['ready', 'away', 'refused'], 'away: it is not there; refused: it is, and does not work with this service')

export const Host = Closed({
  name: Nullable(Type.String(), 'what a workspace there begins with (name:/path); null = the machine of the service itself'),
  state: HostState,
  since: Seconds('epoch seconds: since when it is in this state; of one that is away, when it was last heard of'),
  note: Nullable(Type.String(), 'why, in words'),
  version: Nullable(Type.String()),
  platform: Nullable(Type.String()),
  profiles: Type.Array(Type.String()),
  models: Type.Array(Closed({ profile: Type.String(), provider: Type.String(), id: Type.String(), label: Type.String() }), {
    description: 'as far as they are known without asking their providers'
  }),
  sandbox: Nullable(Closed({
    available: Type.Boolean(), reason: Type.Optional(Type.String({ description: 'why commands cannot be confined' }))
  })),
  load: Nullable(Closed({
    one_minute: Type.Number(), cores: Type.Integer(), memory_free_mb: Type.Integer(), runs: Type.Integer({ description: 'turns at work' })
  }), 'null while it is not there'),
  workspaces: Type.Array(Type.String(), { description: 'folders in which its workspaces may lie, as paths of that machine' })
}, { title: 'Host', description: 'a machine that turns can run on' })

export const Hosts = Closed({
  enabled: Type.Boolean({ description: 'other machines can join: SVC_NATS_URL is set' }),
  connected: Type.Boolean({ description: 'the NATS server can be reached now' }),
  error: Nullable(Type.String(), 'why not, in words'),
  hosts: Type.Array(Host, { description: 'this machine first' })
}, { title: 'Hosts' })

export const ForgetHost = Type.Object({ name: Id('name of a machine that is away') })
