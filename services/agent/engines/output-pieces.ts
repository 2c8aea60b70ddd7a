import { type OutputPiece } from '../protocol.js'

/** How much of one call's output is sent while it runs: a burst, which refills over time. */
export const outputFlow = {
  burstBytes: 64 * 1_024,
  bytesPerS: 512,
  /** What a piece costs in addition to its text. */
  pieceBytes: 256,
  /** How much is sent at once at most: redacting credentials takes milliseconds in which the web tier does nothing else. */
  mostAtOnceBytes: 8 * 1_024,
  /** Part of the burst that is reserved for the end of an output that is too long. */
  reserveBytes: 16 * 1_024,
  /** How much of the newest end is sent at a time. */
  leastTailBytes: 2 * 1_024,
  mostTailBytes: 4 * 1_024,
  /** How much waits to be sent at most; of more, only the newest is kept. */
  waitingBytes: 8 * 1_024
} as const

/**
 * Takes in what a call prints, however fast, and returns it in pieces: all of it as long as there is room, else the beginning and
 * then, repeatedly, the newest end. A chunk costs the same whatever came before it, and the memory used is bounded. No
 * character is cut in two, and after a gap a piece begins with a new line.
 */
export class OutputPieces {
  /** Number of bytes printed; the first `#told` of them were sent or left out. */
  #printed = 0
  #told = 0
  /** Where the beginning ends, which is sent in full; null as long as nothing is left out. */
  #headEnd: number | null = null
  /** The bytes after `#told`. */
  #next: Buffer[] = []
  #nextBytes = 0
  #nextMost = 0
  /** The newest bytes, which do not fit into `#next`. */
  #newest: Buffer[] = []
  #newestBytes = 0
  /** Whether nothing of the last line could be sent: its continuation is not sent either. */
  #isMidLine = false
  #leftOutBytes = 0
  #roomBytes: number = outputFlow.burstBytes
  #lookedMs: number

  constructor (nowMs: number) {
    this.#lookedMs = nowMs
    this.#hold(Buffer.alloc(0))
  }

  push (chunk: Buffer): void {
    this.#printed += chunk.length
    const fitting = this.#newestBytes === 0 ? Math.max(0, Math.min(chunk.length, this.#nextMost - this.#nextBytes)) : 0
    if (fitting > 0) {
      this.#next.push(chunk.subarray(0, fitting))
      this.#nextBytes += fitting
    }
    if (fitting === chunk.length) return
    this.#newest.push(chunk.subarray(fitting))
    this.#newestBytes += chunk.length - fitting
    let oldest = this.#newest[0]
    while (oldest !== undefined && this.#newestBytes - oldest.length >= outputFlow.waitingBytes) {
      this.#newestBytes -= oldest.length
      this.#newest.shift()
      oldest = this.#newest[0]
    }
  }

  get hasNews (): boolean { return this.#printed > this.#told }

  /** Returns the pieces that can be sent now; none while there is no room. */
  take (nowMs: number): OutputPiece[] {
    const { burstBytes, bytesPerS, pieceBytes, leastTailBytes } = outputFlow
    this.#roomBytes = Math.min(burstBytes, this.#roomBytes + (nowMs - this.#lookedMs) / 1_000 * bytesPerS)
    this.#lookedMs = nowMs
    const waiting = this.#printed - this.#told
    if (waiting === 0) return []
    if (this.#nextBytes > outputFlow.mostAtOnceBytes) return this.#portion()
    const isGapless = this.#nextBytes + this.#newestBytes === waiting
    if (isGapless && !this.#isMidLine && waiting + pieceBytes <= this.#roomBytes) {
      return this.#goOn(Buffer.concat([...this.#next, ...this.#newest]))
    }
    return this.#roomBytes < leastTailBytes + pieceBytes ? [] : this.#leaveOut(isGapless)
  }

  /** Time in milliseconds until there is room for more. */
  get waitMs (): number {
    const { bytesPerS, pieceBytes, leastTailBytes } = outputFlow
    return Math.max(0, Math.ceil((leastTailBytes + pieceBytes - this.#roomBytes) / bytesPerS * 1_000))
  }

  /** Returns the first part of a large amount for which there is room; the rest follows with the next calls. */
  #portion (): OutputPiece[] {
    const bytes = Buffer.concat(this.#next)
    const end = wholeCharacters(bytes.subarray(0, outputFlow.mostAtOnceBytes))
    this.#told += end
    this.#next = [bytes.subarray(end)]
    this.#nextBytes -= end
    this.#nextMost -= end
    return [this.#piece(bytes.subarray(0, end))]
  }

  #goOn (bytes: Buffer): OutputPiece[] {
    const end = wholeCharacters(bytes)
    const pieces = end === 0 ? [] : [this.#piece(bytes.subarray(0, end))]
    this.#told += end
    this.#hold(bytes.subarray(end))
    return pieces
  }

  /** Returns the rest of the beginning, if that was not finished before, and the newest lines. */
  #leaveOut (isGapless: boolean): OutputPiece[] {
    const pieces: OutputPiece[] = []
    let next = Buffer.concat(this.#next)
    if (this.#headEnd === null) {
      const end = wholeCharacters(next)
      if (end > 0) pieces.push(this.#piece(next.subarray(0, end)))
      this.#told += end
      this.#headEnd = this.#told
      next = next.subarray(end)
    }
    const { mostTailBytes, pieceBytes, leastTailBytes } = outputFlow
    const last = isGapless ? Buffer.concat([next, ...this.#newest]) : Buffer.concat(this.#newest)
    const most = Math.min(mostTailBytes, Math.max(leastTailBytes, Math.floor(this.#roomBytes) - pieceBytes))
    const start = lineWithin(last, Math.max(0, last.length - most))
    const end = Math.max(start, wholeCharacters(last))
    this.#told = this.#printed - last.length + start
    this.#isMidLine = start === end
    pieces.push(this.#piece(last.subarray(start, end), this.#told - this.#headEnd))
    this.#told += end - start
    this.#hold(last.subarray(end))
    return pieces
  }

  #piece (bytes: Buffer, leftOutBytes = this.#leftOutBytes): OutputPiece {
    this.#leftOutBytes = leftOutBytes
    const text = printable(bytes.toString('utf8'))
    this.#roomBytes -= outputFlow.pieceBytes + Buffer.byteLength(JSON.stringify(text))
    return { text, leftOutBytes }
  }

  /** Releases what was taken, except for `rest`, the beginning of a character. */
  #hold (rest: Buffer): void {
    this.#next = rest.length === 0 ? [] : [Buffer.from(rest)]
    this.#nextBytes = rest.length
    this.#newest = []
    this.#newestBytes = 0
    this.#nextMost = this.#headEnd === null ? Math.max(0, Math.floor(this.#roomBytes) - outputFlow.reserveBytes) : 0
  }
}

/** Returns how many of the bytes are whole characters. An incomplete one at the end is left for later. */
function wholeCharacters (bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.readUInt8(bytes.length - back)
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

const isBreak = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d
/** A line that may belong to a key whose first line, by which keys are recognised, was left out. */
const material = /^[\w+/=-]{32,}$/
const word = /^[\w+/=-]*$/

/** Returns where the first line at or after `from` begins that cannot be the rest of a key; the end if there is none. */
function lineWithin (bytes: Buffer, from: number): number {
  let at = Math.max(0, from - 1)
  while (at < bytes.length && !isBreak(bytes[at])) at++
  let isBehindMaterial = false
  for (;;) {
    while (isBreak(bytes[at])) at++
    let end = at
    while (end < bytes.length && !isBreak(bytes[end])) end++
    const line = bytes.toString('latin1', at, end)
    const isMaterial = material.test(line) || (isBehindMaterial && end === bytes.length && word.test(line))
    if (at === bytes.length || !isMaterial) return at
    isBehindMaterial = true
    at = end
  }
}

/** Removes control characters except those that a terminal acts on, such as colours. NUL, which separates variables, ends a line. */
function printable (text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  return text.replace(/\0+/g, '\n').replace(/[\u0001-\u0006\u000e-\u001a\u001c-\u001f\u007f]+/g, '')
}
