import { type AuditPort } from '../audit/index.js'
import { type Machine, type Presence } from './presence.js'

/** Records which machines join, are refused and leave. One that was silent for a while is the same one when it is heard of again. */
export function recordMachines (presence: Pick<Presence, 'on'>, audit: Pick<AuditPort, 'soonest'>, known: readonly Machine[]): void {
  const seen = new Map(known.map((machine) => [machine.name, standingOf(machine)]))
  presence.on('changed', (machine) => {
    const { name, state, note, hasLeft } = machine
    const standing = standingOf(machine)
    if (standing === null || seen.get(name) === standing) return
    seen.set(name, standing)
    if (hasLeft) audit.soonest('machine.left', { machine: name })
    else audit.soonest('machine.joined', { machine: name, note }, state === 'refused' ? 'failed' : 'ok')
  })
  presence.on('forgotten', (name) => { seen.delete(name) })
}

/** Null: it is silent, and nothing is known of why. */
function standingOf ({ state, hasLeft, told }: Machine): string | null {
  if (hasLeft) return 'left'
  return state === 'away' ? null : `${state} ${told?.instance ?? ''}`
}
