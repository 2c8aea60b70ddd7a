import { type ComponentChildren, type RefObject } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { places } from '../shell/places.js'
import { Badge } from '../ui/Badge.js'
import { Dialog } from '../ui/Dialog.js'
import { Icon } from '../ui/Icon.js'
import { Link } from '../ui/Link.js'
import { Check, Search } from '../ui/icons.js'
import { Popover } from '../ui/Popover.js'
import { isPhone } from '../ui/screen.js'
import { Loaded } from '../ui/Loaded.js'
import { screenWords, words } from '../words/index.js'
import { type Wire } from '../core/service/api.js'
import { machineOf } from '../core/machines/location.js'
import { agents, isolationSaid } from './agents.js'
import { pickableGroups, type ModelChoice, type PickableModel } from './catalog.js'
import { demoProvider } from './shown-name.js'
import { factsOf } from './facts.js'
import { catalog, catalogIn, type ModelPlace } from './store.js'
import './models.css'

export { type ModelChoice } from './catalog.js'

export interface ModelPickerProps {
  open: boolean
  onClose: () => void
  /** The chat that the model is for; absent: it is for the profile. */
  place?: ModelPlace
  /** The current model, which is ticked. */
  current?: ModelChoice | null
  /** Called with the provider's name for the model. The picker closes itself. */
  onPick: (model: string, provider: string) => void
  title?: string
  /** The element beside which it opens, except on phones; absent: it opens in the middle of the window. */
  anchor?: RefObject<HTMLElement>
  /** Shown below the list. */
  children?: ComponentChildren
}

/** Searches all models of the profile, or of the chat's machine, and picks one. */
export function ModelPicker ({ open, onClose, place, current = null, onPick, title, anchor, children }: ModelPickerProps) {
  if (!open) return null
  const pick = ({ model, provider }: PickableModel): void => {
    onClose()
    queueMicrotask(() => onPick(model, provider))
  }
  const name = title ?? screenWords.value.models.pick
  const isHere = place?.workspace == null || machineOf(place.workspace) === null
  const content = (
    <>
      <Loaded of={place === undefined ? catalog : catalogIn(place)} lines={8}>
        {(reply) => <PickList reply={reply} current={current} onPick={pick} onClose={onClose} here={isHere} />}
      </Loaded>
      {children}
    </>
  )
  return anchor === undefined || anchor.current === null || isPhone.value
    ? <Dialog open onClose={onClose} title={name} class='model-picker'>{content}</Dialog>
    : (
      <Popover anchor={anchor} align='start' onClose={onClose} class='model-popover'>
        <div role='dialog' aria-label={name} class='model-popover-body'>{content}</div>
      </Popover>
      )
}

function PickList ({ reply, current, onPick, onClose, here }: {
  reply: Wire<'ModelsReply'>
  current: ModelChoice | null
  onPick: (model: PickableModel) => void
  onClose: () => void
  /** Whether agents run on the machine of the service, whose sandbox is known. */
  here: boolean
}) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [search, setSearch] = useState('')
  const groups = pickableGroups(reply, { search, current })
  const models = groups.flatMap((group) => group.models)
  const [chosen, setChosen] = useState(() => models.find(({ isCurrent }) => isCurrent)?.key ?? '')
  const at = Math.max(models.findIndex(({ key }) => key === chosen), 0)
  const active = models[at]
  const optionId = (key: string): string => `${id}-${key}`
  useEffect(
    () => { if (active !== undefined) document.getElementById(optionId(active.key))?.scrollIntoView({ block: 'nearest' }) },
    [active?.key]
  )
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: Math.min(at + 8, models.length - 1), PageUp: Math.max(at - 8, 0) }[event.key]
    if (event.key === 'Enter' && active !== undefined && !event.isComposing) {
      event.preventDefault()
      onPick(active)
      return
    }
    const next = to === undefined ? undefined : models.at(to % models.length)
    if (next === undefined) return
    event.preventDefault()
    setChosen(next.key)
  }
  const w = screenWords.value.models
  useEffect(() => { if (here) void agents.refresh() }, [here])
  const found = here ? agents.value.value?.agents ?? [] : []
  const field = useRef<HTMLInputElement>(null)
  // A dialog moves the focus in and back; a popover does not.
  useEffect(() => {
    const before = document.activeElement
    field.current?.focus({ preventScroll: true })
    return () => { if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true }) }
  }, [])
  return (
    <>
      <span class='field-box model-picker-search'>
        <Icon of={Search} />
        <input
          ref={field} type='search' class='field-input' role='combobox' aria-expanded='true' aria-controls={`${id}-list`}
          aria-activedescendant={active === undefined ? undefined : optionId(active.key)}
          aria-autocomplete='list' aria-label={w.search} placeholder={w.search} value={search} autofocus
          onInput={({ currentTarget }) => {
            setSearch(currentTarget.value)
            setChosen('')
          }}
          onKeyDown={onKeyDown}
        />
      </span>
      <div ref={list} id={`${id}-list`} role='listbox' aria-label={w.pick} class='model-picker-list'>
        {groups.map((group) => (
          <div key={group.provider} role='group' aria-label={group.name} class='model-picker-group'>
            <div class='menu-heading' role='presentation'>{group.name}</div>
            {found.filter((agent) => agent.id === group.provider).map((agent) => (
              <p key={agent.id} role='presentation' class='model-picker-note model-picker-place'>{isolationSaid(agent)}</p>
            ))}
            {group.models.map((model) => (
              <PickRow key={model.key} id={optionId(model.key)} model={model} active={model === active} onPick={() => onPick(model)} />
            ))}
          </div>
        ))}
      </div>
      {groups.filter(({ problem }) => problem !== null).map(({ provider, name, problem }) => (
        <p key={provider} class='model-picker-note'>{name}: {problem}</p>
      ))}
      {models.length === 0
        ? (
          <p class='model-picker-note' role='status'>
            {search.trim() === ''
              ? <>{w.noModels} <Link href={places.models} onClick={onClose}>{words.value.bar.getKey}</Link></>
              : w.noMatches(search.trim())}
          </p>)
        : null}
    </>
  )
}

/** Whether a label says no more than the id, such as “GPT-5 Mini” of gpt-5-mini. */
const isSame = (label: string, id: string): boolean => label.toLowerCase().replaceAll(' ', '-') === id.toLowerCase()

function PickRow ({ id, model: { label, model, provider, isCurrent, isDefault, badge, facts }, active, onPick }: {
  id: string
  model: PickableModel
  active: boolean
  onPick: () => void
}) {
  const w = screenWords.value.models
  return (
    <div
      id={id} role='option' aria-selected={isCurrent}
      class={active ? 'model-picker-row model-picker-active' : 'model-picker-row'}
      onClick={onPick}
    >
      <span class='menu-tick'>{isCurrent ? <Icon of={Check} /> : null}</span>
      <span class='menu-text'>
        <bdi>{label}</bdi>
        {provider === demoProvider || isSame(label, model) ? null : <span class='menu-note'><bdi>{model}</bdi></span>}
        <span class='menu-note'>{factsOf(facts, w.facts).join(' · ')}</span>
      </span>
      {isDefault ? <Badge kind='accent'>{w.isDefault}</Badge> : badge === null ? null : <Badge>{w.badge(badge.role, badge.label)}</Badge>}
    </div>
  )
}
