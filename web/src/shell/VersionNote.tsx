import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { appVersion } from '../app.js'
import { Button } from '../ui/Button.js'
import { words } from '../words/index.js'

/** Shows that the service has a newer build of the app, until the window is reloaded or the note dismissed. */
export function VersionNote () {
  const isPutOff = useSignal(false)
  const isOld = appVersion.isOld.value
  useEffect(() => { if (!isOld) isPutOff.value = false }, [isOld])
  if (!isOld || isPutOff.value) return null
  const w = words.value.offline
  return (
    <div class='version-note' role='status'>
      <span>{w.newVersion}</span>
      <span class='version-note-actions'>
        <Button size='small' kind='primary' onClick={() => location.reload()}>{w.reload}</Button>
        <Button size='small' kind='quiet' onClick={() => { isPutOff.value = true }}>{w.later}</Button>
      </span>
    </div>
  )
}
