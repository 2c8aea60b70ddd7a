import { fieldsOf } from '../../ground/fields.js'

/** The numbers of a digest. */
export interface DigestCounts { ended: number, failed: number, waiting: number, running: number, queued: number }

const nothing: DigestCounts = { ended: 0, failed: 0, waiting: 0, running: 0, queued: 0 }

/** Merges two held messages into one, in which ended turns and runs become a number. Both are bodies of messages, as JSON text. */
export function folded (earlier: string, later: string): string {
  const other = fieldsOf(JSON.parse(later))
  const [before, after] = [countsOf(fieldsOf(JSON.parse(earlier))), countsOf(other)]
  const counts = {
    ...nothing, ...(after.isDigest ? after.counts : { ...before.counts, waiting: before.counts.waiting + after.counts.waiting }),
    ended: before.counts.ended + after.counts.ended, failed: before.counts.failed + after.counts.failed
  }
  return JSON.stringify({ kind: 'digest', title: '', profile: other.profile, session_id: null, counts, tag: 'digest', at: other.at })
}

function countsOf ({ kind, status, counts }: Record<string, unknown>): { isDigest: boolean, counts: DigestCounts } {
  if (status === 'resumed' || status === 'at_limit') return { isDigest: false, counts: { ...nothing, waiting: status === 'at_limit' ? 1 : 0 } }
  if (kind !== 'digest') return { isDigest: false, counts: { ...nothing, ended: 1, failed: status === 'ok' ? 0 : 1 } }
  const { ended, failed, waiting, running, queued } = fieldsOf(counts)
  return {
    isDigest: true,
    counts: {
      ended: wholeOf(ended), failed: wholeOf(failed), waiting: wholeOf(waiting), running: wholeOf(running), queued: wholeOf(queued)
    }
  }
}

const wholeOf = (value: unknown): number => typeof value === 'number' ? value : 0
