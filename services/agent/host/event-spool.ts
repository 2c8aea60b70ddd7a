import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { parseJson } from '../../ground/text/parse-json.js'
import { flow } from '../limits.js'
import { weightOf, type RunBatch } from '../protocol.js'
import { isBatch } from '../runtime/incoming.js'

/** How much is kept while the service is away. Beyond it a run pauses, and with it the reading of its model. */
const mostBytes = 64 * 1_024 * 1_024

/** How often the reader checks whether what it sent is stored. */
const storedPauseMs = 10

/** A file with the events that no service has stored: one batch per line, each run's in order. Only its user can read it. */
export class EventSpool {
  #fd: number | null = null
  #bytes = 0

  constructor (readonly path: string, private readonly limitBytes = mostBytes) {}

  get isEmpty (): boolean { return this.#bytes === 0 }

  /** Appends a batch. Returns false if there was no room; then nothing of it was kept. */
  add (batch: RunBatch): boolean {
    const line = Buffer.from(`${JSON.stringify(batch)}\n`)
    if (this.#bytes + line.length > this.limitBytes) return false
    try {
      const fd = this.#opened()
      try {
        for (let from = 0; from < line.length;) from += writeSync(fd, line, from)
      } catch {
        // Half a line would corrupt the next one.
        ftruncateSync(fd, this.#bytes)
        return false
      }
      this.#bytes += line.length
      return true
    } catch {
      return false
    }
  }

  /** Empties the file. */
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

/** Yields the batches of a spool in order. Skips lines that are not batches, and ends where the file cannot be read. */
export async function * spooledBatches (path: string): AsyncGenerator<RunBatch> {
  const file = await open(path).catch(() => null)
  if (file === null) return
  try {
    for await (const line of file.readLines()) {
      const batch = readLine(line)
      if (batch !== null) yield batch
    }
  } catch {
    // The reader sees from the numbers what is missing.
  } finally {
    await file.close().catch(() => {})
  }
}

export interface SpoolReading {
  /** Number of the last event that the reader has. */
  after: number
  send: (batch: RunBatch) => void
  /** Number of the last event that is stored. */
  lastStored: () => number
  isWanted: () => boolean
}

/** Sends one run's events from a spool, no faster than they are stored. Returns the number of the last event sent. */
export async function sendSpooled (
  path: string, { runId, generation }: Pick<RunBatch, 'runId' | 'generation'>, { after, send, lastStored, isWanted }: SpoolReading
): Promise<number> {
  let [reached, portion, weight] = [after, after, 0]
  for await (const batch of spooledBatches(path)) {
    const last = batch.seq + batch.events.length - 1
    if (batch.runId !== runId || batch.generation !== generation || last <= reached) continue
    if (!isWanted() || batch.seq > reached + 1) break
    send(batch)
    reached = last
    for (const event of batch.events) weight += weightOf(event)
    if (weight < flow.windowChars / 2) continue
    while (lastStored() < portion && isWanted()) await delay(storedPauseMs)
    portion = reached
    weight = 0
  }
  return reached
}

function readLine (line: string): RunBatch | null {
  const batch = parseJson(line)
  return isBatch(batch) ? batch : null
}
