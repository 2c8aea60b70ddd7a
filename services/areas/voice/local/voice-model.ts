import { join } from 'node:path'
import { Unavailable } from '../../../ground/errors.js'
import { propertiesOf, readModelFolder, smallerFirst, type ModelFolder } from './folder.js'

/** Files that models of all kinds may come with; all paths absolute, empty if missing. Lists are joined by commas. */
interface Beside { tokens: string, lexicon: string, dataDir: string, ruleFsts: string, ruleFars: string }

type ModelFiles =
  | { kind: 'vits', model: string }
  | { kind: 'kokoro', model: string, voices: string }
  | { kind: 'matcha', model: string, vocoder: string }

/** A speech model in a folder of the operator's; all paths absolute. */
export type VoiceModel = Beside & ModelFiles

const matchaModel = /^model-steps-\d+\.onnx$/
const vocoder = /^(?:vocos|hifigan).*\.onnx$/
/** Models for several languages have one lexicon for each; the text determines which is used. */
const lexicon = /^lexicon(?:-[a-z-]+)?\.txt$/
/** If a model has several for English, only this one is used: there may be one per language. */
const preferredEnglish = 'lexicon-us-en.txt'

const unusable = (problem: string): Unavailable =>
  new Unavailable(`Speech by a model on this machine is not set up: tts.provider: local in config.yaml ${problem}`)

/**
 * Finds the model in a folder, by the names of its files and, for a plain one, by its properties. Of two variants the smaller one, with 8
 * bits, is chosen. `named` is the value in config.yaml. Throws Unavailable, without a path in its text.
 */
export async function findVoice (named: string | undefined): Promise<VoiceModel> {
  const place = await readModelFolder(named, 'tts.model_dir', unusable)
  const { folder, names } = place
  const model = names.includes('tokens.txt') ? kokoroIn(place) ?? matchaIn(place) ?? await vitsIn(place) : null
  if (model === null) {
    throw unusable('names a folder as tts.model_dir that holds no known model: VITS or Piper (a .onnx file, tokens.txt, and lexicon.txt or espeak-ng-data), Kokoro (model.onnx, voices.bin, tokens.txt, espeak-ng-data), ' +
      'or Matcha (model-steps-….onnx, tokens.txt, and its vocoder, vocos….onnx or hifigan….onnx)')
  }
  return { ...besideIn(folder, names), ...model }
}

function kokoroIn ({ folder, names }: ModelFolder): ModelFiles | null {
  const model = ['model.int8.onnx', 'model.onnx'].find((name) => names.includes(name))
  if (model === undefined || !names.includes('voices.bin') || !names.includes('espeak-ng-data')) return null
  return { kind: 'kokoro', model: join(folder, model), voices: join(folder, 'voices.bin') }
}

function matchaIn ({ folder, names }: ModelFolder): ModelFiles | null {
  const model = names.toSorted().find((name) => matchaModel.test(name))
  if (model === undefined) return null
  const found = names.toSorted().find((name) => vocoder.test(name))
  if (found === undefined) {
    throw unusable('names a folder as tts.model_dir whose Matcha model has no vocoder beside it: put vocos….onnx or hifigan….onnx there')
  }
  return { kind: 'matcha', model: join(folder, model), vocoder: join(folder, found) }
}

async function vitsIn ({ folder, names }: ModelFolder): Promise<ModelFiles | null> {
  const name = names.filter((name) => name.endsWith('.onnx') && !vocoder.test(name)).sort(smallerFirst)[0]
  if (name === undefined || names.includes('voices.bin')) return null
  const model = join(folder, name)
  const isSpelled = names.includes('lexicon.txt') || names.includes('espeak-ng-data')
  // Some speech models spell by letters and have no further files; transcription models look the same.
  const properties = await propertiesOf(model).catch(() => { throw unusable('names a folder as tts.model_dir whose model cannot be read') })
  const listens = properties.includes('sense_voice') || properties.includes('paraformer')
  return !listens && (isSpelled || properties.includes('vits')) ? { kind: 'vits', model } : null
}

function besideIn (folder: string, names: readonly string[]): Beside {
  const all = (isOne: (name: string) => boolean): string => names.filter(isOne).sort().map((name) => join(folder, name)).join(',')
  const isEnglish = (name: string): boolean => name.endsWith('-en.txt')
  return {
    tokens: join(folder, 'tokens.txt'),
    lexicon: all((name) => lexicon.test(name) && (!isEnglish(name) || name === preferredEnglish || !names.includes(preferredEnglish))),
    dataDir: names.includes('espeak-ng-data') ? join(folder, 'espeak-ng-data') : '',
    ruleFsts: all((name) => name.endsWith('.fst')),
    ruleFars: all((name) => name.endsWith('.far'))
  }
}
