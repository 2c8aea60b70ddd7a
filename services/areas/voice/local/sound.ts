/** One channel of samples. */
export interface Sound {
  /** In Hz. */
  rate: number
  /** Signed, 16 bits, little-endian. */
  samples: Buffer
}

const bytesPerSample = 2
const plainFormat = 1
const [lowestRate, highestRate] = [8_000, 48_000]

/** Returns the sound of a WAV file with one channel of plain 16-bit samples; null for anything else, which has to be decoded. Pure. */
export function readWav (bytes: Buffer): Sound | null {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') return null
  let rate: number | null = null
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (name === 'fmt ' && content.length >= 16) {
      const [format, channels, bits] = [content.readUInt16LE(0), content.readUInt16LE(2), content.readUInt16LE(14)]
      rate = content.readUInt32LE(4)
      if (format !== plainFormat || channels !== 1 || bits !== 8 * bytesPerSample || rate < lowestRate || rate > highestRate) return null
    }
    if (name === 'data') {
      return rate === null || content.length < bytesPerSample
        ? null
        : { rate, samples: content.subarray(0, content.length - content.length % bytesPerSample) }
    }
    at += 8 + length + length % 2
  }
  return null
}

const headerBytes = 44

/** Returns a WAV file of one channel and 16 bits. Pure. */
export function writeWav (rate: number, samples: readonly Buffer[]): Buffer {
  const sizeBytes = samples.reduce((sum, { length }) => sum + length, 0)
  const header = Buffer.alloc(headerBytes)
  header.write('RIFF\0\0\0\0WAVEfmt ', 'latin1')
  header.writeUInt32LE(headerBytes - 8 + sizeBytes, 4)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(plainFormat, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * bytesPerSample, 28)
  header.writeUInt16LE(bytesPerSample, 32)
  header.writeUInt16LE(8 * bytesPerSample, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(sizeBytes, 40)
  return Buffer.concat([header, ...samples])
}

/**
 * Whisper hears half a minute, part of which is needed for the silence at the end; other models take more time per second for longer
 * pieces.
 */
const longestS = 28
/** How far back from there a quiet place is searched. */
const searchedS = 8
/** About as long as the shortest pause between words. */
const quietS = 0.1

/** Cuts a sound into pieces that models can process, each at the quietest place near its end. Lazy, because the search takes time. */
export function * pieces ({ rate, samples }: Sound): Generator<Sound> {
  const longest = longestS * rate * bytesPerSample
  let from = 0
  while (samples.length - from > longest) {
    const searched = samples.subarray(from + longest - searchedS * rate * bytesPerSample, from + longest)
    const end = from + longest - searched.length + quietestPlace(searched, Math.round(quietS * rate))
    yield { rate, samples: samples.subarray(from, end) }
    from = end
  }
  yield { rate, samples: samples.subarray(from) }
}

/** Returns the middle of the quietest window of `window` samples, in bytes; of several equal ones, the last. */
function quietestPlace (sound: Buffer, window: number): number {
  let [quietest, place] = [Infinity, sound.length]
  const step = Math.max(1, Math.floor(window / 2))
  const count = sound.length / bytesPerSample
  for (let first = 0; first + window <= count; first += step) {
    let loudness = 0
    for (let at = first; at < first + window; at++) loudness += Math.abs(sound.readInt16LE(at * bytesPerSample))
    if (loudness <= quietest) [quietest, place] = [loudness, (first + Math.floor(window / 2)) * bytesPerSample]
  }
  return place
}
