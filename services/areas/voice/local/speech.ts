import { createLane } from '../../../ground/concurrency/lane.js'
import { RelayFailed } from '../../../ground/errors.js'
import { timeLimit } from '../../../ground/time/time-limit.js'
import { piecesOf } from '../spoken-text.js'
import { createModelProcess, type ModelProcessOptions, type Words } from './process.js'
import { writeWav, type Sound } from './sound.js'
import { findVoice } from './voice-model.js'

export interface LocalSpeechOptions extends ModelProcessOptions {
  /** The limit from receiving the text to its sound. */
  limitMs?: number | undefined
}

export interface LocalUtterance {
  text: string
  /** Number of the speaker, from 0, for models with several; an unknown number means the first. */
  speaker: number
  /** 1 is normal. */
  speed: number
}

const words: Words = {
  missing: 'Speech by a model on this machine is not set up: tts.provider: local in config.yaml needs the package sherpa-onnx-node, which is not installed where the service runs, or not for its kind of machine',
  unloadable: 'Speech by a model on this machine does not work: the package sherpa-onnx-node, which tts.provider: local in config.yaml needs, is installed but cannot be loaded on this machine',
  model: 'Speech by a model on this machine does not work: the model in the folder that tts.model_dir in config.yaml names cannot be loaded',
  failed: 'The model on this machine failed at this text',
  tooLong: 'The model on this machine took too long for this text'
}

/** 5,000 characters are about six minutes of speech, and slow machines take about as long. */
const usualLimitMs = 4 * 60_000
const waitMs = 20_000
/** A sentence or two: the model generates each piece as a whole, and a disconnected client is only noticed between pieces. */
const pieceChars = { most: 300, mostHan: 100 }
const han = /\p{Script=Han}/u
const maxBytes = 96 * 1024 * 1024

/** Speech by a model on this machine, in a process of its own, one text after another. */
export function createLocalSpeech ({ limitMs = usualLimitMs, ...options }: LocalSpeechOptions) {
  const process = createModelProcess(options, words)
  const enter = createLane(1, waitMs, 'other texts')

  return {
    /**
     * Throws Unavailable if the package is not installed or the folder holds no model. Whether the model is intact shows only when it is
     * used.
     */
    async assertThere (folder: string | undefined): Promise<void> {
      process.assertInstalled()
      await findVoice(folder)
    },

    /**
     * Returns a text as a WAV file, spoken by the model in the folder that config.yaml names. Throws Unavailable with what has to be
     * installed or configured, or if too many texts are queued, and RelayFailed when the model fails, takes too long, or the client has
     * disconnected.
     */
    async speak (folder: string | undefined, { text, speaker, speed }: LocalUtterance, signal: AbortSignal): Promise<Buffer> {
      process.assertInstalled()
      const model = await findVoice(folder)
      const leave = await enter()
      const limit = timeLimit(limitMs)
      try {
        return await process.use({ task: 'speak', module: process.module, model }, limit.signal, async (ask) => {
          const sounds: Sound[] = []
          let bytes = 0
          for (const piece of piecesOf(text, han.test(text) ? pieceChars.mostHan : pieceChars.most)) {
            if (signal.aborted) throw new RelayFailed('The client disconnected before the text was spoken')
            const sound = soundIn(await ask({ text: piece, speaker, speed }))
            bytes += sound.samples.length
            if (bytes > maxBytes || sound.rate !== (sounds[0]?.rate ?? sound.rate)) throw new RelayFailed(words.failed)
            sounds.push(sound)
          }
          const [first] = sounds
          if (first === undefined || bytes === 0) throw new RelayFailed(words.failed)
          return writeWav(first.rate, sounds.map(({ samples }) => samples))
        })
      } finally {
        limit.clear()
        leave()
      }
    },

    /** Ends the process. */
    close: process.close
  }
}

export type LocalSpeech = ReturnType<typeof createLocalSpeech>

function soundIn ({ rate, samples }: { rate?: unknown, samples?: unknown }): Sound {
  if (typeof rate !== 'number' || !Number.isInteger(rate) || rate <= 0 || typeof samples !== 'string') throw new RelayFailed(words.failed)
  const bytes = Buffer.from(samples, 'base64')
  return { rate, samples: bytes.subarray(0, bytes.length - bytes.length % 2) }
}
