import { useState } from 'preact/hooks'
import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { placeOf, modelOf } from '../composer/session-model.js'
import { nextSession, type OpenChat } from '../conversation/open-chat.js'
import { type ModelChoice } from '../models/catalog.js'
import { ModelPicker } from '../models/ModelPicker.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Disclosure } from '../ui/Disclosure.js'
import { Field, SelectField, TextField } from '../ui/Field.js'
import { Plus, X } from '../ui/icons.js'
import { screenWords, words } from '../words/index.js'
import './attempts.css'

const counts = ['2', '3', '4', '5', '6', '7', '8'] as const
type Count = typeof counts[number]

/** Asks how many times, and by which models, the message in the box is to be carried out. */
export function BeginDialog ({ opened, onClose }: { opened: OpenChat, onClose: () => void }) {
  const [count, setCount] = useState<Count>('3')
  const usual = modelOf(opened)
  const [models, setModels] = useState<readonly ModelChoice[]>(usual === null ? [] : [usual])
  const [picking, setPicking] = useState<'model' | 'reviewer' | null>(null)
  const [check, setCheck] = useState('')
  const [budget, setBudget] = useState('')
  const [reviewer, setReviewer] = useState<ModelChoice | null>(null)
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.attempts.begin
  const message = opened.draft.text.value.trim()
  const begin = async (): Promise<void> => {
    setBusy(true)
    const { sessionId, workspace } = placeOf(opened)
    await attempt(async () => {
      const { attempts_id: id } = await api.post('/api/attempts', {
        message, count: Number(count), models: models.map(wireOf), client_id: crypto.randomUUID(),
        ...(sessionId === null ? { workspace: nextSession.peek().workspace ?? workspace ?? null } : { session_id: sessionId }),
        ...(check.trim() !== '' && { check }), ...(reviewer !== null && { reviewer: wireOf(reviewer) }),
        ...(Number(budget) > 0 && { budget_usd: Number(budget) })
      })
      opened.draft.write('')
      onClose()
      navigate(places.attemptsAt(id))
    })
    setBusy(false)
  }
  const actions = (
    <>
      <Button onClick={onClose}>{words.value.common.cancel}</Button>
      <Button kind='primary' busy={isBusy} disabled={message === ''} onClick={() => { void begin() }}>{w.go(Number(count))}</Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={w.title} note={w.note} actions={actions}>
      <div class='attempts-begin'>
        {message === '' ? <p class='attempts-bad'>{w.noTask}</p> : null}
        <SelectField label={w.count} value={count} choices={counts.map((key) => ({ key, text: key }))} onValue={setCount} />
        <ModelList models={models} onChange={setModels} onAdd={() => setPicking('model')} isFull={models.length >= Number(count)} />
        <Disclosure summary={w.more}>
          <div class='attempts-begin'>
            <TextField label={w.check} optional hint={w.checkHint} value={check} onValue={setCheck} maxLength={2_000} spellcheck={false} placeholder='npm test' />
            <Field label={w.reviewer}>
              {(field) => (
                <span class='attempts-models'>
                  <Button {...field} size='small' onClick={() => setPicking('reviewer')}>
                    <bdi>{reviewer?.model ?? w.noReviewer}</bdi>
                  </Button>
                  {reviewer === null
                    ? null
                    : <Button kind='quiet' size='small' icon={X} label={w.removeModel(reviewer.model)} onClick={() => setReviewer(null)} />}
                </span>
              )}
            </Field>
            <TextField label={w.budget} optional hint={w.budgetHint} value={budget} onValue={setBudget} type='number' min='0' step='any' inputMode='decimal' />
          </div>
        </Disclosure>
      </div>
      <ModelPicker
        open={picking !== null} place={placeOf(opened)} onClose={() => setPicking(null)}
        onPick={(model, provider) => {
          if (picking === 'reviewer') setReviewer({ model, provider })
          else setModels([...models, { model, provider }])
        }}
      />
    </Dialog>
  )
}

function ModelList ({ models, isFull, onChange, onAdd }: {
  models: readonly ModelChoice[]
  isFull: boolean
  onChange: (models: readonly ModelChoice[]) => void
  onAdd: () => void
}) {
  const w = screenWords.value.attempts.begin
  return (
    <Field label={w.models}>
      {(field) => (
        <span class='attempts-models'>
          {models.map(({ model }, at) => (
            <Button key={`${model} ${at}`} size='small' icon={X} label={w.removeModel(model)} onClick={() => onChange(models.filter((_, other) => other !== at))}>
              <bdi>{model}</bdi>
            </Button>
          ))}
          <Button {...field} kind='quiet' size='small' icon={Plus} disabled={isFull} onClick={onAdd}>{w.addModel}</Button>
        </span>
      )}
    </Field>
  )
}

const wireOf = ({ model, provider }: ModelChoice) => ({ model, ...(provider !== null && { provider }) })
