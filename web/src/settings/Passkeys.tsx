import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Switch, TextField } from '../ui/Field.js'
import { KeyRound } from '../ui/icons.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { canUsePasskeys, changeAccess, makePasskey, passkeys } from './access.js'
import { Confirm } from './Confirm.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'
import { RenameForm } from './RenameForm.js'
import { serviceSettings } from './store.js'

/** Lists the passkeys for signing in. */
export function Passkeys ({ settings }: { settings: Wire<'Settings'> }) {
  const w = screenWords.value.settings.passkeys
  const { passkey_feature_flag: isOn, auth_enabled: isGated } = settings
  return (
    <Part name='passkeys'>
      {!isOn
        ? <p class='settings-note'>{w.off}</p>
        : !isGated
            ? <p class='settings-note'>{w.needsGate}</p>
            : <Loaded of={passkeys}>{(list) => <PasskeyList list={list} isOnlyWay={settings.passwordless_enabled} />}</Loaded>}
    </Part>
  )
}

type Passkey = Wire<'Passkey'>

function PasskeyList ({ list, isOnlyWay }: { list: readonly Passkey[], isOnlyWay: boolean }) {
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.settings.passkeys
  const add = async (): Promise<void> => {
    setBusy(true)
    await attempt(async () => {
      const made = await makePasskey(name.trim() === '' ? w.usual : name.trim())
      if (made === null) return toast(w.cancelled, { kind: 'bad' })
      setName('')
      toast(w.added(made.label), { kind: 'good' })
      await serviceSettings.refresh()
    })
    setBusy(false)
  }
  return (
    <>
      {list.length === 0
        ? <p class='settings-note'>{w.none}</p>
        : <ul class='settings-list'>{list.map((passkey) => <PasskeyRow key={passkey.id} passkey={passkey} />)}</ul>}
      {canUsePasskeys()
        ? (
          <form class='settings-actions' onSubmit={(event) => { event.preventDefault(); if (!isBusy) void add() }}>
            <TextField label={w.nameOf} bare placeholder={w.usual} maxLength={80} value={name} onValue={setName} />
            <Button type='submit' icon={KeyRound} busy={isBusy}>{w.add}</Button>
          </form>
          )
        : <p class='settings-note'>{w.unsafe}</p>}
      {list.length > 0 || isOnlyWay
        ? <Switch
            label={w.passwordless} hint={w.passwordlessNote} checked={isOnlyWay}
            onChecked={(isOn) => { void attempt(async () => await changeAccess({ _passwordless: isOn })) }}
          />
        : null}
    </>
  )
}

function PasskeyRow ({ passkey: { id, label, created_at: madeAt, last_used_at: usedAt } }: { passkey: Passkey }) {
  const [isRenaming, setRenaming] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const w = screenWords.value.settings.passkeys
  const rename = async (wanted: string, canUndo = true): Promise<void> => {
    const isDone = await attempt(async () => passkeys.set((await api.post('/api/auth/passkey/rename', { id, label: wanted })).credentials))
    if (isDone) setRenaming(false)
    if (isDone && canUndo) {
      toast(w.renamed(wanted), { action: { text: words.value.common.undo, onPick: () => { void rename(label, false) } } })
    }
  }
  const remove = async (): Promise<void> => {
    const isDone = await attempt(async () => passkeys.set((await api.post('/api/auth/passkey/delete', { id })).credentials))
    if (isDone) toast(w.removed(label))
    await serviceSettings.refresh()
  }
  if (isRenaming) {
    return <RenameForm label={w.nameOf} name={label} onRename={(wanted) => { void rename(wanted) }} onCancel={() => setRenaming(false)} />
  }
  return (
    <li class='settings-row'>
      <div class='settings-row-text'>
        <p>{label}</p>
        <p class='settings-note'>{w.made(times.at(madeAt))} · {usedAt === null ? w.unused : w.used(times.at(usedAt))}</p>
      </div>
      <Button kind='quiet' label={`${w.rename}: ${label}`} onClick={() => setRenaming(true)}>{w.rename}</Button>
      <Button kind='danger' label={`${w.remove}: ${label}`} onClick={() => setAsking(true)}>{w.remove}</Button>
      {isAsking
        ? <Confirm title={w.removeTitle(label)} note={w.removeNote} action={w.remove} onConfirm={remove} onClose={() => setAsking(false)} />
        : null}
    </li>
  )
}
