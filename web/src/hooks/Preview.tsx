import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../app.js'
import { ApiError, type Wire } from '../core/service/api.js'
import { Disclosure } from '../ui/Disclosure.js'
import { Segmented } from '../ui/Segmented.js'
import { screenWords } from '../words/index.js'
import { matchOf, type HookForm } from './hook-form.js'
import { senders } from './senders.js'

/** The values of a call that a template may use; a click adds one. */
export function Places ({ of: names, onPick }: { of: readonly string[], onPick: (place: string) => void }) {
  const w = screenWords.value.hooks
  return (
    <>
      {names.map((name) => (
        <button key={name} type='button' class='hook-place' aria-label={w.addPlace(name)} onClick={() => onPick(name)}>
          <code dir='ltr'>{`{{${name}}}`}</code>
        </button>
      ))}
    </>
  )
}

/** Shows the message that a call would send, for an example or for the last call received. */
export function Preview ({ form, hookId }: { form: HookForm, hookId: string | null }) {
  const isOpen = useSignal(false)
  const w = screenWords.value.hooks
  return (
    <Disclosure summary={w.preview} class='task-advanced' open={isOpen.value} onToggle={(open) => { isOpen.value = open }}>
      {isOpen.value ? <Filled form={form} hookId={hookId} /> : null}
    </Disclosure>
  )
}

const pauseMs = 300

function Filled ({ form, hookId }: { form: HookForm, hookId: string | null }) {
  const last = useSignal<string | null>(null)
  const from = useSignal<'example' | 'last'>('example')
  const shown = useSignal<Wire<'HookPreview'> | null>(null)
  const problem = useSignal<string | null>(null)
  const w = screenWords.value.hooks
  useEffect(() => {
    if (hookId === null) return
    void api.get('/api/hooks/calls', { id: hookId }).then(({ payload }) => {
      last.value = payload
      if (payload !== null) from.value = 'last'
    }, () => {})
  }, [hookId])
  const { sample } = senders[form.sender]
  const isLast = from.value === 'last' && last.value !== null
  const payload = isLast ? last.value ?? '' : JSON.stringify(sample.payload)
  const asked = JSON.stringify({
    template: form.prompt, payload, name: form.name, event: isLast ? '' : sample.event, events: form.events, match: matchOf(form)
  })
  useEffect(() => {
    let isOver = false
    const timer = setTimeout(() => {
      void api.post('/api/hooks/preview', JSON.parse(asked)).then((found) => {
        if (isOver) return
        shown.value = found
        problem.value = null
      }, (error: unknown) => {
        if (!(error instanceof ApiError)) throw error
        if (!isOver) problem.value = error.message
      })
    }, pauseMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [asked])
  return (
    <div class='hook-preview'>
      {last.value === null
        ? null
        : (
          <Segmented
            label={w.previewOf} chosen={from.value} onChoose={(key) => { from.value = key }}
            choices={[{ key: 'last', text: w.lastCall }, { key: 'example', text: w.example }]}
          />
          )}
      {problem.value === null ? null : <p class='task-wrong' role='alert'>{problem.value}</p>}
      {shown.value === null
        ? null
        : (
          <>
            {isLast || shown.value.reason !== null || form.events.length > 0
              ? <p role='status' class='field-hint'>{shown.value.reason === null ? w.wouldStart : isLast || shown.value.reason === 'event' ? w.wouldNot[shown.value.reason] : w.wouldNot.match}</p>
              : null}
            <pre class='hook-request' tabIndex={0} aria-label={w.asked} dir='auto'>{shown.value.request}</pre>
          </>
          )}
    </div>
  )
}
