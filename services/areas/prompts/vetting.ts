import { type ApprovalAsk, type BudgetOffer, type RunEvent } from '../../agent/protocol.js'

export interface Vetting {
  /** The run is on another machine. */
  isElsewhere: boolean
  /** How far the service offers to lift the limit that is used up. */
  offers: () => BudgetOffer[]
}

/**
 * Returns an event with what of its card counts, whatever its run says. A yes lifts a limit up to where the service offers it. What another
 * machine shows to a person, and what it has them grant, need not be the same: that holds for the conversation at most, and for no run of
 * this machine.
 */
export function vetAsk (event: RunEvent, vetting: Vetting): RunEvent {
  return event.t === 'ask' && event.kind === 'approval' ? { ...event, body: vetted(event.body, vetting) } : event
}

function vetted (ask: ApprovalAsk, { isElsewhere, offers }: Vetting): ApprovalAsk {
  return {
    ...ask,
    ...(isElsewhere && ask.maxScope === 'always' && { maxScope: 'session' as const }),
    ...(ask.budget !== undefined && { budget: offers() })
  }
}
