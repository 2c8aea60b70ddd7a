import { useEffect, useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { isReachable } from '../core/service/reachable.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { Dialog } from '../ui/Dialog.js'
import { SelectField, TextField } from '../ui/Field.js'
import { QrCode } from '../ui/QrCode.js'
import { toast } from '../ui/Toast.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { devices, endingKeys, endings, scopes, type Ending, type Scope } from './devices.js'

type Pairing = Wire<'PairingBegun'>
const lookEveryMs = 2_000
/** How long a code is valid, by this browser's clock, which may differ from the service's. */
const codeServesMs = 5 * 60_000

/** Asks for the scope of a device, then shows its code or, once, its token. */
export function DeviceDialog ({ way, onClose }: { way: 'pair' | 'make', onClose: () => void }) {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>(way === 'pair' ? 'approve' : 'chat')
  const [ending, setEnding] = useState<Ending>('never')
  const { isBusy, problem, problemAt, setProblem, form, run } = useRequest()
  const [token, setToken] = useState<string | null>(null)
  const [pairing, setPairing] = useState<Pairing | null>(null)
  const w = screenWords.value.devices
  const action = way === 'pair' ? w.showCode : w.make
  const begin = async (): Promise<void> => {
    if (name.trim() === '') return setProblem(w.noName, 'name')
    const wanted = { name: name.trim(), scope, expires_in_seconds: endings[ending] }
    await run(async () => {
      if (way === 'pair') setPairing(await api.post('/api/auth/tokens/pair', wanted))
      else setToken((await api.post('/api/auth/tokens/create', wanted)).token)
      await devices.refresh()
    })
  }
  if (token !== null) {
    return <Dialog open keep size='small' title={w.token} note={w.tokenNote} onClose={onClose}><Token token={token} /></Dialog>
  }
  if (pairing !== null) return <PairingDialog pairing={pairing} name={name.trim()} onClose={onClose} />
  return (
    <Dialog
      open size='small' title={w[way]} note={way === 'pair' ? w.pairNote : w.makeNote} keep={name !== ''} onClose={onClose}
      actions={<Button kind='primary' busy={isBusy} onClick={() => { void begin() }}>{action}</Button>}
    >
      <form ref={form} class='settings-form' onSubmit={(event) => { event.preventDefault(); if (!isBusy) void begin() }}>
        <TextField
          label={w.name} hint={w.nameHint} maxLength={80} autofocus value={name} error={problemAt('name')}
          onValue={(value) => { setName(value); setProblem(null) }}
        />
        <SelectField
          label={w.scope} hint={w.scopeNotes[scope]} value={scope} onValue={setScope}
          choices={scopes.map((key) => ({ key, text: w.scopes[key] }))}
        />
        <SelectField
          label={w.ends} value={ending} onValue={setEnding}
          choices={endingKeys.map((key) => ({ key, text: w.ending[key] }))}
        />
        {problem === null ? null : <p class='field-error' role='alert'>{problem}</p>}
        <button type='submit' class='visually-hidden' tabIndex={-1}>{action}</button>
      </form>
    </Dialog>
  )
}

function Token ({ token }: { token: string }) {
  const w = screenWords.value.devices
  return (
    <>
      <QrCode text={token} label={w.token} />
      <p class='settings-row'><code class='settings-row-text device-secret'>{token}</code><CopyButton text={token} label={w.copy} /></p>
    </>
  )
}

/** Shows a code until its device is paired or the code has expired. Closing it revokes the code. */
function PairingDialog ({ pairing: { id, code, path }, name, onClose }: { pairing: Pairing, name: string, onClose: () => void }) {
  const [isOver, setOver] = useState(false)
  const [endsAtMs] = useState(() => Date.now() + codeServesMs)
  const w = screenWords.value.devices
  const link = new URL(path, location.href).href
  const canOpen = isReachable(location.hostname)
  useEffect(() => {
    const looking = setInterval(() => {
      if (Date.now() > endsAtMs) setOver(true)
      void devices.refresh()
    }, lookEveryMs)
    return () => {
      clearInterval(looking)
      // This has no effect on a code that was used meanwhile.
      void api.post('/api/auth/tokens/pair/end', { id }).catch(() => {})
    }
  }, [id, endsAtMs])
  const hasCome = devices.value.value?.some((device) => device.id === id) === true
  useEffect(() => {
    if (!hasCome) return
    toast(w.paired(name), { kind: 'good' })
    onClose()
  }, [hasCome])
  return (
    <Dialog open size='small' title={w.pair} onClose={onClose}>
      {isOver
        ? <p role='alert'>{w.codeOver}</p>
        : (
          <>
            {canOpen ? <><QrCode text={link} label={w.scan} /><p>{w.scan}</p></> : <p>{w.local}</p>}
            <p class='device-code'><span class='settings-note'>{w.code}</span> <code>{code}</code></p>
            <p class='settings-note' role='status'>{w.waiting(times.clock(endsAtMs / 1_000))}</p>
          </>
          )}
    </Dialog>
  )
}
