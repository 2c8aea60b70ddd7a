import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { transcribe, type Recording } from '../core/voice/transcription.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { Check, RotateCw, X } from '../ui/icons.js'
import { Spinner } from '../ui/Spinner.js'
import { useLayer } from '../ui/use-layer.js'
import { words } from '../words/index.js'
import { Level } from './Level.js'
import { MicrophoneError, openMicrophone, type Microphone } from './microphone.js'

type Phase = { kind: 'opening' } | { kind: 'recording', microphone: Microphone } | { kind: 'hearing', text: string } | {
  kind: 'failed'
  why: string
  recording: Recording | null
}

/** Records and transcribes a message into the box. A recording that could not be transcribed is kept for a retry. */
export function RecordingStrip ({ opened, onClose }: { opened: OpenChat, onClose: () => void }) {
  const phase = useSignal<Phase>({ kind: 'opening' })
  const life = useRef(new AbortController())
  useLayer(onClose, { entry: false })
  const w = words.value.composer.voice

  useEffect(() => {
    let isGone = false
    void open()
    async function open (): Promise<void> {
      try {
        const microphone = await openMicrophone()
        if (isGone) return microphone.cancel()
        phase.value = { kind: 'recording', microphone }
        announce(words.value.composer.voice.recording)
      } catch (error) {
        if (!(error instanceof MicrophoneError)) throw error
        phase.value = { kind: 'failed', why: words.value.composer.voice[error.reason], recording: null }
      }
    }
    return () => {
      isGone = true
      life.current.abort()
      const { value: now } = phase
      if (now.kind === 'recording') now.microphone.cancel()
    }
  }, [])

  async function hear (recording: Recording): Promise<void> {
    phase.value = { kind: 'hearing', text: '' }
    try {
      const text = (await transcribe(api, recording, {
        signal: life.current.signal, onPartial: (partial) => { phase.value = { kind: 'hearing', text: partial } }
      })).trim()
      if (life.current.signal.aborted) return
      if (text === '') phase.value = { kind: 'failed', why: words.value.composer.voice.nothingHeard, recording: null }
      else {
        const before = opened.draft.text.peek()
        opened.draft.write(before === '' || /\s$/.test(before) ? before + text : `${before} ${text}`)
        onClose()
      }
    } catch (error) {
      if (life.current.signal.aborted) return
      if (!(error instanceof ApiError)) throw error
      phase.value = { kind: 'failed', why: words.value.composer.voice.failed(error.message), recording }
    }
  }

  const now = phase.value
  const failed = now.kind === 'failed' ? now.recording : null
  return (
    <div class='voice-strip' role='group' aria-label={w.recording}>
      <Button kind='quiet' icon={X} label={w.cancel} onClick={() => onClose()} />
      {now.kind === 'recording'
        ? (
          <>
            <Level level={now.microphone.level} />
            <Clock />
            <Button kind='primary' icon={Check} label={w.accept} onClick={() => { void now.microphone.finish().then(hear) }} />
          </>
          )
        : null}
      {now.kind === 'opening' ? <span class='voice-text'><Spinner size={14} label={w.recording} /></span> : null}
      {now.kind === 'hearing'
        ? (
          <span class='voice-text' role='status'>
            <Spinner size={14} label={w.hearing} /> <bdi>{now.text === '' ? w.hearing : now.text}</bdi>
          </span>
          )
        : null}
      {now.kind === 'failed' ? <span class='voice-text voice-bad' role='alert'>{now.why}</span> : null}
      {failed === null ? null : <Button icon={RotateCw} onClick={() => { void hear(failed) }}>{w.again}</Button>}
    </div>
  )
}

/** Shows how long the recording is. */
function Clock () {
  const seconds = useSignal(0)
  useEffect(() => {
    const begun = performance.now()
    const timer = setInterval(() => { seconds.value = (performance.now() - begun) / 1_000 }, 500)
    return () => clearInterval(timer)
  }, [])
  return <span class='voice-clock'>{words.value.composer.voice.minutes(seconds.value)}</span>
}
