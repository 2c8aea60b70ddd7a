import { useState } from 'preact/hooks'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { TextField } from '../ui/Field.js'
import { Eye } from '../ui/icons.js'
import { toast } from '../ui/Toast.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords } from '../words/index.js'
import { changeAccess } from './access.js'

export type PasswordChange = 'set' | 'change' | 'clear'

/** Sets, changes or removes the password. The last two need the current one. */
export function PasswordDialog ({ change, onClose }: { change: PasswordChange, onClose: () => void }) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [again, setAgain] = useState('')
  const [isShown, setShown] = useState(false)
  const { isBusy, problem, problemAt, setProblem, form, run } = useRequest()
  const w = screenWords.value.settings.gate
  const isNew = change !== 'clear'
  const save = async (): Promise<void> => {
    if (isNew && next === '') return setProblem(w.empty, 'next')
    if (isNew && next !== again) return setProblem(w.differ, 'again')
    await run(async () => {
      await changeAccess({
        ...(change !== 'set' && { _current_password: current }),
        ...(isNew ? { _set_password: next } : { _clear_password: true })
      })
      toast(isNew ? w.changed : w.cleared, { kind: 'good' })
      onClose()
    })
  }
  const type = isShown ? 'text' : 'password'
  return (
    <Dialog
      open onClose={onClose} size='small' title={w[change]} note={change === 'clear' ? w.clearNote : undefined}
      keep={current !== '' ||
        next !== ''}
      actions={(
        <Button kind={change === 'clear' ? 'danger' : 'primary'} type='submit' form='password-form' busy={isBusy}>{w[change]}</Button>
      )}
    >
      <form ref={form} id='password-form' class='settings-form' onSubmit={(event) => { event.preventDefault(); if (!isBusy) void save() }}>
        <input type='text' name='username' value='operator' autocomplete='username' hidden readOnly />
        {change === 'set'
          ? null
          : <TextField label={w.current} type={type} autocomplete='current-password' autofocus value={current} onValue={setCurrent} />}
        {isNew
          ? <TextField
              label={w.next} type={type} autocomplete='new-password' autofocus={change === 'set'} value={next}
              error={problemAt('next')} onValue={(value) => { setNext(value); setProblem(null) }}
              after={<Button kind='quiet' icon={Eye} label={w.reveal} pressed={isShown} onClick={() => setShown(!isShown)} />}
            />
          : null}
        {isNew
          ? <TextField
              label={w.again} type={type} autocomplete='new-password' value={again} error={problemAt('again')}
              onValue={(value) => { setAgain(value); setProblem(null) }}
            />
          : null}
        {problem === null ? null : <p class='field-error' role='alert'>{problem}</p>}
      </form>
    </Dialog>
  )
}
