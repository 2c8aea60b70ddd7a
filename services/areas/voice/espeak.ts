import { createLane } from '../../ground/concurrency/lane.js'
import { RelayFailed, Unavailable } from '../../ground/errors.js'
import { capture } from '../../ground/process/capture.js'
import { isProgram, searchPath } from '../../ground/process/environment.js'
import { completedWav } from './audio.js'
import { type Prosody } from './prosody.js'

const program = 'espeak-ng'
const usualWordsPerMinute = 175
const usualPitch = 50
const highestPitch = 99
/** 5,000 characters take two seconds, unless the machine is very busy. */
const limitMs = 60_000
/** The longest possible sound is half an hour, at 44,100 bytes a second. */
const maxBytes = 96 * 1024 * 1024
/** Each process holds its sound in memory. */
const atOnce = 2
const waitMs = 20_000
const niceness = 5

/**
 * Speech by espeak-ng, a program of the system. It runs in a process of its own, without the service's environment, and gets the text on
 * its standard input. `path`: where the program is searched, in the form of PATH.
 */
export function createEspeak ({ path }: { path: string | undefined }) {
  const env = { PATH: searchPath(path), LC_ALL: 'C.UTF-8' }
  const enter = createLane(atOnce, waitMs, 'other texts')

  const missing = (): Unavailable => new Unavailable(
    'This engine needs espeak-ng, which is not installed where the service runs. Install it, or choose another engine'
  )

  /**
   * Returns the text as a WAV file. Throws Unavailable if the program is missing or too many texts are queued, and RelayFailed when it
   * fails.
   */
  async function speak (text: string, voice: string, { rate, pitch }: Prosody, signal: AbortSignal): Promise<Buffer> {
    const args = [
      '--stdin', '--stdout', '-b', '1', '-v', voice, '-s', String(Math.round(usualWordsPerMinute * rate)), '-p',
      String(Math.min(highestPitch, Math.round(usualPitch * pitch)))
    ]
    const leave = await enter()
    try {
      const { ended, exitCode, stdout } = await capture(program, args, {
        cwd: '/', env, input: plain(text), signal, timeoutMs: limitMs, maxOutputBytes: maxBytes, abruptly: true, niceness
      }).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? missing() : error
      })
      if (ended === 'timeout' || ended === 'enough') throw new RelayFailed('espeak-ng took too long for this text')
      const sound = ended === 'exit' && exitCode === 0 ? completedWav(stdout) : null
      if (sound === null) throw new RelayFailed('espeak-ng could not speak this text')
      return sound
    } finally {
      leave()
    }
  }

  /** Throws Unavailable if the program is missing. */
  async function assertThere (): Promise<void> {
    if (!await isProgram(program, env.PATH)) throw missing()
  }

  return { speak, assertThere }
}

export type Espeak = ReturnType<typeof createEspeak>

/** Double brackets would be read as phonemes. */
const plain = (text: string): string => text.replaceAll(/\[(?=\[)/g, '[ ')
