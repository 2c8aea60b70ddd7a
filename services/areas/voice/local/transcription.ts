import { readFile } from 'node:fs/promises'
import { createLane } from '../../../ground/concurrency/lane.js'
import { RelayFailed, TooLarge } from '../../../ground/errors.js'
import { timeLimit } from '../../../ground/time/time-limit.js'
import { present } from '../../../ground/present.js'
import { assertAudio } from '../audio.js'
import { type Decoder } from '../ffmpeg.js'
import { type Engine } from './engine.js'
import { findModel, type SpeechModelKind } from './model.js'
import { pieces, readWav, type Sound } from './sound.js'

export interface LocalTranscriptionOptions {
  decode: Decoder
  engine: Engine
  /** The limit from the recording to its text. */
  limitMs?: number
}

/** Slow machines transcribe about in real time; requests end after five minutes. */
const usualLimitMs = 4 * 60_000
const waitMs = 30_000
const longestS = 30 * 60
const bytesPerSample = 2
/** Languages that each kind of model accepts. Others make the engine's process exit, or are ignored. */
const languages: Readonly<Record<SpeechModelKind, ReadonlySet<string>>> = {
  whisper: new Set(('en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq ' +
    'sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su').split(' ')),
  'sense-voice': new Set(['zh', 'en', 'ja', 'ko', 'yue']),
  paraformer: new Set(),
  'paraformer-live': new Set(),
  'transducer-live': new Set(),
  'ctc-live': new Set()
}

/** Transcribes recordings with a model on this machine, one after another. */
export function createLocalTranscription ({ decode, engine, limitMs = usualLimitMs }: LocalTranscriptionOptions) {
  const enter = createLane(1, waitMs, 'other recordings')

  return {
    /**
     * Whether the package is installed and the folder, which config.yaml names, holds a model. Whether the model is intact shows only when
     * it is used.
     */
    async isReady (folder: string | undefined): Promise<boolean> {
      try {
        engine.assertInstalled()
        await findModel(folder)
        return true
      } catch {
        return false
      }
    },

    /**
     * Returns the text of the recording in a file. `language` is a hint in ISO 639-1; one that the model does not know counts as null.
     * Throws Unavailable with what has to be installed or configured, Invalid for what is not audio, TooLarge for more than half an hour
     * and RelayFailed when the engine fails or takes too long. `onPartial` is called with the text so far.
     */
    async transcribe (
      folder: string | undefined, { path, language }: { path: string, language: string | null }, signal: AbortSignal,
      onPartial: (text: string) => void = () => {}
    ): Promise<string> {
      engine.assertInstalled()
      const model = await findModel(folder)
      const leave = await enter()
      try {
        if (signal.aborted) throw new RelayFailed('The client disconnected before the recording was transcribed')
        const sound = await soundOf(await readFile(path), signal)
        const hint = language !== null && languages[model.kind].has(language) ? language : ''
        const limit = timeLimit(limitMs)
        try {
          return joined(
            await engine.hear(model, hint, pieces(sound), { signal, limit: limit.signal, onPartial: (texts) => onPartial(joined(texts)) })
          )
        } finally {
          limit.clear()
        }
      } finally {
        leave()
      }
    }
  }

  async function soundOf (bytes: Buffer, signal: AbortSignal): Promise<Sound> {
    const format = await assertAudio(bytes)
    // Plain WAV files do not need ffmpeg, which may not be installed.
    const sound = readWav(bytes) ?? present(readWav(await decode(bytes, format, signal)), 'the decoded sound')
    if (sound.samples.length > longestS * sound.rate * bytesPerSample) throw new TooLarge('The recording is longer than half an hour')
    return sound
  }
}

export type LocalTranscription = ReturnType<typeof createLocalTranscription>

const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\uFF00-\uFFEF]/u

/** Joins pieces of a text, with a space between them in scripts that have spaces. */
function joined (texts: readonly string[]): string {
  return texts.map((text) => text.trim()).filter((text) => text !== '')
    .reduce((all, text) => all === '' ? text : `${all}${unspaced.test(all.slice(-1)) && unspaced.test(text.charAt(0)) ? '' : ' '}${text}`, '')
}
