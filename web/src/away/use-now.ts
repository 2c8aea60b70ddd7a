import { useEffect, useState } from 'preact/hooks'

/** How often durations such as "for 12 min" are redrawn. */
const tickMs = 30_000

/** Returns the present in epoch seconds, updated twice a minute. */
export function useNow (): number {
  const [nowMs, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return nowMs / 1_000
}
