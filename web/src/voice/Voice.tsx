import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api, settings } from '../app.js'
import { type OpenChat } from '../conversation/open-chat.js'
import { canRecord, canTranscribe } from '../core/voice/hearing.js'
import { lazy } from '../ui/lazy.js'

const VoiceControls = lazy(async () => (await import('./VoiceControls.js')).VoiceControls, {
  waiting: null, missing: () => null, isBrief: true
})

/** Loads the voice controls if they can work: the service transcribes, and the browser allows a microphone. */
export function Voice ({ opened }: { opened: OpenChat }) {
  const canHear = useSignal(false)
  useEffect(() => {
    let isGone = false
    if (canRecord()) void canTranscribe(api).then((isPossible) => { if (!isGone) canHear.value = isPossible })
    return () => { isGone = true }
  }, [])
  if (!canHear.value && settings.values.value.tts_auto_read !== true) return null
  return <VoiceControls opened={opened} canHear={canHear.value} />
}
