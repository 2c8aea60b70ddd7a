import { writeSync } from 'node:fs'
import { wrappedCode } from '../database/trouble.js'

/** Returns a line, in the form of the lines around it, that says that some are missing. */
export type Notice = (count: number, code: string) => string

/** How much output waits at most for a reader that is stuck. More is dropped. */
const longestWaitingBytes = 1024 * 1024
const busyRetryMs = 50
const lostRetryMs = 5_000
/** At the end of the process: how often writing to a stuck reader is tried again, and the pause between. */
const lastAttempts = 20
const lastPauseMs = 10

interface Output {
  write (text: string | Uint8Array): void
  lost (): number
  end (): void
}

const outputs = new Map<1 | 2, Output>()

/** Returns how many lines of the log, on both outputs, could not be written since the process began. */
export function linesLost (): number {
  let sum = 0
  for (const output of outputs.values()) sum += output.lost()
  return sum
}

/** The notice for outputs that a person reads. */
export const inWords: Notice = (count, code) => `${count} ${count === 1 ? 'line' : 'lines'} of the log could not be written (${code}).\n`

/**
 * Makes standard output and standard error safe for a log, for `console`, the logger and worker threads alike: a full disk, a reader that
 * is gone or one that is stuck costs lines and nothing else. Lost lines are counted, and reported as soon as writing works again. Must be
 * called once, before anything is written.
 */
export function neverFailToWrite ({ stdout, stderr }: { stdout: Notice, stderr: Notice } = { stdout: inWords, stderr: inWords }): void {
  for (const [fd, stream, notice] of [[1, process.stdout, stdout], [2, process.stderr, stderr]] as const) {
    const output = createOutput(fd, notice)
    outputs.set(fd, output)
    stream.on('error', () => {})
    stream.write = (chunk: string | Uint8Array, second?: unknown, third?: unknown) => {
      output.write(chunk)
      const told = [second, third].find((each): each is () => void => typeof each === 'function')
      if (told !== undefined) process.nextTick(told)
      return true
    }
  }
  process.on('exit', () => { for (const output of outputs.values()) output.end() })
}

/**
 * Writes a text that its reader needs whole, and waits for a slow reader. Returns null, or the code of the error: `EPIPE` if the reader is
 * gone.
 */
export function writeWhole (fd: 1 | 2, text: string): string | null {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length;) {
    try {
      from += writeSync(fd, bytes, from)
    } catch (error) {
      const code = wrappedCode(error)
      if (code !== 'EAGAIN') return code
      pause()
    }
  }
  return null
}

const pause = (): void => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastPauseMs) }

function createOutput (fd: 1 | 2, notice: Notice): Output {
  let waiting: Buffer = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined
  let lost = 0
  let untold = 0
  let lastCode = ''
  /** Whether the last line written is incomplete, so that the next text would become a part of it. */
  let isMidLine = false

  function drop (chunk: Buffer, code: string): void {
    const count = linesIn(chunk)
    lost += count
    untold += count
    lastCode = code
    later(lostRetryMs)
  }

  /** Writes as much as possible, and returns the rest if the reader is only slow. */
  function put (chunk: Buffer): Buffer {
    for (let from = 0; ;) {
      try {
        from += writeSync(fd, chunk, from)
        isMidLine = chunk[from - 1] !== newline
        if (from >= chunk.length) return chunk.subarray(from)
      } catch (error) {
        const code = wrappedCode(error)
        if (code === 'EAGAIN') return chunk.subarray(from)
        drop(chunk.subarray(from), code)
        return chunk.subarray(chunk.length)
      }
    }
  }

  function tellOfLost (): boolean {
    if (untold === 0) return true
    const count = untold
    try {
      const text = Buffer.from(`${isMidLine ? '\n' : ''}${notice(count, lastCode)}`)
      // As a whole or not at all, as far as that can be known.
      if (writeSync(fd, text) < text.length) {
        isMidLine = true
        return false
      }
    } catch {
      return false
    }
    untold -= count
    isMidLine = false
    return true
  }

  function later (ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      flush()
    }, ms).unref()
  }

  function flush (): void {
    if (!tellOfLost()) return later(lostRetryMs)
    if (waiting.length > 0) waiting = put(waiting)
    if (waiting.length > 0) later(busyRetryMs)
  }

  return {
    write (text) {
      const chunk = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text)
      if (chunk.length === 0) return
      if (waiting.length > 0) {
        if (waiting.length + chunk.length > longestWaitingBytes) drop(chunk, 'EAGAIN')
        else waiting = Buffer.concat([waiting, chunk])
        return
      }
      if (!tellOfLost()) return drop(chunk, lastCode)
      waiting = put(chunk)
      if (waiting.length > 0) later(busyRetryMs)
    },
    lost: () => lost,
    end () {
      clearTimeout(timer)
      for (let attempt = 0; attempt < lastAttempts; attempt++) {
        if (tellOfLost() && waiting.length > 0) waiting = put(waiting)
        if (waiting.length === 0) return
        pause()
      }
    }
  }
}

const newline = 0x0a

function linesIn (chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) count++
  return Math.max(1, count)
}
