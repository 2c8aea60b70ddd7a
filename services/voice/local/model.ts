import { open, readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { Unavailable } from '../../ground/errors.js'

/** A model for speech to text in a folder of the operator's; all paths absolute. */
export type SpeechModel =
  | { kind: 'whisper', encoder: string, decoder: string, tokens: string }
  | { kind: 'sense-voice' | 'paraformer', model: string, tokens: string }

/** Where the properties of a model are kept: behind its weights. They hold a few hundred numbers as text. */
const propertiesBytes = 128 * 1024
/** What models of a single file say that they are. */
const types = [['sense_voice_ctc', 'sense-voice'], ['paraformer', 'paraformer']] as const
/** Also of Whisper's, whose files are called after its size: `tiny.en-encoder.int8.onnx`. */
const encoderName = /^(.+)-encoder((?:\.int8)?\.onnx)$/

/**
 * Which model a folder holds: Whisper by the names of its files, the others by what `model.onnx` says of itself. Of two the smaller one, with
 * 8 bits, is taken. `named` is what config.yaml says. Throws Unavailable, in words without a path.
 */
export async function findModel (named: string | undefined): Promise<SpeechModel> {
  if (named === undefined || named.trim() === '') throw unusable('needs stt.model_dir, the folder of a model')
  const folder = named.trim().replace(/^~(?=\/|$)/, homedir())
  if (!isAbsolute(folder)) throw unusable('needs an absolute path as stt.model_dir')
  const names = await readdir(folder).catch(() => { throw unusable('names a folder as stt.model_dir that does not exist, or cannot be read') })
  const model = whisperAmong(names) ?? await singleFile(folder, names)
  if (model === null) throw unusable('names a folder as stt.model_dir that holds no known model: SenseVoice or Paraformer (model.onnx, tokens.txt), or Whisper (…-encoder.onnx, …-decoder.onnx, …-tokens.txt)')
  return 'model' in model
    ? { kind: model.kind, model: join(folder, model.model), tokens: join(folder, model.tokens) }
    : { kind: model.kind, encoder: join(folder, model.encoder), decoder: join(folder, model.decoder), tokens: join(folder, model.tokens) }
}

const unusable = (problem: string): Unavailable => new Unavailable(`Speech to text is not set up: stt.provider: local in config.yaml ${problem}`)

function whisperAmong (names: readonly string[]): SpeechModel | null {
  for (const encoder of names.toSorted(smallerFirst)) {
    const size = encoderName.exec(encoder)?.[1]
    if (size === undefined) continue
    const decoder = [`${size}-decoder.int8.onnx`, `${size}-decoder.onnx`].find((name) => names.includes(name))
    const tokens = [`${size}-tokens.txt`, 'tokens.txt'].find((name) => names.includes(name))
    if (decoder !== undefined && tokens !== undefined) return { kind: 'whisper', encoder, decoder, tokens }
  }
  return null
}

const smallerFirst = (one: string, other: string): number => Number(other.endsWith('.int8.onnx')) - Number(one.endsWith('.int8.onnx')) || (one < other ? -1 : 1)

async function singleFile (folder: string, names: readonly string[]): Promise<SpeechModel | null> {
  const model = ['model.int8.onnx', 'model.onnx'].find((name) => names.includes(name))
  if (model === undefined || !names.includes('tokens.txt')) return null
  const properties = await endOf(join(folder, model)).catch(() => { throw unusable('names a folder as stt.model_dir whose model cannot be read') })
  const kind = types.find(([type]) => properties.includes(type))?.[1]
  return kind === undefined ? null : { kind, model, tokens: 'tokens.txt' }
}

async function endOf (path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const length = Math.min(size, propertiesBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
