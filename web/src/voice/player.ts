import { type Player } from '../core/voice/spoken-turn.js'

/** Plays sounds through the loudspeaker. Create it in a click or key handler: browsers keep pages silent otherwise. */
export function createPlayer (): Player & { close: () => void } {
  const context = new AudioContext()
  void context.resume()
  let source: AudioBufferSourceNode | null = null
  return {
    play: async ({ bytes }) => {
      const sound = await context.decodeAudioData(bytes.slice().buffer)
      await new Promise<void>((resolve) => {
        source = new AudioBufferSourceNode(context, { buffer: sound })
        source.connect(context.destination)
        source.addEventListener('ended', () => resolve())
        source.start()
      })
      source = null
    },
    stop: () => { source?.stop() },
    close: () => {
      source?.stop()
      void context.close()
    }
  }
}
