import { useState } from 'preact/hooks'
import { Button } from '../ui/Button.js'
import { TextField } from '../ui/Field.js'
import { words } from '../words/index.js'

/** A list row with its name in a field. `onRename` gets a name that is not empty. */
export function RenameForm ({ label, name, onRename, onCancel }: {
  label: string
  name: string
  onRename: (name: string) => void
  onCancel: () => void
}) {
  const [typed, setTyped] = useState(name)
  return (
    <li class='settings-row'>
      <form class='settings-actions' onSubmit={(event) => { event.preventDefault(); if (typed.trim() !== '') onRename(typed.trim()) }}>
        <TextField label={label} bare maxLength={80} value={typed} autofocus onValue={setTyped} />
        <Button type='submit' kind='primary'>{words.value.common.save}</Button>
        <Button kind='quiet' onClick={onCancel}>{words.value.common.cancel}</Button>
      </form>
    </li>
  )
}
