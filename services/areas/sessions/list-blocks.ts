import { type Pace } from '../../ground/concurrency/pace.js'

/** A row of a list: as finished text, with what it is ordered and found by. */
export interface ListEntry { id: string, title: string, activeAt: number, text: string, isOwn: boolean }

/** Rows that stand together, as the bytes that they are in an answer. */
interface Block { entries: readonly ListEntry[], bytes: Buffer }

const meanRows = 64
const mostRows = 256

/**
 * A list's rows as finished bytes, so many rows together: a change makes the blocks anew that it is in, and no others. Where
 * a block ends depends on the row there alone; so a row that is put in or taken out does not move the ends of all that follow.
 */
export function createBlocks (keptLists: number) {
  /** Of each list the blocks of its last answer, by their first rows. */
  const kept = new Map<string, Map<ListEntry, Block>>()

  /** The blocks of an answer one by one. */
  function * blocksOf (list: string, rows: readonly ListEntry[]): Generator<Block> {
    const before = kept.get(list)
    const now = new Map<ListEntry, Block>()
    for (let start = 0, first = rows[0]; first !== undefined; first = rows[start]) {
      const end = endOf(rows, start)
      const known = before?.get(first)
      const block = known !== undefined && isRun(known.entries, rows, start, end) ? known : blockOf(rows.slice(start, end))
      now.set(first, block)
      yield block
      start = end
    }
    if (!kept.has(list) && kept.size >= keptLists) kept.clear()
    kept.set(list, now)
  }

  return {
    /** To be put together as they are: the inside of a JSON array. */
    bytes: (list: string, rows: readonly ListEntry[]): Buffer[] =>
      [...blocksOf(list, rows)].map(({ bytes }, index) => index === 0 ? bytes.subarray(1) : bytes),

    /** Makes those that are not there yet. */
    async prepare (list: string, rows: readonly ListEntry[], pace: Pace): Promise<void> {
      for (const block of blocksOf(list, rows)) {
        if (block.entries.length > 0) await pace()
      }
    }
  }
}

const blockOf = (entries: readonly ListEntry[]): Block => ({ entries, bytes: Buffer.from(`,${entries.map(({ text }) => text).join(',')}`) })

function isRun (entries: readonly ListEntry[], rows: readonly ListEntry[], start: number, end: number): boolean {
  return entries.length === end - start && entries.every((entry, index) => entry === rows[start + index])
}

function endOf (rows: readonly ListEntry[], start: number): number {
  const most = Math.min(start + mostRows, rows.length)
  for (let index = start; index < most; index++) {
    const row = rows[index]
    if (row !== undefined && endsBlock(row)) return index + 1
  }
  return most
}

/** Of ids that count up or are random alike, about one of so many. */
function endsBlock ({ id }: ListEntry): boolean {
  let sum = 0
  for (let index = 0; index < id.length; index++) sum = (Math.imul(sum, 31) + id.charCodeAt(index)) | 0
  return ((sum ^ (sum >>> 7)) & (meanRows - 1)) === 0
}
