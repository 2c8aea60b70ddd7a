import { type Static } from '@sinclair/typebox'
import { type Machine as MachineSchema } from '../../../schemas/machines.js'
import { type Description } from './description.js'
import { type Machine } from './presence.js'

type MachineWire = Static<typeof MachineSchema>

export function machineToWire ({ name, state, sinceS, note, told }: Machine): MachineWire {
  const wire = told === null ? nothing : toWire(told)
  return { name, state, since: sinceS, note, ...wire, load: state === 'away' ? null : wire.load }
}

/** The machine of the service itself. */
export function thisMachineToWire (told: Omit<Description, 'instance' | 'generation'>): MachineWire {
  return { name: null, state: 'ready', since: told.startedAt, note: null, ...toWire(told) }
}

const nothing = { version: null, platform: null, profiles: [], models: [], sandbox: null, load: null, workspaces: [] }

function toWire ({ version, platform, profiles, models, sandbox, load, workspaces }: Omit<Description, 'instance' | 'generation'>) {
  const { oneMinute, cores, memoryFreeMb, runs } = load
  return {
    version, platform, profiles, models, sandbox, load: { one_minute: oneMinute, cores, memory_free_mb: memoryFreeMb, runs }, workspaces
  }
}
