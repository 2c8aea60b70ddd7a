import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { flow } from '../limits.js'
import { weightOf, type RunBatch } from '../protocol.js'
import { isBatch } from '../runtime/incoming.js'

/** So much is kept for a service that is away; what comes then waits, and holds up its model. */
const mostBytes = 64 * 1_024 * 1_024

/** How often it is looked whether what was told is stored. */
const storedPauseMs = 10

/** What runs have said and no service has stored, in a file: a batch to a line, each run's in order. Readable for its user alone. */
export class SaidFile {
  #fd: number | null = null
  #bytes = 0

  constructor (readonly path: string, private readonly limitBytes = mostBytes) {}

  get isEmpty (): boolean { return this.#bytes === 0 }

  /** False: there is no room for it, and nothing of it was kept. */
  add (batch: RunBatch): boolean {
    const line = Buffer.from(`${JSON.stringify(batch)}\n`)
    if (this.#bytes + line.length > this.limitBytes) return false
    try {
      const fd = this.#opened()
      try {
        for (let from = 0; from < line.length;) from += writeSync(fd, line, from)
      } catch {
        // Half a line would spoil the next one.
        ftruncateSync(fd, this.#bytes)
        return false
      }
      this.#bytes += line.length
      return true
    } catch {
      return false
    }
  }

  /** Nothing of it is needed any more. */
  clear (): void {
    if (this.#fd === null) return
    ftruncateSync(this.#fd, 0)
    this.#bytes = 0
  }

  close (): void {
    if (this.#fd !== null) closeSync(this.#fd)
    this.#fd = null
  }

  #opened (): number {
    if (this.#fd !== null) return this.#fd
    this.#fd = openSync(this.path, 'a', 0o600)
    this.#bytes = fstatSync(this.#fd).size
    return this.#fd
  }
}

/** The batches of such a file, in its order. Lines that are none are left, and a file that cannot be read has none (any more). */
export async function * saidIn (path: string): AsyncGenerator<RunBatch> {
  const file = await open(path).catch(() => null)
  if (file === null) return
  try {
    for await (const line of file.readLines()) {
      const batch = readLine(line)
      if (batch !== null) yield batch
    }
  } catch {
    // What is missing is known by its number.
  } finally {
    await file.close().catch(() => {})
  }
}

export interface Telling {
  /** Number of the event behind which it begins. */
  after: number
  tell: (batch: RunBatch) => void
  /** Number of the last event that is stored. */
  stands: () => number
  isWanted: () => boolean
}

/** Tells what one run has said into a file, no faster than it is stored. Returns the number of the last event that was told. */
export async function tellSaid (
  path: string, { runId, generation }: Pick<RunBatch, 'runId' | 'generation'>, { after, tell, stands, isWanted }: Telling
): Promise<number> {
  let [reached, portion, weight] = [after, after, 0]
  for await (const batch of saidIn(path)) {
    const last = batch.seq + batch.events.length - 1
    if (batch.runId !== runId || batch.generation !== generation || last <= reached) continue
    if (!isWanted() || batch.seq > reached + 1) break
    tell(batch)
    reached = last
    for (const event of batch.events) weight += weightOf(event)
    if (weight < flow.windowChars / 2) continue
    while (stands() < portion && isWanted()) await delay(storedPauseMs)
    portion = reached
    weight = 0
  }
  return reached
}

function readLine (line: string): RunBatch | null {
  try {
    const batch: unknown = JSON.parse(line)
    return isBatch(batch) ? batch : null
  } catch {
    return null
  }
}
