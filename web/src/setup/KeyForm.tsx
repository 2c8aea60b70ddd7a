import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { keyIn, keyMakers, looksShared, makerOfKey } from '../models/key-makers.js'
import { looksLikeKey } from '../models/provider-state.js'
import { sayKeyRefused } from '../models/say-refused.js'
import { refreshModels } from '../models/store.js'
import { Button } from '../ui/Button.js'
import { SelectField, TextField } from '../ui/Field.js'
import { useRequest } from '../ui/use-request.js'
import { words } from '../words/index.js'

const keyed = keyMakers.flatMap(({ provider, ...maker }) => provider === null ? [] : [{ ...maker, provider }])

/**
 * Accepts a key, recognises its maker, tests it with the maker, and stores it in the service. The key leaves this form in those two
 * requests only.
 */
export function KeyForm ({ onConnected }: { onConnected: (name: string) => void }) {
  const [pasted, setPasted] = useState('')
  const [chosen, setChosen] = useState('')
  const [wasRefused, setRefused] = useState(false)
  const { isBusy, problem, setProblem, run } = useRequest()
  const w = words.value.setup
  const key = keyIn(pasted)
  const maker = makerOfKey(key)
  const owner = keyed.find(({ provider }) => provider === chosen) ?? keyed.find(({ provider }) => provider === maker?.provider)
  const asksOwner = chosen !== '' || (looksLikeKey(key) && (maker === null || (wasRefused && looksShared(key))))

  const connect = async (isChecked: boolean): Promise<void> => {
    if (!looksLikeKey(key)) return setProblem(w.keyTooShort)
    if (owner === undefined) return setProblem(maker === null ? w.noProvider : w.asEndpoint(maker.name))
    await run(async () => {
      const { provider, name } = owner
      const checked = isChecked ? await api.post('/api/providers/test', { provider, api_key: key }) : null
      if (checked !== null && !checked.ok) {
        setRefused(true)
        return setProblem(sayKeyRefused(checked, name))
      }
      await api.post('/api/providers', { provider, api_key: key })
      onConnected(name)
      await refreshModels()
    })
  }
  return (
    <form class='setup-form' onSubmit={(event) => { event.preventDefault(); void connect(true) }}>
      <div class='setup-key'>
        <TextField
          label={w.key} type='password' autocomplete='off' spellcheck={false} value={pasted} error={problem}
          {...(problem === null && { hint: owner === undefined ? w.keyHint : w.recognised(owner.name) })}
          onValue={(value) => {
            setPasted(value)
            setProblem(null)
            setRefused(false)
          }}
        />
        <Button kind='primary' type='submit' busy={isBusy}>{w.connect}</Button>
      </div>
      {asksOwner
        ? <SelectField
            label={w.provider} value={owner?.provider ?? ''}
            choices={[{ key: '', text: w.choose }, ...keyed.map(({ provider, name }) => ({ key: provider, text: name }))]}
            onValue={(provider) => { setChosen(provider); setProblem(null) }}
          />
        : null}
      {wasRefused ? <div><Button size='small' disabled={isBusy} onClick={() => { void connect(false) }}>{w.saveAnyway}</Button></div> : null}
      <p class='setup-note setup-pages'>
        {w.getKey}{' '}
        {keyed.map(({ provider, name, page }) => (
          <a key={provider} href={page} target='_blank' rel='noreferrer' aria-label={w.opensPage(name)}>{name}</a>
        ))}
      </p>
    </form>
  )
}
