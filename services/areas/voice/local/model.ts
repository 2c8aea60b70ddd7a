import { join } from 'node:path'
import { Unavailable } from '../../../ground/errors.js'
import { propertiesOf, readModelFolder, smallerFirst, type ModelFolder } from './folder.js'

/**
 * A transcription model in a folder of the operator's; all paths absolute. Kinds that end in `-live` report each word as they hear it.
 */
export type SpeechModel =
  | { kind: 'whisper' | 'paraformer-live', encoder: string, decoder: string, tokens: string }
  | { kind: 'transducer-live', encoder: string, decoder: string, joiner: string, tokens: string }
  | { kind: 'sense-voice' | 'paraformer' | 'ctc-live', model: string, tokens: string }

export type SpeechModelKind = SpeechModel['kind']

/** How models of a single file identify themselves. */
const types = [['sense_voice_ctc', 'sense-voice'], ['paraformer', 'paraformer']] as const
/** Whisper's files are named after its size: `tiny.en-encoder.int8.onnx`. */
const whisperEncoder = /^(.+)-encoder((?:\.int8)?\.onnx)$/
/** `encoder-epoch-99-avg-1-chunk-16-left-128.int8.onnx`; decoder and joiner have the same endings. */
const liveEncoder = /^encoder(.*?)(\.int8)?\.onnx$/
const liveCtc = /^ctc-.*chunk.*\.onnx$/
/** Property of streaming models; models for whole recordings have files of the same names. */
const livingProperty = 'decode_chunk_len'

const unusable = (problem: string): Unavailable =>
  new Unavailable(`Speech to text is not set up: stt.provider: local in config.yaml ${problem}`)

/**
 * Finds the model in a folder, by the names of its files and by its properties. Of two variants the smaller one, with 8 bits, is chosen.
 * `named` is the value in config.yaml. Throws Unavailable, without a path in its text.
 */
export async function findModel (named: string | undefined): Promise<SpeechModel> {
  const place = await readModelFolder(named, 'stt.model_dir', unusable)
  const model = whisperAmong(place) ?? await liveAmong(place) ?? await singleFile(place)
  if (model === null) {
    throw unusable('names a folder as stt.model_dir that holds no known model: SenseVoice or Paraformer (model.onnx, tokens.txt), Whisper (…-encoder.onnx, …-decoder.onnx, …-tokens.txt), ' +
      'or a streaming Zipformer or Paraformer (encoder….onnx, decoder….onnx, joiner….onnx, tokens.txt)')
  }
  return model
}

function whisperAmong ({ folder, names }: ModelFolder): SpeechModel | null {
  for (const encoder of names.toSorted(smallerFirst)) {
    const size = whisperEncoder.exec(encoder)?.[1]
    if (size === undefined) continue
    const decoder = [`${size}-decoder.int8.onnx`, `${size}-decoder.onnx`].find((name) => names.includes(name))
    const tokens = [`${size}-tokens.txt`, 'tokens.txt'].find((name) => names.includes(name))
    if (decoder !== undefined && tokens !== undefined) {
      return { kind: 'whisper', encoder: join(folder, encoder), decoder: join(folder, decoder), tokens: join(folder, tokens) }
    }
  }
  return null
}

async function liveAmong ({ folder, names }: ModelFolder): Promise<SpeechModel | null> {
  if (!names.includes('tokens.txt')) return null
  const tokens = join(folder, 'tokens.txt')
  const partner = (role: string, rest: string): string | undefined =>
    [`${role}${rest}.int8.onnx`, `${role}${rest}.onnx`].find((name) => names.includes(name))
  for (const name of names.toSorted(smallerFirst)) {
    if (liveCtc.test(name)) return { kind: 'ctc-live', model: join(folder, name), tokens }
    const rest = liveEncoder.exec(name)?.[1]
    const decoder = rest === undefined ? undefined : partner('decoder', rest)
    if (rest === undefined || decoder === undefined) continue
    const files = { encoder: join(folder, name), decoder: join(folder, decoder), tokens }
    const properties = await propertiesIn(files.encoder)
    const joiner = partner('joiner', rest)
    if (joiner === undefined && properties.includes('paraformer')) return { kind: 'paraformer-live', ...files }
    if (joiner !== undefined && properties.includes(livingProperty)) {
      return { kind: 'transducer-live', ...files, joiner: join(folder, joiner) }
    }
  }
  return null
}

async function singleFile ({ folder, names }: ModelFolder): Promise<SpeechModel | null> {
  const model = ['model.int8.onnx', 'model.onnx'].find((name) => names.includes(name))
  if (model === undefined || !names.includes('tokens.txt')) return null
  const properties = await propertiesIn(join(folder, model))
  const kind = types.find(([type]) => properties.includes(type))?.[1]
  return kind === undefined ? null : { kind, model: join(folder, model), tokens: join(folder, 'tokens.txt') }
}

async function propertiesIn (path: string): Promise<Buffer> {
  return await propertiesOf(path).catch(() => { throw unusable('names a folder as stt.model_dir whose model cannot be read') })
}
