import { Invalid } from '../../ground/errors.js'

/** An audio format, by the name that speech services use. */
export interface AudioFormat { ending: string, type: string }

export const wavFormat: AudioFormat = { ending: 'wav', type: 'audio/wav' }

/** What recorders of browsers and phones make, and transcription services accept. Video containers may hold only sound too. */
const formats: Readonly<Record<string, AudioFormat>> = {
  'audio/wav': wavFormat,
  'audio/mpeg': { ending: 'mp3', type: 'audio/mpeg' },
  'audio/ogg': { ending: 'ogg', type: 'audio/ogg' },
  'application/ogg': { ending: 'ogg', type: 'audio/ogg' },
  'audio/webm': { ending: 'webm', type: 'audio/webm' },
  'video/webm': { ending: 'webm', type: 'audio/webm' },
  'audio/x-m4a': { ending: 'm4a', type: 'audio/mp4' },
  'audio/mp4': { ending: 'm4a', type: 'audio/mp4' },
  'video/mp4': { ending: 'mp4', type: 'audio/mp4' },
  'audio/flac': { ending: 'flac', type: 'audio/flac' },
  'audio/x-flac': { ending: 'flac', type: 'audio/flac' }
}

/** Detects the audio format from the bytes; undefined for anything else, and for formats that no service accepts. */
export async function audioFormat (bytes: Buffer): Promise<AudioFormat | undefined> {
  // Loaded late, because the service does not need it at its start.
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined)
  return found === undefined ? undefined : formats[found.mime.replace(/;.*$/, '')]
}

/** Returns the format of a recording. Throws Invalid if it is not audio of a known format. */
export async function assertAudio (bytes: Buffer): Promise<AudioFormat> {
  const format = await audioFormat(bytes)
  if (format === undefined) throw new Invalid('The file cannot be transcribed. Send wav, mp3, m4a, mp4, ogg, webm or flac')
  return format
}

const headerBytes = 44

/**
 * Writes the real sizes into the header of a WAV file that was written to a pipe, whose writer did not know them. Returns null if it is not
 * such a file, or holds no sound.
 */
export function completedWav (bytes: Buffer): Buffer | null {
  const isPlain = bytes.length > headerBytes && bytes.toString('latin1', 0, 4) === 'RIFF' &&
    bytes.toString('latin1', 8, 16) === 'WAVEfmt ' && bytes.toString('latin1', 36, 40) === 'data'
  if (!isPlain) return null
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.writeUInt32LE(bytes.length - headerBytes, 40)
  return bytes
}
