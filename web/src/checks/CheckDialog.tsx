import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { visibleText } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { SelectField, TextField } from '../ui/Field.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { type Check } from './checks.js'

/** The subject of the dialog: a check, a proposal, or neither for a new check. */
export interface Draft { check?: Check, proposal?: Wire<'CheckProposal'> }

const afterTurns = ['off', 'ask', 'run'] as const
const times = ['0', '1', '2', '3', '4', '5'] as const
type Times = typeof times[number]

/** Edits and saves a check exactly as shown: saving also accepts a script that has changed. */
export function CheckDialog ({ sessionId, draft: { check, proposal }, confined, onClose }: {
  sessionId: string, draft: Draft, confined: boolean, onClose: () => void
}) {
  const w = screenWords.value.checks
  const c = words.value.common
  const [name, setName] = useState(check?.name ?? proposal?.name ?? '')
  const [command, setCommand] = useState(check?.command ?? proposal?.command ?? '')
  const [after, setAfter] = useState(check?.after_turn ?? 'ask')
  const [sends, setSends] = useState<Times>(times.find((count) => Number(count) === check?.auto_send) ?? '0')
  const [seconds, setSeconds] = useState(String(check?.seconds ?? 300))
  const { isBusy, problem, run } = useRequest()
  const offered = proposal ?? check
  const changed = check?.changed_script ?? null
  // The saved script is the one that is shown here.
  const script = command === offered?.command ? (changed === '' ? null : changed) ?? offered.script : null
  const save = (): Promise<void> => run(async () => {
    await api.post('/api/checks/save', {
      session_id: sessionId, name, command, script, after_turn: after, auto_send: after === 'run' ? Number(sends) : 0,
      seconds: Math.min(600, Math.max(1, Math.round(Number(seconds)) || 300)), ...check !== undefined && { id: check.id },
      ...proposal !== undefined && { kind: proposal.kind }
    })
    onClose()
  })
  const remove = (): Promise<void> => run(async () => {
    if (check !== undefined) await api.post('/api/checks/delete', { session_id: sessionId, id: check.id })
    onClose()
  })
  const actions = (
    <>
      {check === undefined ? null : <Button kind='danger' onClick={() => { void remove() }}>{w.remove}</Button>}
      <Button onClick={onClose}>{c.cancel}</Button>
      <Button kind='primary' busy={isBusy} disabled={name.trim() === '' || command.trim() === ''} onClick={() => { void save() }}>{c.save}</Button>
    </>
  )
  return (
    <Dialog
      open onClose={onClose} actions={actions}
      title={check === undefined ? w.newTitle : w.editTitle} note={confined ? w.dialogNote : w.unconfined}
    >
      <div class='checks-form'>
        {problem === null ? null : <p class='side-problem' role='alert'>{problem}</p>}
        <TextField label={w.name} value={name} onValue={setName} maxLength={80} />
        <TextField label={w.command} value={command} onValue={setCommand} maxLength={2_000} spellcheck={false} autocapitalize='off' placeholder='npm test' dir='ltr' />
        {script === null
          ? null
          : <div><p class='side-muted'>{w.runs(offered?.file ?? '')}</p><pre class='checks-output' dir='ltr' tabIndex={0}>{visibleText(script)}</pre></div>}
        <SelectField
          label={w.after} value={after} onValue={setAfter} choices={afterTurns.map((key) => ({ key, text: w.afters[key] }))}
          {...after === 'run' && { hint: confined ? w.afterHint : w.unconfined }}
        />
        {after === 'run'
          ? <SelectField
              label={w.sends} hint={w.sendsHint} value={sends} onValue={setSends}
              choices={times.map((key) => ({ key, text: w.sendsTimes(Number(key)) }))}
            />
          : null}
        <TextField label={w.seconds} value={seconds} onValue={setSeconds} type='number' min='1' max='600' inputMode='numeric' />
      </div>
    </Dialog>
  )
}
