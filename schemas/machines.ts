import { Type } from '@sinclair/typebox'
import { Closed, Id, Nullable, OneOf, Seconds } from './common.js'

export const MachineState = OneOf(['ready', 'away', 'refused'], 'away: not connected; refused: connected, but incompatible with this service')

export const Machine = Closed({
  name: Nullable(Type.String(), 'name of the machine, and prefix of its workspaces (name:/path); null: the machine of the service'),
  state: MachineState,
  since: Seconds('epoch seconds: when this state began; for a machine that is away, when it was last seen'),
  note: Nullable(Type.String(), 'the reason, as a sentence'),
  version: Nullable(Type.String()),
  platform: Nullable(Type.String()),
  profiles: Type.Array(Type.String()),
  models: Type.Array(Closed({ profile: Type.String(), provider: Type.String(), id: Type.String(), label: Type.String() }), {
    description: 'models that are known without asking the providers'
  }),
  sandbox: Nullable(Closed({
    available: Type.Boolean(), reason: Type.Optional(Type.String({ description: 'why commands cannot be confined' }))
  })),
  load: Nullable(Closed({
    one_minute: Type.Number(), cores: Type.Integer(), memory_free_mb: Type.Integer(), runs: Type.Integer({ description: 'running turns' })
  }), 'null: the machine is not connected'),
  workspaces: Type.Array(Type.String(), { description: 'folders that may contain its workspaces, as paths on that machine' })
}, { title: 'Host', description: 'A machine that turns can run on' })

export const MachineList = Closed({
  enabled: Type.Boolean({ description: 'other machines can join: SVC_NATS_URL is set' }),
  connected: Type.Boolean({ description: 'the NATS server is reachable' }),
  error: Nullable(Type.String(), 'why it is not reachable, as a sentence'),
  hosts: Type.Array(Machine, { description: 'this machine first' })
}, { title: 'Hosts' })

export const ForgetMachine = Type.Object({ name: Id('name of a disconnected machine') })
