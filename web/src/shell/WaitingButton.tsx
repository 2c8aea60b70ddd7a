import { useLocation } from 'wouter-preact'
import { waitingCount } from '../home/store.js'
import { Link } from '../ui/Link.js'
import { isPhone } from '../ui/screen.js'
import { words } from '../words/index.js'
import { places } from './places.js'

/** Shows how much waits for the person, and leads there; shows nothing if nothing waits, or where the page itself lists it. */
export function WaitingButton () {
  const count = waitingCount.value
  const [path] = useLocation()
  if (count === 0 || path === places.inbox || path === places.away) return null
  const text = words.value.shell.waitingCount(count)
  return <Link href={places.inbox} class='waiting-button' aria-label={text}>{isPhone.value ? count : text}</Link>
}
