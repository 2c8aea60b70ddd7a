import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { createResource } from '../core/service/resource.js'
import { places } from '../shell/places.js'
import { enterProfile } from '../shell/profile.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { SelectField, TextField } from '../ui/Field.js'
import { Plus } from '../ui/icons.js'
import { toast } from '../ui/Toast.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords } from '../words/index.js'
import { Loaded } from '../ui/Loaded.js'

const profiles = createResource(async () => await api.get('/api/profiles'))

/** Lists the profiles, and marks the one that this browser uses. */
export function Profiles () {
  const [copied, setCopied] = useState<string | null>(null)
  const [isCreating, setCreating] = useState(false)
  const w = screenWords.value.profiles
  return (
    <>
      <p class='settings-note'>{w.note} <Link href={places.memory}>{w.toMemory}</Link></p>
      <Loaded of={profiles}>
        {({ profiles: list, single_profile_mode: isSingle }) => (
          <>
            <ul class='settings-list'>
              {list.map((profile) => (
                <ProfileRow
                  key={profile.name} profile={profile} isSingle={isSingle}
                  onCopy={() => { setCopied(profile.name); setCreating(true) }}
                />
              ))}
            </ul>
            {isSingle
              ? <p class='settings-note'>{w.single}</p>
              : <div><Button icon={Plus} onClick={() => { setCopied(null); setCreating(true) }}>{w.create}</Button></div>}
            {isCreating ? <CreateDialog names={list.map(({ name }) => name)} from={copied} onClose={() => setCreating(false)} /> : null}
          </>
        )}
      </Loaded>
    </>
  )
}

function ProfileRow ({ profile, isSingle, onCopy }: { profile: Wire<'Profile'>, isSingle: boolean, onCopy: () => void }) {
  const [isRemoving, setRemoving] = useState(false)
  const w = screenWords.value.profiles
  const { name } = profile
  return (
    <li class='settings-row'>
      <div class='settings-row-text'>
        <p><bdi>{name}</bdi></p>
        <p class='settings-note'>
          {[
            w.facts(profile.model ?? w.noModel, profile.enabled_skills, profile.total_skills),
            profile.has_env && w.keys, profile.gateway_running && w.running
          ].filter(Boolean).join(' · ')}
        </p>
      </div>
      {profile.is_active ? <Badge kind='accent'>{w.active}</Badge> : null}
      {profile.is_default ? <Badge>{w.usual}</Badge> : null}
      {profile.visible ? null : <Badge>{w.hidden}</Badge>}
      {profile.is_active || isSingle
        ? null
        : <Button label={`${w.switch}: ${name}`} onClick={() => { void enterProfile(name) }}>{w.switch}</Button>}
      {isSingle ? null : <Button kind='quiet' label={`${w.clone}: ${name}`} onClick={onCopy}>{w.clone}</Button>}
      {profile.is_default || profile.is_active || isSingle
        ? null
        : <Button kind='danger' label={`${w.remove}: ${name}`} onClick={() => setRemoving(true)}>{w.remove}</Button>}
      {isRemoving ? <RemoveDialog name={name} onClose={() => setRemoving(false)} /> : null}
    </li>
  )
}

function CreateDialog ({ names, from: first, onClose }: { names: readonly string[], from: string | null, onClose: () => void }) {
  const [name, setName] = useState('')
  const [from, setFrom] = useState(first ?? '')
  const { isBusy, problem, setProblem, run } = useRequest()
  const w = screenWords.value.profiles
  const create = async (): Promise<void> => {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name.trim())) return setProblem(w.wrongName)
    await run(async () => {
      await api.post('/api/profile/create', { name: name.trim(), ...(from !== '' && { clone_config: true, clone_from: from }) })
      toast(w.created(name.trim()), { kind: 'good', action: { text: w.switch, onPick: () => { void enterProfile(name.trim()) } } })
      onClose()
      await profiles.refresh()
    })
  }
  return (
    <Dialog
      open onClose={onClose} keep={name !== ''} title={w.create} size='small'
      actions={<Button kind='primary' busy={isBusy} onClick={() => { void create() }}>{w.create}</Button>}
    >
      <form class='settings-form' onSubmit={(event) => { event.preventDefault(); if (!isBusy) void create() }}>
        <TextField
          label={w.name} autofocus maxLength={64} spellcheck={false} autocapitalize='none' value={name} error={problem}
          hint={w.nameHint}
          onValue={(value) => { setName(value); setProblem(null) }}
        />
        <SelectField
          label={w.from} value={from}
          choices={[{ key: '', text: w.nothing }, ...names.map((key) => ({ key, text: w.copyOf(key) }))]}
          onValue={setFrom}
        />
      </form>
    </Dialog>
  )
}

/** Asks for the name of a profile before it is deleted: its keys cannot be restored. */
function RemoveDialog ({ name, onClose }: { name: string, onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const w = screenWords.value.profiles
  const remove = async (): Promise<void> => {
    if (typed.trim() !== name || !await attempt(async () => await api.post('/api/profile/delete', { name }))) return
    toast(w.removed(name))
    onClose()
    await profiles.refresh()
  }
  return (
    <Dialog
      open onClose={onClose} title={w.removeTitle(name)} size='small'
      actions={<Button kind='danger' disabled={typed.trim() !== name} onClick={() => { void remove() }}>{w.remove}</Button>}
    >
      <form class='settings-form' onSubmit={(event) => { event.preventDefault(); void remove() }}>
        <TextField label={w.name} hint={w.removeNote} autofocus spellcheck={false} autocapitalize='none' value={typed} onValue={setTyped} />
      </form>
    </Dialog>
  )
}
