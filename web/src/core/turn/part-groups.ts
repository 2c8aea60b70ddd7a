import { type ShownPart } from './exchange.js'
import { workOf, type Part, type WorkSummary } from './turn.js'

/** Parts that are drawn together: work that collapses into one line, or something to read. */
export type PartGroup = { kind: 'work', key: string, parts: readonly ShownPart[] } | { kind: 'said', key: string, part: ShownPart }

const isWork = ({ kind }: ShownPart): boolean => kind === 'call' || kind === 'reasoning' || kind === 'event'

/** Groups parts in order, collecting the work between texts. A text, once shown, never moves or disappears into a group. */
export function groupParts (parts: readonly ShownPart[]): PartGroup[] {
  const groups: Array<{ kind: 'work', key: string, parts: ShownPart[] } | Exclude<PartGroup, { kind: 'work' }>> = []
  for (const part of parts) {
    const last = groups.at(-1)
    if (!isWork(part)) groups.push({ kind: 'said', key: part.key, part })
    else if (last?.kind === 'work') last.parts.push(part)
    else groups.push({ kind: 'work', key: `work ${part.key}`, parts: [part] })
  }
  return groups
}

/** Summarises one group; its seconds are those of its calls. */
export function workOfGroup (parts: readonly Part[]): WorkSummary {
  const seconds = parts.reduce((sum, part) => sum + (part.kind === 'call' ? part.durationS ?? 0 : 0), 0)
  return workOf({ parts, durationS: seconds === 0 ? null : seconds })
}
