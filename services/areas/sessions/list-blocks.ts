import { type Pace } from '../../ground/concurrency/pace.js'

/** A row of a list: its finished text, with the values that it is ordered and searched by. */
export interface ListEntry { id: string, title: string, activeAt: number, text: string, isOwn: boolean }

/** Adjacent rows, as the bytes that they have in an answer. */
interface Block { entries: readonly ListEntry[], bytes: Buffer }

const meanRows = 256
const mostRows = 1024

/**
 * Caches the rows of a list as finished bytes, in blocks of several rows: a change rebuilds only the blocks that it is in. Where a block
 * ends depends only on the row there, so inserting or removing a row does not move the ends of all blocks behind it.
 */
export function createBlocks (keptLists: number) {
  /** For each list, the blocks of its last answer by their first rows. */
  const kept = new Map<string, Map<ListEntry, Block>>()

  /** Yields the blocks of an answer. */
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
    /** Returns buffers to be concatenated as they are: the inside of a JSON array. */
    bytes: (list: string, rows: readonly ListEntry[]): Buffer[] =>
      [...blocksOf(list, rows)].map(({ bytes }, index) => index === 0 ? bytes.subarray(1) : bytes),

    /** Makes the blocks that do not exist yet. */
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

/** True for about one in `meanRows` ids, whether ids count up or are random. */
function endsBlock ({ id }: ListEntry): boolean {
  let sum = 0
  for (let index = 0; index < id.length; index++) sum = (Math.imul(sum, 31) + id.charCodeAt(index)) | 0
  return ((sum ^ (sum >>> 7)) & (meanRows - 1)) === 0
}
