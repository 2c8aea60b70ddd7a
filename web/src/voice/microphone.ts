import { signal, type ReadonlySignal } from '@preact/signals'
import { recordingName, type Recording } from '../core/voice/transcription.js'

/** Why recording is impossible; `refused`: the person or the browser forbids it. */
export class MicrophoneError extends Error {
  override readonly name = 'MicrophoneError'
  constructor (readonly reason: 'refused' | 'missing' | 'broken') {
    super(reason)
  }
}

/** A running recording. */
export interface Microphone {
  /** The current loudness, from 0 to 1. */
  readonly level: ReadonlySignal<number>
  /** Ends the recording and returns it. */
  finish: () => Promise<Recording>
  /** Ends and discards the recording. */
  cancel: () => void
}

const types = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4']

/** Starts recording. Throws MicrophoneError. */
export async function openMicrophone (onLevel: (level: number, atMs: number) => void = () => {}): Promise<Microphone> {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true }
  }).catch((error: unknown) => { throw new MicrophoneError(reasonOf(error)) })
  const type = types.find((one) => MediaRecorder.isTypeSupported(one))
  const recorder = new MediaRecorder(stream, type === undefined ? {} : { mimeType: type })
  const pieces: Blob[] = []
  const context = new AudioContext()
  const level = signal(0)
  let frame = 0
  const ended = new Promise<void>((resolve) => recorder.addEventListener('stop', () => resolve()))
  recorder.addEventListener('dataavailable', ({ data }) => { if (data.size > 0) pieces.push(data) })
  measure(context, stream, (now) => {
    level.value = now
    onLevel(now, performance.now())
  }, (next) => { frame = next })
  recorder.start(1_000)

  async function close (): Promise<void> {
    cancelAnimationFrame(frame)
    if (recorder.state !== 'inactive') recorder.stop()
    await ended
    for (const track of stream.getTracks()) track.stop()
    if (context.state !== 'closed') await context.close()
  }
  return {
    level,
    cancel: () => { void close() },
    finish: async () => {
      await close()
      const sound = new Blob(pieces, { type: recorder.mimeType })
      return { sound, name: recordingName(recorder.mimeType) }
    }
  }
}

function measure (context: AudioContext, stream: MediaStream, tell: (level: number) => void, keep: (frame: number) => void): void {
  const analyser = context.createAnalyser()
  analyser.fftSize = 1024
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const look = (): void => {
    analyser.getFloatTimeDomainData(samples)
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
    // Speech at a desk is about 0.02 to 0.2 of a microphone's range.
    tell(Math.min(1, Math.sqrt(power) * 4))
    keep(requestAnimationFrame(look))
  }
  look()
}

function reasonOf (error: unknown): MicrophoneError['reason'] {
  const name = error instanceof DOMException ? error.name : ''
  return name === 'NotAllowedError' || name === 'SecurityError' ? 'refused' : name === 'NotFoundError' ? 'missing' : 'broken'
}
