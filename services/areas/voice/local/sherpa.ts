import { availableParallelism } from 'node:os'
import { setImmediate as turn } from 'node:timers/promises'
import { type SpeechModel } from './model.js'
import { type Ask, type Reply } from './process.js'
import { type VoiceModel } from './voice-model.js'

interface Wave { sampleRate: number, samples: Float32Array }
interface LiveStream { acceptWaveform (wave: Wave): void, inputFinished (): void }
interface LiveRecognizer {
  createStream (): LiveStream
  isReady (stream: LiveStream): boolean
  decode (stream: LiveStream): void
  getResult (stream: LiveStream): { text: string }
}
interface Recognizer {
  createStream (): { acceptWaveform (wave: Wave): void }
  decodeAsync (stream: object): Promise<{ text: string }>
}
interface Voice {
  numSpeakers: number
  generateAsync (text: { text: string, sid: number, speed: number, enableExternalBuffer: boolean }): Promise<Wave>
}

/** The used parts of sherpa-onnx-node. */
export interface Package {
  OfflineRecognizer: { createAsync (config: object): Promise<Recognizer> }
  OnlineRecognizer: new (config: object) => LiveRecognizer
  OfflineTts: { createAsync (config: object): Promise<Voice> }
}

type Answering = (ask: Ask) => Promise<Reply>

const mostThreads = 4
const fullScale = 32_768
/** How much a live model gets at a time: about a syllable. */
const stepS = 0.1
/** Live models report the last word only once something follows it, so silence is added. */
const tailS = 0.8

const usual = () => ({ numThreads: Math.min(mostThreads, availableParallelism()), provider: 'cpu', debug: 0 })

/** Loads a transcription model. Live models call `onPartial` with the text of the current piece so far. */
export async function openListener (
  engine: Package, model: SpeechModel, language: string, onPartial: (text: string) => void
): Promise<Answering> {
  const config = {
    featConfig: { sampleRate: 16_000, featureDim: 80 }, modelConfig: { ...listening(model, language), tokens: model.tokens, ...usual() }
  }
  if (model.kind.endsWith('-live')) {
    const recognizer = new engine.OnlineRecognizer({ ...config, decodingMethod: 'greedy_search' })
    return async (ask) => ({ text: await hearLive(recognizer, waveOf(ask), onPartial) })
  }
  const recognizer = await engine.OfflineRecognizer.createAsync(config)
  return async (ask) => {
    const stream = recognizer.createStream()
    stream.acceptWaveform(waveOf(ask))
    return { text: (await recognizer.decodeAsync(stream)).text }
  }
}

async function hearLive (recognizer: LiveRecognizer, { sampleRate, samples }: Wave, onPartial: (text: string) => void): Promise<string> {
  const stream = recognizer.createStream()
  const step = Math.round(stepS * sampleRate)
  let said = ''
  const decode = (): string => {
    while (recognizer.isReady(stream)) recognizer.decode(stream)
    return recognizer.getResult(stream).text
  }
  for (let at = 0; at < samples.length; at += step) {
    stream.acceptWaveform({ sampleRate, samples: samples.subarray(at, at + step) })
    const text = decode()
    if (text !== said) onPartial(said = text)
    // Otherwise the end of the input, which ends the process, would be noticed only after the last step.
    await turn()
  }
  stream.acceptWaveform({ sampleRate, samples: new Float32Array(Math.round(tailS * sampleRate)) })
  stream.inputFinished()
  return decode()
}

function waveOf (ask: Ask): Wave {
  if (!('samples' in ask)) throw new Error('a model that listens was given a text')
  const bytes = Buffer.from(ask.samples, 'base64')
  return {
    sampleRate: ask.rate, samples: Float32Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at) / fullScale)
  }
}

function listening (model: SpeechModel, language: string): object {
  switch (model.kind) {
    case 'whisper': return { whisper: { encoder: model.encoder, decoder: model.decoder, language, task: 'transcribe' } }
    case 'sense-voice': return {
      senseVoice: { model: model.model, language: language === '' ? 'auto' : language, useInverseTextNormalization: 1 }
    }
    case 'paraformer': return { paraformer: { model: model.model } }
    case 'paraformer-live': return { paraformer: { encoder: model.encoder, decoder: model.decoder } }
    case 'transducer-live': return { transducer: { encoder: model.encoder, decoder: model.decoder, joiner: model.joiner } }
    case 'ctc-live': return { zipformer2Ctc: { model: model.model } }
  }
}

/** Loads a speech model. */
export async function openSpeaker (engine: Package, model: VoiceModel): Promise<Answering> {
  const { ruleFsts, ruleFars } = model
  const voice = await engine.OfflineTts.createAsync({ model: { ...speaking(model), ...usual() }, maxNumSentences: 1, ruleFsts, ruleFars })
  return async (ask) => {
    if (!('text' in ask)) throw new Error('a model that speaks was given a recording')
    const sid = ask.speaker < voice.numSpeakers ? ask.speaker : 0
    const { samples, sampleRate } = await voice.generateAsync({ text: ask.text, sid, speed: ask.speed, enableExternalBuffer: false })
    return { rate: sampleRate, samples: plainSamples(samples).toString('base64') }
  }
}

function plainSamples (samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2)
  for (const [at, sample] of samples.entries()) bytes.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * (fullScale - 1)), at * 2)
  return bytes
}

function speaking (model: VoiceModel): object {
  const { kind, tokens, lexicon, dataDir } = model
  switch (kind) {
    case 'vits': return { vits: { model: model.model, tokens, lexicon, dataDir } }
    case 'kokoro': return { kokoro: { model: model.model, voices: model.voices, tokens, lexicon, dataDir } }
    case 'matcha': return { matcha: { acousticModel: model.model, vocoder: model.vocoder, tokens, lexicon, dataDir } }
  }
}
