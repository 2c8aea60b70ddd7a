import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api } from '../app.js'
import { providerOfKey } from '../models/catalog.js'
import { isOwnServer, looksLikeKey } from '../models/provider-state.js'
import { providers, refreshModels } from '../models/store.js'
import { useServer, type FoundServer } from '../models/use-server.js'
import { useResource } from '../settings/Loaded.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { SelectField, TextField } from '../ui/Field.js'
import { lazy } from '../ui/lazy.js'
import { toast } from '../ui/toasts.js'
import { useRequest } from '../ui/use-request.js'
import { words } from '../words/index.js'

const PickDefault = lazy(async () => (await import('./PickDefault.js')).PickDefault, { waiting: null })

/** Connects a model: a key or a local server, then the model. */
export function ConnectModel () {
  const [works, setWorks] = useState<string | null>(null)
  const [isPicking, setPicking] = useState(false)
  const w = words.value.setup
  const putAway = async (): Promise<void> => {
    const set = async (isDone: boolean) => await attempt(async () => await api.post('/api/settings', { onboarding_completed: isDone }))
    if (await set(true)) toast(w.put, { action: { text: words.value.common.undo, onPick: () => { void set(false) } } })
  }
  return (
    <section class='setup-card' aria-labelledby='setup-title'>
      <h2 id='setup-title'>{w.title}</h2>
      <p class='setup-note'>{w.note}</p>
      {works === null
        ? <KeyForm onConnected={(name) => { setWorks(name); setPicking(true) }} />
        : (
          <>
            <p class='provider-good' role='status'>{w.works(works)}</p>
            <div><Button kind='primary' onClick={() => setPicking(true)}>{w.choose}</Button></div>
          </>
          )}
      <FoundHere />
      <div class='setup-ways'>
        <Link href={places.models}>{w.others}</Link>
        <Button kind='quiet' onClick={() => { void putAway() }}>{w.later}</Button>
      </div>
      {isPicking ? <PickDefault onClose={() => setPicking(false)} /> : null}
    </section>
  )
}

function KeyForm ({ onConnected }: { onConnected: (name: string) => void }) {
  useResource(providers)
  const [key, setKey] = useState('')
  const [chosen, setChosen] = useState('')
  const { isBusy, problem, setProblem, run } = useRequest()
  const [wasRefused, setRefused] = useState(false)
  const keyed = (providers.value.value?.providers ?? []).filter(({ id, configurable }) => configurable &&
    !isOwnServer(id) && id !== 'offline-demo')
  const recognised = keyed.find(({ id }) => id === providerOfKey(key))
  const provider = keyed.find(({ id }) => id === chosen) ?? recognised
  const w = words.value.setup
  const connect = async (isTested: boolean): Promise<void> => {
    if (!looksLikeKey(key)) return setProblem(words.value.setup.keyTooShort)
    if (provider === undefined) return setProblem(w.provider)
    await run(async () => {
      const tested = isTested ? await api.post('/api/providers/test', { provider: provider.id, api_key: key.trim() }) : null
      if (tested !== null && !tested.ok) {
        setRefused(true)
        return setProblem(tested.message)
      }
      await api.post('/api/providers', { provider: provider.id, api_key: key.trim() })
      await refreshModels()
      onConnected(provider.display_name)
    })
  }
  return (
    <form class='setup-form' onSubmit={(event) => { event.preventDefault(); if (!isBusy) void connect(true) }}>
      <TextField
        label={w.key} type='password' autocomplete='off' spellcheck={false} value={key} error={problem}
        hint={recognised === undefined ? w.keyHint : w.recognised(recognised.display_name)}
        onValue={(value) => {
          setKey(value)
          setProblem(null)
          setRefused(false)
        }}
      />
      {looksLikeKey(key) && recognised === undefined
        ? <SelectField
            label={w.provider} value={chosen}
            choices={[{ key: '', text: '—' }, ...keyed.map(({ id, display_name: text }) => ({ key: id, text }))]}
            onValue={setChosen}
          />
        : null}
      <div class='setup-ways'>
        <Button kind='primary' type='submit' busy={isBusy}>{w.connect}</Button>
        {wasRefused ? <Button disabled={isBusy} onClick={() => { void connect(false) }}>{w.saveAnyway}</Button> : null}
      </div>
    </form>
  )
}

/** Looks for local servers once; says nothing if the service may not look, or finds none. */
function FoundHere () {
  const [servers, setServers] = useState<readonly FoundServer[]>([])
  useEffect(() => {
    let isGone = false
    api.post('/api/providers/discover')
      .then((found) => { if (!isGone) setServers(found.servers.filter(({ is_configured: isKnown }) => !isKnown)) }, () => {})
    return () => { isGone = true }
  }, [])
  const w = words.value.setup
  return <>{servers.map((server) => <Found key={server.base_url} server={server} words={w} />)}</>
}

function Found ({ server, words: w }: { server: FoundServer, words: typeof words.value.setup }) {
  const [model, setModel] = useState(server.models[0]?.id ?? '')
  const use = async (): Promise<void> => {
    if (await attempt(async () => await useServer(server, model))) toast(w.usesNow(model), { kind: 'good' })
  }
  return (
    <div class='setup-found'>
      <p>{w.found(server.display_name)}</p>
      {server.models.length === 0
        ? <p class='setup-note'>{w.noModels}</p>
        : (
          <div class='setup-ways'>
            <SelectField
              label={w.choose} bare value={model}
              choices={server.models.map(({ id, label }) => ({ key: id, text: label }))}
              onValue={setModel}
            />
            <Button kind='primary' onClick={() => { void use() }}>{w.use}</Button>
          </div>
          )}
    </div>
  )
}
