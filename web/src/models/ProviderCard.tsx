import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { ApiError, type Wire } from '../core/service/api.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { Icon } from '../ui/Icon.js'
import { Ellipsis, ExternalLink, KeyRound, RefreshCw, Trash } from '../ui/icons.js'
import { Menu, type MenuEntry } from '../ui/Menu.js'
import { toast } from '../ui/Toast.js'
import { screenWords } from '../words/index.js'
import { EndpointDialog } from './EndpointDialog.js'
import { factsOf } from './facts.js'
import { KeyDialog } from './KeyDialog.js'
import { keyPageOf } from './key-makers.js'
import { canChangeKey, isOwnServer, providerState } from './provider-state.js'
import { shownName } from './shown-name.js'
import { refreshModels } from './store.js'

/** How many models a card always shows, and how many when opened. */
const atAGlance = 3
const mostShown = 40

/** Shows the state of a provider, and the actions on it. */
export function ProviderCard ({ provider, isActive }: { provider: Wire<'Provider'>, isActive: boolean }) {
  const [isKeying, setKeying] = useState(false)
  const [isPlacing, setPlacing] = useState(false)
  const [testing, setTesting] = useState<'no' | 'yes' | { text: string, isGood: boolean }>('no')
  const w = screenWords.value.models
  const { id, has_key: hasKey, base_url: address, auth_error: problem, reason, models, models_total: total } = provider
  const name = shownName(id, provider.display_name)
  const state = providerState(provider, isActive)
  const test = async (): Promise<void> => {
    setTesting('yes')
    setTesting(await testProvider(id))
    await refreshModels()
  }
  const removeKey = async (): Promise<void> => {
    if (await attempt(async () => await api.post('/api/providers/delete', { provider: id }))) toast(w.removed(name))
    setTesting('no')
    await refreshModels()
  }
  const refresh = async (): Promise<void> => {
    if (await attempt(async () => await api.post('/api/models/refresh', { provider: id }))) {
      toast(w.refreshed(name), { about: `list ${id}` })
    }
    await refreshModels()
  }
  const marks = {
    active: [w.active, 'accent'], ready: [w.ready, 'good'], problem: [w.hasProblem, 'bad'],
    missing: [isOwnServer(id) || provider.is_plugin_provider ? w.notSetUp : w.keyMissing, 'neutral']
  } as const
  const [mark, kind] = marks[state]
  const isUsable = state !== 'missing'
  const hasKeyButton = canChangeKey(provider) && (isUsable || !isOwnServer(id))
  const keyPage = hasKeyButton ? keyPageOf(id) : null
  const actions: MenuEntry[] = [
    ...(isUsable && id !== 'offline-demo' ? [{ text: w.refreshList, icon: RefreshCw, onPick: () => { void refresh() } }] : []),
    ...(hasKey && hasKeyButton
      ? [
          { text: w.replaceKey, icon: KeyRound, onPick: () => setKeying(true) },
          'line' as const,
          { text: w.removeKey, icon: Trash, danger: true, onPick: () => { void removeKey() } }
        ]
      : [])
  ]
  return (
    <li class='provider'>
      <div class='provider-head'><h3 class='provider-name'>{name}</h3><Badge kind={kind}>{mark}</Badge></div>
      {isUsable
        ? <p class='provider-note'>{[w.from(provider.key_source), address, w.modelCount(total)].filter(Boolean).join(' · ')}</p>
        : null}
      {state === 'problem' ? <p class='provider-bad'>{problem}</p> : null}
      {isUsable || reason === null ? null : <p class='provider-note'>{reason}</p>}
      {typeof testing === 'object' ? <p class={testing.isGood ? 'provider-good' : 'provider-bad'} role='status'>{testing.text}</p> : null}
      <div class='provider-actions'>
        {provider.is_plugin_provider && isUsable
          ? <Link class='button button-plain' href={`${places.settings}/permissions`}>{w.unasked}</Link>
          : null}
        {isUsable ? <Button busy={testing === 'yes'} label={w.testOf(name)} onClick={() => { void test() }}>{w.test}</Button> : null}
        {isOwnServer(id) && !isUsable ? <Button label={`${w.setUp}: ${name}`} onClick={() => setPlacing(true)}>{w.setUp}</Button> : null}
        {hasKeyButton && !hasKey
          ? <Button label={`${w.addKey}: ${name}`} onClick={() => setKeying(true)}>{w.addKey}</Button>
          : null}
        {hasKey || keyPage === null || isUsable
          ? null
          : (
            <a class='button button-quiet' href={keyPage} target='_blank' rel='noreferrer' aria-label={w.getKeyOf(name)}>
              {w.getKey} <Icon of={ExternalLink} size={14} />
            </a>)}
        {actions.length === 0 ? null : <Menu icon={Ellipsis} label={w.actionsOf(name)} items={actions} />}
      </div>
      <ModelRows provider={provider} models={models.slice(0, atAGlance)} />
      {models.length <= atAGlance
        ? null
        : (
          <Disclosure summary={w.moreModels(total - atAGlance)}>
            {() => (
              <>
                <ModelRows provider={provider} models={models.slice(atAGlance, mostShown)} />
                {total > mostShown ? <p class='provider-note'>{w.more(total - mostShown)}</p> : null}
              </>
            )}
          </Disclosure>
          )}
      {isKeying ? <KeyDialog provider={provider} onClose={() => setKeying(false)} /> : null}
      {isPlacing && isOwnServer(id) ? <EndpointDialog kind={id} onClose={() => setPlacing(false)} /> : null}
    </li>
  )
}

/** Models with their prices and abilities. */
function ModelRows ({ provider: { id }, models }: { provider: Wire<'Provider'>, models: Wire<'Provider'>['models'] }) {
  const w = screenWords.value.models
  if (models.length === 0) return null
  return (
    <ul class='provider-models'>
      {models.map((model) => (
        <li key={model.id}>
          <bdi>{shownName(id, model.label)}</bdi> <span class='models-facts'>{factsOf(model, w.facts).join(' · ')}</span>
        </li>
      ))}
    </ul>
  )
}

/** Tests a provider with a list and a short message, and shows the result. */
async function testProvider (provider: string): Promise<{ text: string, isGood: boolean }> {
  const w = screenWords.value.models
  try {
    const { ok, message, models, took_ms: tookMs } = await api.post('/api/providers/test', { provider })
    return { text: w.tested(ok ? w.worksWith(models) : message, tookMs / 1_000), isGood: ok }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { text: error.message, isGood: false }
  }
}
