import { type Static } from '@sinclair/typebox'
import { type Silent } from '../../../schemas/home-parts.js'
import { type TurnActivity } from '../chat/index.js'

/** How long a turn has to be silent until it is shown as silent. */
export const silentAfterMs = 10 * 60_000

type SilentWire = Static<typeof Silent>
type Cause = Pick<SilentWire, 'waiting_for' | 'detail'>

/** Returns what a turn waits for that has been silent for long; null if it has not, or there is none. */
export function silenceOf (activity: TurnActivity | undefined, isAsking: boolean, nowS: number): SilentWire | null {
  if (activity === undefined || activity.silentMs < silentAfterMs) return null
  return { since: Math.floor(nowS - activity.silentMs / 1000), ...causeOf(activity, isAsking) }
}

function causeOf ({ calls, model }: TurnActivity, isAsking: boolean): Cause {
  if (isAsking) return { waiting_for: 'person', detail: null }
  // Several calls may run at once; the latest is the most likely to be news.
  const call = calls.at(-1)
  if (call === undefined) return { waiting_for: 'model', detail: model }
  const detail = call.preview === '' ? null : call.preview
  if (call.name === 'terminal') return { waiting_for: 'command', detail }
  if (call.name === 'delegate') return { waiting_for: 'sub_agent', detail }
  return { waiting_for: 'tool', detail: call.name }
}
