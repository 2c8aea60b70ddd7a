import { Button } from '../ui/Button.js'
import { Volume2, VolumeX } from '../ui/icons.js'
import { words } from '../words/index.js'
import { speakAnswer, spokenKey, stopSpeaking } from './speaking.js'

/** Starts or stops reading an answer aloud. */
export function SpeakButton ({ id, text }: { id: string, text: () => string }) {
  const isSpeaking = spokenKey.value === id
  const w = words.value.conversation
  return (
    <Button
      kind='quiet' size='small' icon={isSpeaking ? VolumeX : Volume2} label={isSpeaking ? w.stopSpeaking : w.speak}
      onClick={() => { if (isSpeaking) stopSpeaking(); else void speakAnswer(id, text()) }}
    />
  )
}
