import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Plus, Smartphone } from '../ui/icons.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { DeviceDialog } from './DeviceDialog.js'
import { devices, type Device } from './devices.js'
import { Loaded } from '../ui/Loaded.js'
import { RenameForm } from './RenameForm.js'

/** Lists devices and tokens, which can be created, paired and revoked. */
export function Devices () {
  const [adding, setAdding] = useState<'pair' | 'make' | null>(null)
  const [leaving, setLeaving] = useState<Device | null>(null)
  const w = screenWords.value.devices
  const revoke = async ({ id }: Device): Promise<void> => {
    await attempt(async () => {
      const { tokens, revoked } = await api.post('/api/auth/tokens/revoke', { id })
      devices.set(tokens)
      toast(w.revoked(revoked.length))
    })
    setLeaving(null)
  }
  return (
    <>
      <p class='settings-note'>{w.note}</p>
      <Loaded of={devices}>
        {(list) => list.length === 0
          ? <p class='settings-note'>{w.none}</p>
          : (
            <ul class='settings-list'>
              {list.map((device) => <DeviceRow key={device.id} device={device} list={list} onRevoke={() => setLeaving(device)} />)}
            </ul>
            )}
      </Loaded>
      <div class='settings-actions'>
        <Button kind='primary' icon={Smartphone} onClick={() => setAdding('pair')}>{w.pair}</Button>
        <Button icon={Plus} onClick={() => setAdding('make')}>{w.make}</Button>
      </div>
      {adding === null ? null : <DeviceDialog way={adding} onClose={() => setAdding(null)} />}
      {leaving === null
        ? null
        : (
          <Dialog
            open size='small' title={w.revokeTitle(leaving.name)} note={w.revokeNote} onClose={() => setLeaving(null)}
            actions={<Button kind='danger' onClick={() => { void revoke(leaving) }}>{w.revoke}</Button>}
          />
          )}
    </>
  )
}

function DeviceRow ({ device, list, onRevoke }: { device: Device, list: readonly Device[], onRevoke: () => void }) {
  const [isRenaming, setRenaming] = useState(false)
  const w = screenWords.value.devices
  const { id, name, scope, kind } = device
  const rename = async (wanted: string, canUndo = true): Promise<void> => {
    const isDone = await attempt(async () => devices.set((await api.post('/api/auth/tokens/rename', { id, name: wanted })).tokens))
    if (isDone) setRenaming(false)
    if (isDone && canUndo) {
      toast(w.renamed(wanted), { action: { text: words.value.common.undo, onPick: () => { void rename(name, false) } } })
    }
  }
  if (isRenaming) {
    return <RenameForm label={w.name} name={name} onRename={(wanted) => { void rename(wanted) }} onCancel={() => setRenaming(false)} />
  }
  const facts = [w.scopes[scope], ...(kind === 'browser' ? [w.browser] : []), ...(device.is_current ? [w.here] : [])]
  return (
    <li class='settings-row'>
      <div class='settings-row-text'>
        <p>{name}</p>
        <p class='settings-note'>{[...facts, ...timesOf(device, list)].join(' · ')}</p>
      </div>
      <Button kind='quiet' label={`${w.rename}: ${name}`} onClick={() => setRenaming(true)}>{w.rename}</Button>
      <Button kind='danger' label={`${w.revoke}: ${name}`} onClick={onRevoke}>{w.revoke}</Button>
    </li>
  )
}

function timesOf (
  { created_at: madeAt, made_by: maker, last_used_at: usedAt, expires_at: endsAt, is_expired: isOver }: Device,
  list: readonly Device[]
): string[] {
  const w = screenWords.value.devices
  const madeBy = list.find(({ id }) => id === maker)
  return [
    usedAt === null ? w.unused : w.used(times.at(usedAt)),
    madeBy === undefined ? w.made(times.at(madeAt)) : `${w.made(times.at(madeAt))} ${w.madeBy(madeBy.name)}`,
    ...(isOver ? [w.over] : endsAt === null ? [] : [w.until(times.next(endsAt))])
  ]
}
