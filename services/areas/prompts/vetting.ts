import { type ApprovalAsk, type BudgetOffer, type RunEvent } from '../../agent/protocol.js'

export interface Vetting {
  /** Whether the run is on another machine. */
  isElsewhere: boolean
  /** Returns how far the service offers to raise the used-up limit. */
  offers: () => BudgetOffer[]
}

/**
 * Returns an event with the parts of its card corrected that the run must not decide. Allowing it raises a limit as far as the service
 * offers. What another machine shows to a person may differ from what it wants granted, so that grant is limited to the conversation and
 * applies to no run of this machine.
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
