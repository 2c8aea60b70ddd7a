import { Invalid, RelayFailed, TooLarge, Unavailable } from '../../ground/errors.js'
import { capture } from '../../ground/process/capture.js'
import { searchPath } from '../../ground/process/environment.js'
import { present } from '../../ground/present.js'
import { completedWav, type AudioFormat } from './audio.js'

const program = 'ffmpeg'
const sampleRate = 16_000
const halfAnHourS = 30 * 60
const bytesPerSecond = 2 * sampleRate
const limitMs = 60_000
/** The limit of a single memory allocation, whatever a file claims to need. */
const maxPieceBytes = 256 * 1024 * 1024
const niceness = 5

/** The names of the formats in ffmpeg. Naming the format keeps playlists of other files, which ffmpeg would follow, from being read. */
const demuxers: Readonly<Record<string, string>> = {
  wav: 'wav', mp3: 'mp3', ogg: 'ogg', webm: 'matroska', m4a: 'mov', mp4: 'mov', flac: 'flac'
}

/**
 * Decodes recordings with ffmpeg, a program of the system, in a process of its own. It gets the bytes on its standard input, without the
 * service's environment, and opens nothing else: no file that the recording names, and no address. Recordings with their index at the end
 * are read more than once, through a cache in an unnamed file. `path`: where the program is searched, in the form of PATH.
 */
export function createDecoder ({ path, longestS = halfAnHourS }: { path: string | undefined, longestS?: number }) {
  const env = { PATH: searchPath(path), LC_ALL: 'C.UTF-8' }

  /**
   * Returns the sound as a WAV file of one channel, 16 bits and 16 kHz. Throws Invalid for what cannot be decoded, TooLarge for more than
   * half an hour, Unavailable if the program is missing, and RelayFailed when it takes too long.
   */
  return async function decode (bytes: Buffer, { ending }: AudioFormat, signal: AbortSignal): Promise<Buffer> {
    const args = ['-nostdin', '-hide_banner', '-loglevel', 'quiet', '-max_alloc', String(
      maxPieceBytes
    ), '-protocol_whitelist', 'cache,pipe', '-f', present(demuxers[ending], 'the demuxer of a format'), '-i', 'cache:pipe:0',
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
    // Of a truncated recording, the part that could be read is used.
    const sound = completedWav(stdout)
    if (sound === null) throw new Invalid('The file could not be decoded as audio')
    return sound
  }
}

export type Decoder = ReturnType<typeof createDecoder>
