import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { words } from '../words/index.js'

/**
 * For how long something has gone on, told by the second; what lasts a moment says
 * nothing. Not for screen readers: they would be told each time.
 */
export function Elapsed ({ sinceS }: { sinceS: number }) {
  const seconds = useSignal(0)
  useEffect(() => {
    const look = (): void => { seconds.value = Math.max(0, Math.floor(Date.now() / 1_000 - sinceS)) }
    look()
    const timer = setInterval(look, 1_000)
    return () => clearInterval(timer)
  }, [sinceS])
  return seconds.value < 2 ? null : <span class='elapsed' aria-hidden>{words.value.conversation.elapsed(seconds.value)}</span>
}
