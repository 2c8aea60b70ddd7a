import { type Duplex } from 'node:stream'
import { killMarked } from '../../ground/process/processes.js'
import { JsonLines } from '../json-lines.js'
import { type HostConnection } from './connection.js'

export interface HostProcess {
  pid: number | null
  channel: Duplex
  /** What its processes are marked with. */
  mark: string
  kill (): void
  /** What is said first. */
  hello?: unknown
  /** Where it goes on without this service: called when it is to do so. */
  release?: (() => void) | undefined
  /** Called when the channel is closed; by default a host without one is killed. */
  closed?: (reason: string) => void
}

const stopGraceMs = 1_500
/** Far beyond what a host says at once: a summary of a long conversation, the text of a step. */
const longestMessageChars = 64 * 1_024 * 1_024

/** The connection to a host process of this machine. `gone`: to be called when the process is. */
export function connectTo (
  { pid, channel, mark, kill, hello, release, closed = kill }: HostProcess
): { connection: HostConnection, gone: (reason: string) => void } {
  const exitListeners: Array<(reason: string) => void> = []
  let listener: ((message: unknown) => void) | null = null
  const early: unknown[] = []
  let isGone = false
  const { promise: isOver, resolve: ended } = Promise.withResolvers<void>()
  const lines = new JsonLines(channel, {
    message (message) { listener === null ? early.push(message) : listener(message) }, closed
  }, longestMessageChars)
  if (hello !== undefined) lines.send(hello)
  return {
    gone (reason) {
      if (isGone) return
      isGone = true
      // Declared dead, it must not go on working beside its successor.
      kill()
      for (const leave of exitListeners) leave(reason)
      // However it ended, its commands end with it; also those that would not listen, or that it had no time for.
      void killMarked(mark).then(() => ended())
    },
    connection: {
      pid,
      send: (message) => lines.send(message),
      onMessage (take) {
        listener = take
        for (const message of early.splice(0)) take(message)
      },
      onExit (gone) { exitListeners.push(gone) },
      stop () {
        lines.finish({ type: 'end' })
        // Also a host that is stopped, and cannot do anything about it.
        const timer = setTimeout(() => { if (!isGone) kill() }, stopGraceMs)
        void isOver.then(() => clearTimeout(timer))
        return isOver
      },
      ...(release !== undefined && {
        release () {
          lines.close()
          release()
        }
      }),
      kill
    }
  }
}
