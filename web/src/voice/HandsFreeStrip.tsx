import { signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { api, settings } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { HandsFree } from '../core/voice/hands-free.js'
import { SilenceWatch } from '../core/voice/silence.js'
import { transcribe, type Recording } from '../core/voice/transcription.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { X } from '../ui/icons.js'
import { toast } from '../ui/toasts.js'
import { useLayer } from '../ui/use-layer.js'
import { words } from '../words/index.js'
import { Level } from './Level.js'
import { MicrophoneError, openMicrophone } from './microphone.js'
import { createPlayer } from './player.js'
import { speakRunning } from './speaking.js'

/** The strip of voice mode. A tap on the text interrupts reading aloud; the close button and Escape end the mode. */
export function HandsFreeStrip ({ opened, onClose }: { opened: OpenChat, onClose: () => void }) {
  const level = useSignal(0)
  useLayer(onClose, { entry: false })
  const [handsFree, player] = useMemo(() => {
    const player = createPlayer()
    return [handsFreeOf(opened, player, (now) => { level.value = now }), player]
  }, [opened])
  useEffect(() => {
    void handsFree.start({ isContinuous: settings.values.peek().voice_continuous === true }).then(() => {
      const why = handsFree.problem.peek()
      if (why !== null) toast(why, { kind: 'bad', about: 'speech' })
      onClose()
    })
    const untell = handsFree.state.subscribe((state) => { if (state !== 'off') announce(words.peek().composer.voice.states[state]) })
    return () => {
      untell()
      handsFree.stop()
      player.close()
    }
  }, [handsFree])
  const w = words.value.composer.voice
  const state = handsFree.state.value
  return (
    <div class='voice-strip' role='group' aria-label={w.handsFree}>
      {state === 'listening' ? <Level level={level} /> : null}
      <Button kind='quiet' class='voice-text' onClick={() => handsFree.interrupt()}>{w.states[state]}</Button>
      <Button icon={X} label={w.stop} onClick={() => onClose()} />
    </div>
  )
}

function handsFreeOf (opened: OpenChat, player: ReturnType<typeof createPlayer>, onLevel: (level: number) => void): HandsFree {
  const { conversation, draft, composer } = opened
  return new HandsFree({
    record: (stop) => recordUntilSilence(stop, onLevel),
    transcribe: async (recording, signal) => await transcribe(api, recording, { signal }),
    send: async (text) => {
      draft.giveBack(text)
      const outcome = await composer.submit({ whileRunning: 'queue' })
      return outcome === 'sent' ? conversation.running.peek() : null
    },
    speak: (streamId, onSentence) => speakRunning(conversation, streamId, player, onSentence)
  })
}

async function recordUntilSilence (stop: AbortSignal, onLevel: (level: number) => void): Promise<Recording | null> {
  const silenceMs = settings.values.peek().voice_silence_ms
  const watch = new SilenceWatch({ silenceMs: typeof silenceMs === 'number' ? silenceMs : 1_800 })
  const isOver = signal(false)
  try {
    const microphone = await openMicrophone((level, atMs) => {
      onLevel(level)
      if (watch.feed(level, atMs) === 'ended') isOver.value = true
    })
    await new Promise<void>((resolve) => {
      const unsubscribe = isOver.subscribe((is) => { if (is) resolve() })
      stop.addEventListener('abort', () => { unsubscribe(); resolve() }, { once: true })
      if (stop.aborted) resolve()
    })
    if (!stop.aborted) return await microphone.finish()
    microphone.cancel()
    return null
  } catch (error) {
    if (error instanceof MicrophoneError) throw new ApiError(words.peek().composer.voice[error.reason], 0)
    throw error
  }
}
