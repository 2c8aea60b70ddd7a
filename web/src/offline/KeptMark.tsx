import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { words } from '../words/index.js'
import { times } from '../words/times.js'
import './offline.css'

/** How long the service has to answer before the copy is marked: every start begins with one. */
const patienceMs = 1_000

/** Marks a list or chat as this device's copy, with its time. */
export function KeptMark ({ atMs }: { atMs: number }) {
  const isDue = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => { isDue.value = true }, patienceMs)
    return () => clearTimeout(timer)
  }, [])
  if (!isDue.value) return null
  const time = times.at(atMs / 1_000)
  return (
    <span class='kept-mark' role='status' title={words.value.offline.keptNote(time)}>
      <span aria-hidden='true'>↺ {time}</span>
      <span class='visually-hidden'>{words.value.offline.keptNote(time)}</span>
    </span>
  )
}
