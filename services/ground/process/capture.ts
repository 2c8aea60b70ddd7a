import { signalGroup } from './ending.js'
import { RunningProgram, type Ending, type Exit, type ProgramOptions } from './program.js'

export interface CaptureOptions extends ProgramOptions {
  /** The program is stopped (`enough`) if its standard output exceeds this. */
  maxOutputBytes: number
  /** Receives standard output piece by piece, up to the limit. The outcome's `stdout` is then empty. */
  onOutput?: (chunk: Buffer) => void
}

export interface Captured extends Exit {
  /** Standard output up to the limit, or until the program was stopped. */
  stdout: Buffer
  /** The first 64 KiB, as UTF-8. */
  stderr: string
  ended: Ending
}

const maxErrorBytes = 64 * 1024

/**
 * Runs a program to its end and returns its output, whatever its exit code. On time limit, abort and too much output its process group gets
 * SIGTERM, then SIGKILL, and none of it is left when this resolves. Otherwise processes that outlive the program are left alone. Starts
 * nothing if the signal is aborted already. Rejects with the system's error if the program cannot be started.
 */
export async function capture (file: string, args: readonly string[], options: CaptureOptions): Promise<Captured> {
  if (options.signal?.aborted === true) return { exitCode: null, killedBy: null, stdout: Buffer.alloc(0), stderr: '', ended: 'abort' }
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  const { onOutput = (chunk: Buffer) => { stdout.push(chunk) } } = options
  const program = new RunningProgram(file, args, {
    ...options,
    onStdout: upTo(options.maxOutputBytes, onOutput),
    onStderr: upTo(maxErrorBytes, (chunk) => { stderr.push(chunk) })
  })
  try {
    const exit = await program.exited
    await Promise.race([program.closed, program.stopped])
    if (program.ending !== 'exit') {
      // Without its leader, the rest of the group has nothing to finish.
      if (program.pid !== undefined) signalGroup(program.pid, 'SIGKILL')
      await program.stopped
    }
    return { ...exit, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), ended: program.ending }
  } finally {
    program.release()
  }
}

/** Passes on the first `maxBytes` bytes, and returns false once there are more. */
function upTo (maxBytes: number, take: (chunk: Buffer) => void): (chunk: Buffer) => boolean {
  let leftBytes = maxBytes
  return (chunk) => {
    if (leftBytes > 0) take(chunk.length <= leftBytes ? chunk : chunk.subarray(0, leftBytes))
    leftBytes -= chunk.length
    return leftBytes >= 0
  }
}
