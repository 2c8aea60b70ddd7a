import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { words } from '../words/index.js'

/**
 * Counts the seconds since something began; shows nothing for the first moments. Hidden from screen readers, which would announce each
 * second.
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
