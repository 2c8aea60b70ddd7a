import { useState } from 'preact/hooks'
import { type Wire } from '../core/service/api.js'
import { Loaded } from '../ui/Loaded.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { TextField } from '../ui/Field.js'
import { Plus } from '../ui/icons.js'
import { screenWords } from '../words/index.js'
import { EndpointDialog } from './EndpointDialog.js'
import { ProviderCard } from './ProviderCard.js'
import { isSetUp } from './provider-state.js'
import { providers } from './store.js'

/** Up to this many providers are shown without a search. */
const fewProviders = 8

/** Lists the providers that are set up, then all others. */
export function ProviderList () {
  const [isAdding, setAdding] = useState(false)
  const w = screenWords.value.models
  return (
    <section class='settings-block models-section'>
      <div class='settings-head'><h2>{w.providers}</h2><Button icon={Plus} onClick={() => setAdding(true)}>{w.addEndpoint}</Button></div>
      <Loaded of={providers} lines={5}>{(reply) => <Lists reply={reply} />}</Loaded>
      {isAdding ? <EndpointDialog onClose={() => setAdding(false)} /> : null}
    </section>
  )
}

function Lists ({ reply }: { reply: Wire<'ProvidersReply'> }) {
  const [search, setSearch] = useState('')
  const w = screenWords.value.models
  const mine = reply.providers.filter((provider) => isSetUp(provider, reply.active_provider))
  const others = reply.providers.filter((provider) => !mine.includes(provider))
  const sought = search.trim().toLocaleLowerCase()
  const found = others.filter(({ id, display_name: name }) => `${name} ${id}`.toLocaleLowerCase().includes(sought))
  return (
    <>
      <ul class='providers'>
        {mine.map((provider) => <ProviderCard key={provider.id} provider={provider} isActive={provider.id === reply.active_provider} />)}
      </ul>
      <Disclosure summary={`${w.others} (${others.length})`} open={mine.length === 0 || undefined}>
        <div class='providers-others'>
          <p class='settings-note'>{w.othersNote}</p>
          {others.length > fewProviders
            ? <TextField label={w.findProvider} type='search' value={search} onValue={setSearch} />
            : null}
          <ul class='providers'>{found.map((provider) => <ProviderCard key={provider.id} provider={provider} isActive={false} />)}</ul>
          {found.length === 0 ? <p class='settings-note' role='status'>{w.noProvider(search.trim())}</p> : null}
        </div>
      </Disclosure>
    </>
  )
}
