import { useSignal } from '@preact/signals'
import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { ErrorState } from '../ui/ErrorState.js'
import { TextField } from '../ui/Field.js'
import { Disclosure } from '../ui/Disclosure.js'
import { Sparkles } from '../ui/icons.js'
import { toast } from '../ui/toasts.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { nameFrom, readSkill, writeSkill } from './skill-text.js'
import { SkillForm } from './SkillForm.js'
import { refreshSkills } from './skills.js'

export interface Draft { name: string, category: string, content: string }

/** Creates a skill. An existing skill of the same name is not replaced. */
export function NewSkill ({ first, onClose, onSaved }: { first: Draft, onClose: () => void, onSaved: (name: string) => void }) {
  const draft = useSignal(first)
  const { isBusy, error, run } = useRequest()
  const w = screenWords.value.skills
  const { name, category, content } = draft.value
  const isNamed = useSignal(first.name !== '')
  const { description, body } = readSkill(content)
  const purpose = (description ?? '').trim()
  /** Has the agent write the skill in a chat; the agent asks before it is saved. */
  const askAgent = (): Promise<void> => run(async () => {
    const { session } = await api.post('/api/session/new', {})
    await api.post('/api/chat/start', { session_id: session.session_id, message: w.askAgent(purpose, body) })
    onClose()
    navigate(places.session(session.session_id))
  })
  const isComplete = purpose !== '' && body !== '' && name.trim() !== '' && content.trim() !== ''
  const save = async (): Promise<void> => {
    if (!isComplete) return
    await run(async () => {
      const named = writeSkill(content, { ...readSkill(content), name })
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
          <Button class='dialog-far' icon={Sparkles} disabled={purpose === ''} onClick={() => { void askAgent() }}>{w.letAgent}</Button>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button kind='primary' busy={isBusy} disabled={!isComplete} onClick={() => { void save() }}>{words.value.common.save}</Button>
        </>
      )}
    >
      <form class='skill-view' onSubmit={(event) => { event.preventDefault(); void save() }}>
        {error === null ? null : <ErrorState error={error} />}
        <SkillForm
          content={content}
          onContent={(content) => {
            const { description } = readSkill(content)
            // Until the person has named it, its name is derived from its purpose.
            const named = isNamed.value ? name : nameFrom(description ?? '')
            draft.value = { ...draft.value, content, name: named }
          }}
          name={{ value: name, onValue: (name) => { isNamed.value = true; draft.value = { ...draft.value, name } } }}
        />
        <Disclosure summary={w.category}>
          <TextField
            label={w.category} bare value={category} spellcheck={false}
            onValue={(category) => { draft.value = { ...draft.value, category } }}
          />
        </Disclosure>
        <button type='submit' hidden />
      </form>
    </Dialog>
  )
}
