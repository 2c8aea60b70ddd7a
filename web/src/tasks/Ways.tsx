import { Link } from 'wouter-preact'
import { places } from '../shell/places.js'
import { screenWords } from '../words/index.js'
import './tasks.css'

/** The two ways in which work begins by itself: at its times, and when somebody outside calls. */
export function Ways ({ now }: { now: 'times' | 'calls' }) {
  const w = screenWords.value.tasks.ways
  return (
    <nav class='task-ways' aria-label={w.label}>
      <Link href={places.tasks} aria-current={now === 'times' ? 'page' : undefined}>{w.times}</Link>
      <Link href={places.hooks} aria-current={now === 'calls' ? 'page' : undefined}>{w.calls}</Link>
    </nav>
  )
}
