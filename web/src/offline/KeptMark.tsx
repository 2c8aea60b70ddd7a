import { words } from '../words/index.js'
import './offline.css'

/** Marks a list or chat as this device's copy, with its time. */
export function KeptMark ({ atMs }: { atMs: number }) {
  const at = new Date(atMs)
  const isToday = at.toDateString() === new Date().toDateString()
  const time = isToday ? at.toLocaleTimeString(undefined, { timeStyle: 'short' }) : at.toLocaleDateString()
  return (
    <span class='kept-mark' role='status' title={words.value.offline.keptNote(time)}>
      <span aria-hidden='true'>↺ {time}</span>
      <span class='visually-hidden'>{words.value.offline.keptNote(time)}</span>
    </span>
  )
}
