import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { personalities } from '../models/store.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { ErrorState } from '../ui/ErrorState.js'
import { TextArea, TextField } from '../ui/Field.js'
import { toast } from '../ui/Toast.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { Confirm } from './Confirm.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'

type Text = Wire<'PersonalityText'>

const nothing: Text = { name: '', prompt: '', description: '', tone: '', style: '' }

/** Lists the personalities to choose from in a chat. */
export function Personalities () {
  const [edited, setEdited] = useState<Text | null>(null)
  const [removed, setRemoved] = useState<string | null>(null)
  const w = screenWords.value.settings.personalities
  const edit = async (name: string): Promise<void> => { await attempt(async () => setEdited(await api.get('/api/personality', { name }))) }
  const remove = async (name: string): Promise<void> => {
    if (await attempt(async () => await api.post('/api/personality/delete', { name }))) toast(w.deleted(name))
    await personalities.refresh()
  }
  return (
    <Part name='personalities'>
      <Loaded of={personalities}>
        {(list) => list.length === 0
          ? (
            <p class='settings-note'>
              {w.none} <Button size='small' onClick={() => setEdited({ ...nothing, ...w.example })}>{w.example.name}</Button>
            </p>
            )
          : (
            <ul class='settings-list'>
              {list.map(({ name, description }) => (
                <li key={name} class='settings-row'>
                  <div class='settings-row-text'><p><bdi>{name}</bdi></p><p class='settings-note'><bdi>{description}</bdi></p></div>
                  <Button label={`${w.edit}: ${name}`} onClick={() => { void edit(name) }}>{w.edit}</Button>
                  <Button kind='danger' label={`${w.delete}: ${name}`} onClick={() => setRemoved(name)}>{w.delete}</Button>
                </li>
              ))}
            </ul>
            )}
      </Loaded>
      <div><Button onClick={() => setEdited(nothing)}>{w.create}</Button></div>
      {edited === null ? null : <Editor first={edited} onClose={() => setEdited(null)} />}
      {removed === null
        ? null
        : <Confirm
            title={w.deleteTitle(removed)} note={w.deleteNote} action={w.delete}
            onConfirm={() => remove(removed)}
            onClose={() => setRemoved(null)}
          />}
    </Part>
  )
}

/** Edits a personality. An existing name cannot change, because chats refer to it. */
function Editor ({ first, onClose }: { first: Text, onClose: () => void }) {
  const [text, setText] = useState(first)
  const { isBusy, error, run } = useRequest()
  const w = screenWords.value.settings.personalities
  const isKnown = (personalities.value.peek() ?? []).some(({ name }) => name === first.name)
  const set = (key: keyof Text) => (value: string): void => setText({ ...text, [key]: value })
  const canSave = text.name.trim() !== '' && [text.prompt, text.tone, text.style].some((part) => part.trim() !== '')
  const save = async (): Promise<void> => {
    if (!canSave) return
    await run(async () => {
      await api.post('/api/personality/save', text)
      await personalities.refresh()
      toast(w.saved(text.name.trim()), { kind: 'good' })
      onClose()
    })
  }
  return (
    <Dialog
      open keep onClose={onClose} title={isKnown ? w.editTitle(first.name) : w.create} size='wide'
      actions={(
        <>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button kind='primary' busy={isBusy} disabled={!canSave} onClick={() => { void save() }}>{words.value.common.save}</Button>
        </>
      )}
    >
      {error === null ? null : <ErrorState error={error} />}
      {isKnown ? null : <TextField label={w.name} value={text.name} maxLength={60} autofocus onValue={set('name')} dir='auto' />}
      <TextArea label={w.prompt} hint={w.promptHint} value={text.prompt} rows={6} onValue={set('prompt')} dir='auto' />
      <TextField label={w.description} optional value={text.description} onValue={set('description')} dir='auto' />
      <TextField label={w.tone} optional value={text.tone} onValue={set('tone')} dir='auto' />
      <TextField label={w.style} optional value={text.style} onValue={set('style')} dir='auto' />
    </Dialog>
  )
}
