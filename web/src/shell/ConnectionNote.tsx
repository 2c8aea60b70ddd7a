import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { link, outbox, signIn } from '../app.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'

/** A connection that comes back at once is not worth a word. */
const patienceMs = 1_500

/** Says that the service cannot be heard, for as long as that is so. */
export function ConnectionNote () {
  const isLate = useSignal(false)
  const state = link.state.value
  useEffect(() => {
    isLate.value = false
    if (state === 'open') return
    const timer = setTimeout(() => { isLate.value = true }, patienceMs)
    return () => clearTimeout(timer)
  }, [state === 'open'])
  const w = words.value.shell
  if (state === 'refused') return <div class='connection-note' role='status'><span>{w.refused}</span><Button size='small' onClick={signIn}>{w.signIn}</Button></div>
  if (state === 'open' || !isLate.value) return null
  return <div class='connection-note' role='status'><span>{outbox === undefined ? w.lost : words.value.offline.cutOff}</span><Button size='small' onClick={() => link.retry()}>{words.value.common.retry}</Button></div>
}
