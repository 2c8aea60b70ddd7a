import { type Duplex } from 'node:stream'
import { killMarked } from '../../ground/process/processes.js'
import { JsonLines } from '../json-lines.js'
import { type HostConnection } from './connection.js'

export interface HostProcess {
  pid: number | null
  channel: Duplex
  /** Mark of its processes. */
  mark: string
  kill (): void
  /** The first message. */
  hello?: unknown
  /** Only for a host that can outlive this service: leaves it running. */
  release?: (() => void) | undefined
  /** Called when the channel is closed; by default the host is then killed. */
  closed?: (reason: string) => void
}

const stopGraceMs = 1_500
/** Far more than the largest real message: a summary of a long conversation, or the text of a step. */
const longestMessageChars = 64 * 1_024 * 1_024

/** Connects to a host process of this machine. The caller calls `gone` when the process has ended. */
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
      // A host that was declared dead must not keep working beside its successor.
      kill()
      for (const leave of exitListeners) leave(reason)
      // However it ended, its commands end with it, including those that ignored signals or that it had no time to end.
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
        // This also ends a host that is stopped (SIGSTOP) and cannot react.
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
