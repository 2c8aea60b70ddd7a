import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { type SpeechModel } from './model.js'
import { type Order, type Piece, type Reply } from './engine.js'

/** What is used of the package. */
interface Package {
  OfflineRecognizer: { createAsync (config: object): Promise<Recognizer> }
}
interface Recognizer {
  createStream (): { acceptWaveform (wave: { sampleRate: number, samples: Float32Array }): void }
  decodeAsync (stream: object): Promise<{ text: string }>
}

const repliesFd = 3
const mostThreads = 4
const fullScale = 32_768

/**
 * The entry of the process in which a model listens: an order as argument, pieces of a recording as lines of JSON on standard input, replies on a
 * pipe of their own, as native code writes to the usual ones. It ends with its input, also in the middle of a piece.
 */
const order = JSON.parse(process.argv[2] ?? '') as Order
const lines = createInterface({ input: process.stdin })
lines.once('close', () => process.kill(process.pid, 'SIGKILL'))
void begin()

async function begin (): Promise<void> {
  const recognizer = await load()
  if (recognizer === null) return
  let last = Promise.resolve()
  lines.on('line', (line) => { last = last.then(async () => await hear(recognizer, JSON.parse(line) as Piece)) })
  reply({ ready: true })
}

async function load (): Promise<Recognizer | null> {
  let engine: Package
  try {
    engine = createRequire(import.meta.url)(order.module) as Package
  } catch {
    reply({ failure: 'package' })
    return null
  }
  return await engine.OfflineRecognizer.createAsync(configOf(order.model, order.language)).catch(() => {
    reply({ failure: 'model' })
    return null
  })
}

async function hear (recognizer: Recognizer, { rate, samples }: Piece): Promise<void> {
  try {
    const bytes = Buffer.from(samples, 'base64')
    const stream = recognizer.createStream()
    stream.acceptWaveform({ sampleRate: rate, samples: Float32Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at) / fullScale) })
    const { text } = await recognizer.decodeAsync(stream)
    reply({ text })
  } catch {
    reply({ failure: 'piece' })
  }
}

function reply (what: Reply): void {
  writeSync(repliesFd, `${JSON.stringify(what)}\n`)
}

function configOf (model: SpeechModel, language: string): object {
  return {
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: { ...filesOf(model, language), tokens: model.tokens, numThreads: Math.min(mostThreads, availableParallelism()), provider: 'cpu', debug: 0 }
  }
}

function filesOf (model: SpeechModel, language: string): object {
  switch (model.kind) {
    case 'whisper': return { whisper: { encoder: model.encoder, decoder: model.decoder, language, task: 'transcribe' } }
    case 'sense-voice': return { senseVoice: { model: model.model, language: language === '' ? 'auto' : language, useInverseTextNormalization: 1 } }
    case 'paraformer': return { paraformer: { model: model.model } }
  }
}
