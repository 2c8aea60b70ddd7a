import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { isSignedOut, link, outbox, signIn } from '../app.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'

/** Whether the system reports that it is offline, which it does at once; a silent connection takes some seconds to notice. */
export const isOffline = signal(navigator.onLine === false)
addEventListener('offline', () => { isOffline.value = true })
addEventListener('online', () => { isOffline.value = false })

/** A connection that is lost for a shorter time is not mentioned. The first one may take longer on a slow network. */
const patienceMs = 1_500
const firstPatienceMs = 6_000

/** Shows that the service cannot be reached, as long as that is the case. */
export function ConnectionNote () {
  const isLate = useSignal(false)
  const state = link.state.value
  const isFirst = useRef(true)
  if (state !== 'connecting') isFirst.current = false
  useEffect(() => {
    isLate.value = false
    if (state === 'open') return
    const timer = setTimeout(() => { isLate.value = true }, isFirst.current ? firstPatienceMs : patienceMs)
    return () => clearTimeout(timer)
  }, [state === 'open', isFirst.current])
  const w = words.value.shell
  if (state === 'refused' || (isSignedOut.value && state === 'open')) {
    return (
      <div class='connection-note' role='status'><span>{w.refused}</span><Button size='small' onClick={signIn}>{w.signIn}</Button></div>
    )
  }
  if (!isOffline.value && (state === 'open' || !isLate.value)) return null
  const waiting = outbox?.unsent.value.length ?? 0
  const text = outbox === undefined ? w.lost : isOffline.value ? words.value.offline.offline : words.value.offline.cutOff
  return (
    <div class='connection-note' role='status'>
      <span>{text}{waiting === 0 ? null : ` ${words.value.offline.waiting(waiting)}`}</span>
      <Button size='small' onClick={() => link.retry()}>{words.value.common.retry}</Button>
    </div>
  )
}
