import { useSignal } from '@preact/signals'
import { api } from '../app.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { ErrorState } from '../ui/ErrorState.js'
import { TextArea, TextField } from '../ui/Field.js'
import { toast } from '../ui/toasts.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { slugOf } from './catalog.js'
import { refreshSkills } from './skills.js'

export interface Draft { name: string, category: string, content: string }

/** Creates a skill. One of the same name is not replaced. */
export function NewSkill ({ first, onClose, onSaved }: { first: Draft, onClose: () => void, onSaved: (name: string) => void }) {
  const draft = useSignal(first)
  const { isBusy, error, run } = useRequest()
  const w = screenWords.value.skills
  const { name, category, content } = draft.value
  const isComplete = name.trim() !== '' && content.trim() !== ''
  const save = async (): Promise<void> => {
    if (!isComplete) return
    await run(async () => {
      // The file's name is the skill's name, whatever the example's text says.
      const named = content.replace(/^(---\r?\n(?:(?!---)[^\n]*\n)*?name:)[^\n]*/, `$1 ${slugOf(name)}`)
      const { name: saved } = await api.post('/api/skills/save', {
        name, content: named, category: category.trim() === '' ? null : category.trim(), version: 'none'
      })
      refreshSkills()
      toast(w.saved(saved), { kind: 'good' })
      onSaved(saved)
    })
  }
  return (
    <Dialog
      open keep onClose={onClose} title={w.create} note={w.createNote} size='wide'
      actions={(
        <>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button kind='primary' busy={isBusy} disabled={!isComplete} onClick={() => { void save() }}>{words.value.common.save}</Button>
        </>
      )}
    >
      <form class='skill-view' onSubmit={(event) => { event.preventDefault(); void save() }}>
        {error === null ? null : <ErrorState error={error} />}
        <TextField
          label={w.name} value={name} autofocus={first.name === ''} spellcheck={false}
          onValue={(name) => { draft.value = { ...draft.value, name } }}
          hint={name.trim() === '' ? undefined : `/${slugOf(name)}`}
        />
        <TextField
          label={w.category} optional value={category} spellcheck={false}
          onValue={(category) => { draft.value = { ...draft.value, category } }}
        />
        <TextArea
          label={w.text} value={content} rows={12} mostRows={22} spellcheck={false} class='skill-area'
          onValue={(content) => { draft.value = { ...draft.value, content } }}
        />
        <button type='submit' hidden />
      </form>
    </Dialog>
  )
}
