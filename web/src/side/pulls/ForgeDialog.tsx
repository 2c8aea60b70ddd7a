import { useState } from 'preact/hooks'
import { visible } from '../../core/files/paths.js'
import { Button } from '../../ui/Button.js'
import { Dialog } from '../../ui/Dialog.js'
import { SelectField, TextField } from '../../ui/Field.js'
import { toast } from '../../ui/toasts.js'
import { screenWords, words } from '../../words/index.js'
import { type PullRequests } from './pull-requests.js'
import { usePullAction } from './use-pull-action.js'

type Kind = 'github' | 'gitlab' | 'gitea'

/** Asks for the token of a server and, unless it is a well-known one, for its kind and address. */
export function ForgeDialog ({ host, kind: known, pulls, onClose }: {
  host: string, kind: Kind | null, pulls: PullRequests, onClose: () => void
}) {
  const [kind, setKind] = useState<Kind>(known ?? 'github')
  const [url, setUrl] = useState('')
  const [token, setToken] = useState('')
  const action = usePullAction()
  const w = screenWords.value.pulls
  const isPublic = host === 'github.com' || host === 'gitlab.com' || host === 'codeberg.org'
  const save = (): void => {
    if (token.trim() === '') return
    void action.run('connect', async () => {
      await pulls.connect({ host, kind, url: url.trim(), token: token.trim() })
      toast(w.connected(visible(host)), { kind: 'good' })
      onClose()
    })
  }
  return (
    <Dialog
      open size='small' title={w.connectTitle(visible(host))} onClose={onClose} keep={token !== ''}
      actions={(
        <>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button kind='primary' type='submit' form='forge-form' busy={action.doing !== null} disabled={token.trim() === ''}>
            {words.value.common.save}
          </Button>
        </>
      )}
    >
      <form id='forge-form' class='pull-form' onSubmit={(event) => { event.preventDefault(); save() }}>
        {action.problem !== null && <p class='side-problem' role='alert'>{visible(action.problem)}</p>}
        {!isPublic && (
          <>
            <SelectField
              label={w.kind} value={kind} onValue={setKind}
              choices={(['github', 'gitlab', 'gitea'] as const).map((key) => ({ key, text: w.kinds[key] }))}
            />
            <TextField
              label={w.address} hint={w.addressHint} optional value={url} onValue={setUrl} type='url' autocapitalize='none' spellcheck={false}
            />
          </>
        )}
        <TextField
          label={w.token} hint={w.tokenHint} value={token} onValue={setToken} type='password' autocomplete='off' autofocus maxLength={500}
        />
      </form>
    </Dialog>
  )
}
