import { useState } from 'preact/hooks'
import { visible } from '../../core/files/paths.js'
import { Button } from '../../ui/Button.js'
import { Dialog } from '../../ui/Dialog.js'
import { SelectField } from '../../ui/Field.js'
import { toast } from '../../ui/toasts.js'
import { screenWords, words } from '../../words/index.js'
import { type MergeMethod, type Pull, type PullAnswer, type PullRequests } from './pull-requests.js'
import { usePullAction } from './use-pull-action.js'

/** Merges a pull request as it was when the dialog opened, whatever changes arrive meanwhile. */
export function MergeDialog ({ state, pull: latest, pulls, onClose }: {
  state: PullAnswer, pull: Pull, pulls: PullRequests, onClose: () => void
}) {
  const [pull] = useState(latest)
  const methods = state.repository?.methods ?? []
  const [method, setMethod] = useState<MergeMethod>(methods[0] ?? 'merge')
  const action = usePullAction()
  const w = screenWords.value.pulls
  const isGreen = state.problems.length === 0 && state.checks.every(({ state }) => state === 'passed' || state === 'skipped')
  const merge = (): void => {
    void action.run('merge', async () => {
      await pulls.merge(pull, method)
      toast(w.merged(pull.number), { kind: 'good' })
      onClose()
    })
  }
  return (
    <Dialog
      open size='small' title={w.mergeTitle(pull.number)} onClose={onClose}
      actions={(
        <>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button kind='primary' busy={action.doing !== null} onClick={merge}>{w.methods[method]}</Button>
        </>
      )}
    >
      <div class='pull-form'>
        <p>{w.mergeText(visible(pull.title), pull.sha.slice(0, 7), visible(pull.base))}</p>
        {!isGreen && <p class='side-problem'>{w.notGreen}</p>}
        {pull.mergeable === false && <p class='side-problem'>{w.conflicts}</p>}
        {methods.length > 1 && (
          <SelectField
            label={w.method} value={method} onValue={setMethod} choices={methods.map((key) => ({ key, text: w.methods[key] }))}
          />
        )}
        {action.problem !== null && <p class='side-problem' role='alert'>{visible(action.problem)}</p>}
      </div>
    </Dialog>
  )
}
