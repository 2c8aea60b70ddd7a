import { words } from '../words/index.js'
import { times } from '../words/times.js'
import './offline.css'

/** Marks a list or chat as this device's copy, with its time. */
export function KeptMark ({ atMs }: { atMs: number }) {
  const time = times.at(atMs / 1_000)
  return (
    <span class='kept-mark' role='status' title={words.value.offline.keptNote(time)}>
      <span aria-hidden='true'>↺ {time}</span>
      <span class='visually-hidden'>{words.value.offline.keptNote(time)}</span>
    </span>
  )
}
