import { useState } from 'preact/hooks'
import { enterProfile } from '../shell/profile.js'
import { type ApiError } from '../core/service/api.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'

/** Offers to switch to the profile of the chat. */
export function OtherProfile ({ problem }: { problem: ApiError | null }) {
  const [isBusy, setBusy] = useState(false)
  const { session_id: id, profile } = problem?.body ?? {}
  if (problem?.code !== 'session_profile_mismatch' || typeof id !== 'string' || typeof profile !== 'string') return null
  const enter = async (): Promise<void> => {
    setBusy(true)
    await enterProfile(profile, id)
    setBusy(false)
  }
  return <Button kind='primary' busy={isBusy} onClick={() => { void enter() }}>{words.value.conversation.switchProfile(profile)}</Button>
}
