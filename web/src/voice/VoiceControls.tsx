import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { settings } from '../app.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { Button } from '../ui/Button.js'
import { AudioLines, Mic } from '../ui/icons.js'
import { words } from '../words/index.js'
import { HandsFreeStrip } from './HandsFreeStrip.js'
import { RecordingStrip } from './RecordingStrip.js'
import { speakAnswer, stopSpeaking } from './speaking.js'
import './voice.css'

/** Dictation, and reading answers aloud. `canHear`: there is a microphone, and the service transcribes. */
export function VoiceControls ({ opened, canHear }: { opened: OpenChat, canHear: boolean }) {
  const under = useSignal<'recording' | 'hands-free' | null>(null)
  useEffect(() => () => {
    under.value = null
    stopSpeaking()
  }, [opened])
  useEffect(() => opened.conversation.listen((event) => {
    const isWanted = settings.values.peek().tts_auto_read === true && under.peek() !== 'hands-free'
    // If several windows are open, only the visible one reads aloud.
    if (event.type !== 'ended' || event.state !== 'completed' || !isWanted || document.visibilityState === 'hidden') return
    const exchange = opened.conversation.transcript.exchanges.peek().at(-1)
    const text = exchange?.turn.parts.flatMap((part) => part.kind === 'text' ? [part.text] : []).at(-1) ?? ''
    if (exchange !== undefined && text !== '') void speakAnswer(exchange.key, text)
  }), [opened])
  const close = (): void => { under.value = null }
  const w = words.value.composer.voice
  if (!canHear) return null
  return (
    <>
      <Button kind='quiet' icon={Mic} label={w.record} onClick={() => { under.value = 'recording' }} />
      {settings.values.value.voice_mode_button === true
        ? <Button kind='quiet' icon={AudioLines} label={w.handsFree} onClick={() => { under.value = 'hands-free' }} />
        : null}
      {under.value === 'recording' ? <RecordingStrip opened={opened} onClose={close} /> : null}
      {under.value === 'hands-free' ? <HandsFreeStrip opened={opened} onClose={close} /> : null}
    </>
  )
}
