import { type AuditPort } from '../audit/index.js'
import { type Machine, type Presence } from './presence.js'

/**
 * Records in the audit log which machines join, are refused and leave. A machine that was silent for a while and is heard again has not
 * joined anew.
 */
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

/** Returns null for a machine that is silent for an unknown reason. */
function standingOf ({ state, hasLeft, told }: Machine): string | null {
  if (hasLeft) return 'left'
  return state === 'away' ? null : `${state} ${told?.instance ?? ''}`
}
