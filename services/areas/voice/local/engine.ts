import { RelayFailed } from '../../../ground/errors.js'
import { type SpeechModel } from './model.js'
import { createModelProcess, type ModelProcessOptions, type Words } from './process.js'
import { type Sound } from './sound.js'

const words: Words = {
  missing: 'Speech to text is not set up: stt.provider: local in config.yaml needs the package sherpa-onnx-node, which is not installed where the service runs, or not for its kind of machine',
  unloadable: 'Speech to text does not work: the package sherpa-onnx-node, which stt.provider: local in config.yaml needs, is installed but cannot be loaded on this machine',
  model: 'Speech to text does not work: the model in the folder that stt.model_dir in config.yaml names cannot be loaded',
  failed: 'The speech engine on this machine failed at this recording',
  tooLong: 'The speech engine on this machine took too long for this recording'
}

export interface Hearing {
  signal: AbortSignal
  limit: AbortSignal
  /** Called with the text recognised so far: of earlier pieces, and of the current one. */
  onPartial: (texts: readonly string[]) => void
}

/** A transcription model in a process of its own. The caller has to take care that it gets one recording at a time. */
export function createEngine (options: ModelProcessOptions) {
  const process = createModelProcess(options, words)

  return {
    assertInstalled: process.assertInstalled,

    /**
     * Returns the texts of pieces of a recording, in their order. Throws Unavailable when package or model cannot be loaded. Throws
     * RelayFailed when the process fails, when `limit` is aborted, which ends the process, and when `signal` is aborted, after the current
     * piece.
     */
    async hear (model: SpeechModel, language: string, sounds: Iterable<Sound>, { signal, limit, onPartial }: Hearing): Promise<string[]> {
      return await process.use({ task: 'hear', module: process.module, model, language }, limit, async (ask) => {
        const texts: string[] = []
        for (const { rate, samples } of sounds) {
          if (signal.aborted) throw new RelayFailed('The client disconnected before the recording was transcribed')
          const { text } = await ask({ rate, samples: samples.toString('base64') }, (partial) => onPartial([...texts, partial]))
          if (typeof text !== 'string') throw new RelayFailed(words.failed)
          texts.push(text)
          onPartial(texts)
        }
        return texts
      })
    },

    /** Ends the process. */
    close: process.close
  }
}

export type Engine = ReturnType<typeof createEngine>
