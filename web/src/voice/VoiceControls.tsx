import { useSignal } from '@preact/signals'
import { AudioLines, Mic } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { api, settings } from '../app.js'
import { canTranscribe } from '../core/transcription.js'
import { type Opened } from '../conversation/opened.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'
import { HandsFreeStrip } from './HandsFreeStrip.js'
import { canRecord } from './microphone.js'
import { RecordingStrip } from './RecordingStrip.js'
import './voice.css'

/** Speaking instead of typing. Draws nothing where the service cannot hear, or the browser gives no microphone. */
export function VoiceControls ({ opened }: { opened: Opened }) {
  const canHear = useSignal(false)
  const under = useSignal<'recording' | 'hands-free' | null>(null)
  useEffect(() => {
    let isGone = false
    if (canRecord()) void canTranscribe(api).then((isPossible) => { if (!isGone) canHear.value = isPossible })
    return () => { isGone = true }
  }, [])
  useEffect(() => () => { under.value = null }, [opened])
  const close = (): void => { under.value = null }
  const w = words.value.composer.voice
  if (!canHear.value) return null
  return (
    <>
      <Button kind='quiet' icon={Mic} label={w.record} onClick={() => { under.value = 'recording' }} />
      {settings.values.value.voice_mode_button === true ? <Button kind='quiet' icon={AudioLines} label={w.handsFree} onClick={() => { under.value = 'hands-free' }} /> : null}
      {under.value === 'recording' ? <RecordingStrip opened={opened} onClose={close} /> : null}
      {under.value === 'hands-free' ? <HandsFreeStrip opened={opened} onClose={close} /> : null}
    </>
  )
}
