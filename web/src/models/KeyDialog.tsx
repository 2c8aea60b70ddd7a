import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { TextField } from '../ui/Field.js'
import { toast } from '../ui/Toast.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { looksLikeKey } from './provider-state.js'
import { sayKeyRefused } from './say-refused.js'
import { refreshModels } from './store.js'

/** Asks for the key of a provider. It is tested first, and saved if it works or the person insists. */
export function KeyDialog ({ provider: { id, display_name: name }, onClose }: { provider: Wire<'Provider'>, onClose: () => void }) {
  const [key, setKey] = useState('')
  const { isBusy, problem, setProblem, run } = useRequest()
  const [wasRefused, setRefused] = useState(false)
  const w = screenWords.value.models
  const save = async (isTested: boolean): Promise<void> => {
    if (!looksLikeKey(key)) return setProblem(words.value.setup.keyTooShort)
    await run(async () => {
      const tested = isTested ? await api.post('/api/providers/test', { provider: id, api_key: key.trim() }) : null
      if (tested !== null && !tested.ok) {
        setRefused(true)
        return setProblem(sayKeyRefused(tested, name))
      }
      await api.post('/api/providers', { provider: id, api_key: key.trim() })
      toast(w.keySaved(name), { kind: 'good' })
      onClose()
      await refreshModels()
    })
  }
  return (
    <Dialog
      open onClose={onClose} title={w.keyOf(name)} size='small' keep={key !== ''}
      actions={(
        <>
          {wasRefused ? <Button class='dialog-far' disabled={isBusy} onClick={() => { void save(false) }}>{w.saveAnyway}</Button> : null}
          <Button kind='primary' busy={isBusy} onClick={() => { void save(true) }}>{w.testSave}</Button>
        </>
      )}
    >
      <form onSubmit={(event) => { event.preventDefault(); if (!isBusy) void save(true) }}>
        <TextField
          label={w.key} type='password' autocomplete='off' spellcheck={false} autofocus value={key} error={problem}
          hint={w.keyHint}
          onValue={(value) => { setKey(value); setRefused(false) }}
        />
      </form>
    </Dialog>
  )
}
