import { useEffect, useState } from 'preact/hooks'
import { visible } from '../../core/files/paths.js'
import { Button } from '../../ui/Button.js'
import { Dialog } from '../../ui/Dialog.js'
import { Disclosure } from '../../ui/Disclosure.js'
import { Switch, TextArea, TextField } from '../../ui/Field.js'
import { toast } from '../../ui/toasts.js'
import { screenWords, words } from '../../words/index.js'
import { type SideModel } from '../side-model.js'
import { type PullAnswer } from './pull-requests.js'
import { refusal, usePullAction } from './use-pull-action.js'

const namesIn = (text: string): string[] => text.split(/[,\n]/).map((name) => name.trim().replace(/^@/, '')).filter((name) => name !== '')

/** Opens a pull request for the branch: a model proposes title and text, the person edits them, and unpushed commits are pushed. */
export function PullForm ({ model, state, isPushed, onClose }: {
  model: SideModel, state: PullAnswer, isPushed: boolean, onClose: () => void
}) {
  const { pulls, repository } = model
  const [form, setForm] = useState({
    title: '', body: '', base: state.repository?.default_branch ?? '', draft: false, reviewers: '', labels: ''
  })
  const [isWriting, setWriting] = useState(true)
  const action = usePullAction()
  const w = screenWords.value.pulls
  const put = (change: Partial<typeof form>): void => setForm((before) => ({ ...before, ...change }))
  useEffect(() => {
    pulls.draft().then(
      // Text typed meanwhile takes precedence.
      ({ title, body }) => setForm((before) => before.title === '' && before.body === '' ? { ...before, title, body } : before),
      (error: unknown) => action.tell(refusal(error))
    ).finally(() => setWriting(false))
  }, [])
  const submit = (): void => {
    if (form.title.trim() === '') return
    void action.run('open', async () => {
      if (!isPushed) await repository.talk('push')
      const { number, notes } = await pulls.open({
        ...form, title: form.title.trim(), base: form.base.trim(), reviewers: namesIn(form.reviewers), labels: namesIn(form.labels)
      })
      toast([w.opened(number), ...notes.map(visible)].join(' '), { kind: notes.length === 0 ? 'good' : 'bad' })
      onClose()
    })
  }
  return (
    <Dialog
      open title={w.openTitle} keep={form.title !== ''} onClose={onClose}
      actions={(
        <>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button kind='primary' type='submit' form='pull-form' busy={action.doing !== null} disabled={form.title.trim() === ''}>
            {isPushed ? w.openIt : w.pushAndOpen}
          </Button>
        </>
      )}
    >
      <form id='pull-form' class='pull-form' onSubmit={(event) => { event.preventDefault(); submit() }}>
        {action.problem !== null && <p class='side-problem' role='alert'>{visible(action.problem)}</p>}
        <TextField
          label={w.subject} value={form.title} onValue={(title) => put({ title })} maxLength={250} placeholder={isWriting ? w.writing : ''}
        />
        <TextArea
          label={w.text} value={form.body} onValue={(body) => put({ body })} rows={5} mostRows={14} maxLength={60_000}
          placeholder={isWriting ? w.writing : ''}
        />
        <TextField
          label={w.base} value={form.base} onValue={(base) => put({ base })} autocapitalize='none' autocomplete='off' spellcheck={false}
          maxLength={300}
        />
        <Switch label={w.draft} checked={form.draft} onChecked={(draft) => put({ draft })} />
        <Disclosure summary={w.more}>
          {() => (
            <>
              <TextField
                label={w.reviewers} hint={w.commas} value={form.reviewers} onValue={(reviewers) => put({ reviewers })} autocapitalize='none'
                spellcheck={false}
              />
              <TextField label={w.labels} hint={w.commas} value={form.labels} onValue={(labels) => put({ labels })} autocapitalize='none' />
            </>
          )}
        </Disclosure>
      </form>
    </Dialog>
  )
}
