import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { screenWords } from '../words/index.js'
import './tasks.css'

/** The two ways in which work starts automatically: on a schedule, and by a call from outside. */
export function Ways ({ now }: { now: 'times' | 'calls' }) {
  const w = screenWords.value.tasks.ways
  return (
    <nav class='task-ways' aria-label={w.label}>
      <Link href={places.tasks} aria-current={now === 'times' ? 'page' : undefined}>{w.times}</Link>
      <Link href={places.hooks} aria-current={now === 'calls' ? 'page' : undefined}>{w.calls}</Link>
    </nav>
  )
}
