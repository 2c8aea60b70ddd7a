import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { places } from '../shell/places.js'
import { sendLast, unlessTakenBack } from '../shell/taking-back.js'
import { What } from '../tasks/What.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ErrorState } from '../ui/ErrorState.js'
import { TextField } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { ArrowLeft, Ellipsis, Pause, Play, RotateCw, Trash } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { Segmented } from '../ui/Segmented.js'
import { toast } from '../ui/toasts.js'
import { useReading } from '../ui/use-reading.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { Calls } from './Calls.js'
import { Connect } from './Connect.js'
import { bodyOf, formFor, isBudget, isChanged, isComplete, keepDraft, type HookForm } from './hook-form.js'
import { hooks, keepSecret, leaving, type Hook } from './hooks.js'
import { Places, Preview } from './Preview.js'
import { senderNames, senders } from './senders.js'
import { CallConditions } from './CallConditions.js'

/** A hook: its sender, the message that a call sends to the agent, and the outcome of its calls. `null`: a hook that is being created. */
export function HookPane ({ hook }: { hook: Hook | null }) {
  const form = formFor(hook)
  const change = (values: Partial<HookForm>): void => keepDraft(hook, { ...form, ...values })
  const { isBusy, error, run } = useRequest()
  const skills = useReading(async () => (await api.get('/api/skills')).skills.filter(({ disabled }) => !disabled), [])
  const w = screenWords.value.hooks
  const isEdited = isChanged(hook)
  const canSave = isComplete(form) && (isEdited || hook === null)
  const save = (): Promise<void> => canSave
    ? run(async () => {
      const body = bodyOf(form)
      if (hook === null) {
        const { hook: made, secret } = await api.post('/api/hooks/create', { ...body, enabled: true })
        keepSecret(made.id, secret)
        await hooks.refresh()
        keepDraft(null, null)
        return navigate(places.hook(made.id), { replace: true })
      }
      await api.post('/api/hooks/update', { ...body, id: hook.id })
      await hooks.refresh()
      keepDraft(hook, null)
      toast(w.saved(form.name), { kind: 'good' })
    })
    : Promise.resolve()
  const named = form.prompt === '' ? w.examples[form.sender] : ''
  return (
    <section class='task-pane' aria-label={hook?.name ?? w.create}>
      <form class='task-form' onSubmit={(event) => { event.preventDefault(); void save() }}>
        <div class='task-head'>
          <Link href={places.hooks} class='task-back' aria-label={w.back} title={w.back}><Icon of={ArrowLeft} /></Link>
          <TextField
            bare class='task-title' label={w.name} value={form.name} maxLength={200} placeholder={w.create} dir='auto'
            onValue={(name) => change({ name })}
          />
          {hook === null ? null : <Actions hook={hook} />}
        </div>
        {error === null ? null : <ErrorState error={error} />}
        <div class='field'>
          <span class='task-question'>{w.sender}</span>
          <Segmented
            label={w.sender} chosen={form.sender} onChoose={(sender) => change({ sender })}
            choices={senderNames.map((key) => ({ key, text: w.senders[key] }))}
          />
        </div>
        {hook === null ? <p class='task-note'>{w.first}</p> : <Connect hook={hook} sender={form.sender} />}
        <CallConditions form={form} onChange={change} />
        <div class='field'>
          <What
            form={form} skills={(skills.value.value ?? []).map(({ name }) => name)} isNew={false} label={w.what}
            placeholder={w.examples[form.sender]} onChange={change}
          />
          <div class='hook-places'>
            <Places of={senders[form.sender].places} onPick={(place) => change({ prompt: `${form.prompt}${/\S$/.test(form.prompt) ? ' ' : ''}{{${place}}}` })} />
            {named === '' ? null : <Button size='small' onClick={() => change({ prompt: named })}>{w.useExample}</Button>}
          </div>
          <p class='field-hint'>{w.templateHint}</p>
        </div>
        <Preview form={form} hookId={hook?.id ?? null} />
        <div class='field'>
          <span class='task-question'>{w.ask}</span>
          <Segmented
            label={w.ask} chosen={form.ask} onChoose={(ask) => change({ ask })}
            choices={[{ key: 'deny', text: w.asks.deny }, { key: 'wait', text: w.asks.wait }]}
          />
        </div>
        <Disclosure summary={w.more} class='task-advanced'>
          <div class='task-more'>
            <TextField
              label={w.budget} optional value={form.budget} inputMode='decimal' placeholder={w.noBudget} hint={w.budgetHint}
              error={isBudget(form.budget) ? null : w.badBudget} onValue={(budget) => change({ budget })}
            />
            <div class='field'>
              <span class='field-label'>{screenWords.value.tasks.delivery}</span>
              <Segmented
                label={screenWords.value.tasks.delivery} chosen={form.delivery} onChoose={(delivery) => change({ delivery })}
                choices={(['local', 'push', 'webhook'] as const).map((key) => ({ key, text: screenWords.value.tasks.deliveries[key] }))}
              />
            </div>
            {form.delivery === 'webhook'
              ? <TextField
                  label={screenWords.value.tasks.webhook} type='url' value={form.webhookUrl} placeholder='https://example.org/hook'
                  hint={screenWords.value.tasks.webhookHint} onValue={(webhookUrl) => change({ webhookUrl })}
                />
              : null}
          </div>
        </Disclosure>
        <div class='task-save'>
          <Button kind='primary' type='submit' busy={isBusy} disabled={!canSave}>{hook === null ? w.createIt : w.save}</Button>
          {isEdited
            ? <Button kind='quiet' onClick={() => { keepDraft(hook, null); if (hook === null) navigate(places.hooks) }}>{w.discard}</Button>
            : null}
        </div>
      </form>
      {hook === null ? null : <Calls hook={hook} />}
    </section>
  )
}

/** Shows whether a hook is paused, and the actions on it. */
function Actions ({ hook }: { hook: Hook }) {
  const { id, name, enabled } = hook
  const w = screenWords.value.hooks
  const set = async (on: boolean): Promise<void> => {
    await attempt(async () => await api.post('/api/hooks/update', { id, enabled: on }))
    await hooks.refresh()
  }
  const pause = async (): Promise<void> => {
    await set(false)
    toast(w.pausedToast(name), { action: { text: words.value.common.undo, onPick: () => { void set(true) } } })
  }
  const rotate = (): Promise<unknown> => attempt(async () => keepSecret(id, (await api.post('/api/hooks/secret', { id })).secret))
  const remove = (): void => {
    leaving.value = new Set([...leaving.peek(), id])
    navigate(places.hooks, { replace: true })
    unlessTakenBack(w.deleted(name), {
      act: async () => {
        await attempt(async () => await api.post('/api/hooks/delete', { id }))
        await hooks.refresh()
      },
      atLeave: () => sendLast('/api/hooks/delete', { id }),
      end: () => { leaving.value = new Set([...leaving.peek()].filter((one) => one !== id)) }
    })
  }
  return (
    <span class='task-actions'>
      {enabled ? null : <Badge>{w.paused}</Badge>}
      <Menu
        icon={Ellipsis} label={w.actionsOf(name)}
        items={() => [
          enabled
            ? { text: w.pause, icon: Pause, onPick: () => { void pause() } }
            : { text: w.resume, icon: Play, onPick: () => { void set(true) } },
          { text: w.rotate, icon: RotateCw, onPick: () => { void rotate() } },
          'line',
          { text: words.value.common.delete, icon: Trash, danger: true, onPick: remove }
        ]}
      />
    </span>
  )
}
