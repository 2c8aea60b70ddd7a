import { Link } from 'wouter-preact'
import { prompts } from '../app.js'
import { isPhone } from '../ui/screen.js'
import { words } from '../words/index.js'
import { places } from './places.js'

/** Shows how many prompts wait, and leads to them; shows nothing if none waits. */
export function WaitingButton () {
  const count = prompts.waiting.value.length
  if (count === 0) return null
  const text = words.value.shell.waitingCount(count)
  return <Link href={places.inbox} class='waiting-button' aria-label={text}>{isPhone.value ? count : text}</Link>
}
