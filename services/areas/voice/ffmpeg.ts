import { Invalid, RelayFailed, TooLarge, Unavailable } from '../../ground/errors.js'
import { capture } from '../../ground/process/capture.js'
import { searchPath } from '../../ground/process/environment.js'
import { completedWav, type AudioFormat } from './audio.js'

const program = 'ffmpeg'
const sampleRate = 16_000
const halfAnHourS = 30 * 60
const bytesPerSecond = 2 * sampleRate
const limitMs = 60_000
/** Of a single piece of memory, whatever a file says that it needs. */
const maxPieceBytes = 256 * 1024 * 1024
const niceness = 5

/** What the formats are called there. Naming the one it is keeps lists of other files, which it would follow, from being read. */
const demuxers: Readonly<Record<string, string>> = {
  wav: 'wav', mp3: 'mp3', ogg: 'ogg', webm: 'matroska', m4a: 'mov', mp4: 'mov', flac: 'flac'
}

/**
 * Decodes recordings by ffmpeg, a program of the system, in a process of its own: it gets the bytes on its standard input and nothing of
 * the service's environment, and opens nothing else: no file that is named in the recording, and no address. Recordings with their index at
 * the end are gone through more than once, which its cache does in a file without a name. `path`: where it is looked for, as PATH has it.
 */
export function createDecoder ({ path, longestS = halfAnHourS }: { path: string | undefined, longestS?: number }) {
  const env = { PATH: searchPath(path), LC_ALL: 'C.UTF-8' }

  /**
   * The sound as a WAV file of one channel, 16 bits and 16 kHz. Throws Invalid for what cannot be decoded, TooLarge for more than half an
   * hour, Unavailable where there is no such program, and RelayFailed when it takes too long.
   */
  return async function decode (bytes: Buffer, { ending }: AudioFormat, signal: AbortSignal): Promise<Buffer> {
    const args = ['-nostdin', '-hide_banner', '-loglevel', 'quiet', '-max_alloc', String(
      maxPieceBytes
    ), '-protocol_whitelist', 'cache,pipe', '-f', demuxers[ending]!, '-i', 'cache:pipe:0',
    '-map', '0:a:0', '-map_metadata', '-1', '-threads', '1', '-t', String(
      longestS + 1
    ), '-ac', '1', '-ar', String(sampleRate), '-c:a', 'pcm_s16le', '-fflags', '+bitexact', '-flags:a', '+bitexact', '-f', 'wav', 'pipe:1']
    const { ended, stdout } = await capture(program, args, {
      cwd: '/', env, input: bytes, signal, timeoutMs: limitMs, maxOutputBytes: longestS * bytesPerSecond + 1_024, abruptly: true, niceness
    }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT'
        ? new Unavailable(
          'Decoding this recording needs ffmpeg, which is not installed where the service runs. Install it, or send a WAV file'
        )
        : error
    })
    if (ended === 'enough') throw new TooLarge('The recording is longer than half an hour')
    if (ended === 'timeout') throw new RelayFailed('ffmpeg took too long for this recording')
    // What was cut off is worth what could be read of it.
    const sound = completedWav(stdout)
    if (sound === null) throw new Invalid('The file could not be decoded as audio')
    return sound
  }
}

export type Decoder = ReturnType<typeof createDecoder>
