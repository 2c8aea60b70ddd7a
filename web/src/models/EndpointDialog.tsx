import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { SelectField, Switch, TextArea, TextField } from '../ui/Field.js'
import { toast } from '../ui/Toast.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { ownServers } from './provider-state.js'
import { refreshModels } from './store.js'

const endpointKinds = ['custom', ...ownServers] as const
export type EndpointKind = typeof endpointKinds[number]

/** Adds a model server that is not a known provider. */
export function EndpointDialog ({ onClose, kind: first = 'custom' }: { onClose: () => void, kind?: EndpointKind }) {
  const [kind, setKind] = useState<EndpointKind>(first)
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [key, setKey] = useState('')
  const [models, setModels] = useState('')
  const [answers, setAnswers] = useState(true)
  const [problems, setProblems] = useState<{ name?: string, address?: string, models?: string }>({})
  const { isBusy, problem, setProblem, run } = useRequest()
  const w = screenWords.value.models
  const save = async (): Promise<void> => {
    const listed = models.split('\n').map((line) => line.trim()).filter((line) => line !== '')
    const wrong = {
      ...(kind === 'custom' && name.trim() === '' && { name: w.needsName }),
      ...(!/^https?:\/\/\S+$/.test(address.trim()) && { address: w.needsAddress }),
      ...(kind !== 'custom' && listed.length === 0 && { models: w.needsModel })
    }
    setProblems(wrong)
    setProblem(null)
    if (Object.keys(wrong).length > 0) return
    const common = { base_url: address.trim(), activate: answers, ...(key.trim() !== '' && { api_key: key.trim() }) }
    await run(async () => {
      if (kind === 'custom') await api.post('/api/providers/custom', { ...common, name: name.trim(), models: listed })
      else await api.post('/api/providers/self-hosted', { ...common, provider: kind, model: listed[0] ?? '' })
      toast(w.endpointAdded(kind === 'custom' ? name.trim() : w.kinds[kind]), { kind: 'good' })
      onClose()
      await refreshModels()
    })
  }
  const kinds = endpointKinds.map((key) => ({ key, text: w.kinds[key] }))
  return (
    <Dialog
      open onClose={onClose} title={w.addEndpoint} note={w.endpointNote} keep={name !== '' || address !== ''}
      actions={<Button kind='primary' busy={isBusy} onClick={() => { void save() }}>{words.value.common.save}</Button>}
    >
      <form class='settings-form' onSubmit={(event) => { event.preventDefault(); if (!isBusy) void save() }}>
        <SelectField label={w.endpointKind} value={kind} choices={kinds} onValue={setKind} />
        {kind === 'custom'
          ? <TextField label={w.endpointName} maxLength={64} value={name} error={problems.name ?? null} onValue={setName} />
          : null}
        <TextField
          label={w.endpointAddress} type='url' inputMode='url' placeholder='http://127.0.0.1:8080/v1' value={address}
          error={problems.address ?? null} hint={w.endpointAddressHint} onValue={setAddress}
        />
        <TextField label={w.key} optional type='password' autocomplete='off' value={key} hint={w.keyHint} onValue={setKey} />
        {kind === 'custom'
          ? <TextArea label={w.endpointModels} optional rows={2} value={models} hint={w.endpointModelsHint} onValue={setModels} />
          : <TextField label={w.endpointModel} value={models} error={problems.models ?? null} onValue={setModels} />}
        <Switch label={w.answerNow} checked={answers} onChecked={setAnswers} />
        {problem === null ? null : <p class='field-error' role='alert'>{problem}</p>}
        <button type='submit' class='visually-hidden' tabIndex={-1}>{words.value.common.save}</button>
      </form>
    </Dialog>
  )
}
