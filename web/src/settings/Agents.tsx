import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { agents, isolationNote } from '../models/agents.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { Disclosure } from '../ui/Disclosure.js'
import { SelectField } from '../ui/Field.js'
import { toast } from '../ui/Toast.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { Confirm } from './Confirm.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'

type Agent = Wire<'AgentModes'>
type Mode = Agent['modes'][number]

type Installable = Wire<'InstallableAgent'>

/** Lists agents from other makers: the modes in which each asks for permission, and where it may work without asking. */
export function Agents () {
  const w = screenWords.value.agents
  return (
    <Part name='agents'>
      <Loaded of={agents}>
        {({ agents: list, installable, registry }) => (
          <>
            {list.length === 0
              ? <p class='settings-note'>{w.none}</p>
              : <ul class='settings-list'>{list.map((agent) => <AgentRow key={agent.id} agent={agent} />)}</ul>}
            {installable.length === 0
              ? null
              : (
                <Disclosure name='agents-installable' summary={w.installable(installable.length)}>
                  <p class='settings-note'>{w.installableNote} {w.asOf(times.day(registry.date), times.day(registry.versions_date))}</p>
                  <ul class='settings-list'>{installable.map((agent) => <InstallableRow key={agent.id} agent={agent} />)}</ul>
                </Disclosure>
                )}
          </>
        )}
      </Loaded>
    </Part>
  )
}

/** Shows an agent that is not installed: its description, its licence, and the commands that install it and set it up. */
function InstallableRow ({ agent: { id, name, description, licence, page, version, install, command, preset } }: { agent: Installable }) {
  const w = screenWords.value.agents
  const setup = `agents:\n  ${id}:\n    command: ${JSON.stringify(command)}\n`
  return (
    <li class='settings-row'>
      <div class='settings-row-text'>
        <p><bdi>{name}</bdi> {version} <Badge>{licence === 'proprietary' ? w.proprietary : licence}</Badge></p>
        <p class='settings-note' lang='en'>
          {description} {page === null ? null : <a href={page} target='_blank' rel='noreferrer'>{w.page}</a>}
        </p>
        <p><code class='settings-key' dir='ltr'>{install}</code></p>
        {preset ? null : <pre class='settings-key' dir='ltr'>{setup}</pre>}
      </div>
      <CopyButton text={install} label={`${w.copyInstall}: ${name}`} />
      {preset ? null : <CopyButton text={setup} label={`${w.copySetup}: ${name}`} />}
    </li>
  )
}

function AgentRow ({ agent }: { agent: Agent }) {
  const [asked, setAsked] = useState<Mode | 'any' | 'outside' | null>(null)
  const [isLooking, setLooking] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  const w = screenWords.value.agents
  const { id, display_name: name, known, reached, any_mode: isAny, modes, isolation, problem } = agent
  const allowed = modes.filter((mode) => mode.allowed).map((mode) => mode.id)
  const look = async (): Promise<void> => {
    setLooking(true)
    await attempt(async () => {
      const { ok, message } = await api.post('/api/providers/test', { provider: id })
      setTrouble(ok ? null : message)
    })
    await agents.refresh()
    setLooking(false)
  }
  const save = async (body: { modes: string[], any_mode?: boolean }, done: string): Promise<void> => {
    if (await attempt(async () => await api.post('/api/agents/modes', { id, ...body }))) toast(done)
    await agents.refresh()
  }
  const isolate = async (wanted: Agent['isolation'], done: string): Promise<void> => {
    if (await attempt(async () => await api.post('/api/agents/isolation', { id, isolation: wanted }))) toast(done)
    await agents.refresh()
  }
  const [state, kind] = problem !== null
    ? [w.blocked, 'bad'] as const
    : isAny || allowed.length > 0 ? [w.mayAct, 'accent'] as const : [w.asks, 'good'] as const
  return (
    <li class='provider'>
      <div class='provider-head'><h3 class='provider-name'><bdi>{name}</bdi></h3><Badge kind={kind}>{state}</Badge></div>
      {trouble ?? problem ? <p class='provider-bad' role='status'>{trouble ?? problem}</p> : null}
      {reached ? modes.length === 0 ? <p class='provider-note'>{w.noModes}</p> : null : <p class='provider-note'>{w.unreached}</p>}
      <ul class='settings-list'>
        {modes.map((mode) => (
          <AllowRow
            key={mode.id} agent={name} title={mode.label}
            note={mode.asks ? w.modeAsks : mode.allowed || isAny ? w.modeOn : w.modeOff}
            {...(mode.label !== mode.id &&
              { code: mode.id })}
            state={mode.asks || isAny ? 'fixed' : mode.allowed ? 'on' : 'off'}
            onAllow={() => setAsked(mode)}
            onTakeBack={() => {
              void save({ modes: allowed.filter((other) => other !== mode.id) }, w.takenBack(name))
            }}
          />
        ))}
        {known && !isAny
          ? null
          : <AllowRow
              agent={name} title={w.any} note={w.anyNote} state={isAny ? 'on' : 'off'}
              onAllow={() => setAsked('any')}
              onTakeBack={() => { void save({ modes: [] }, w.takenBack(name)) }}
            />}
        <li class='settings-row'>
          <div class='settings-row-text'>
            <p>{w.sandbox}</p>
            <p class='settings-note'>{isolationNote(agent)}</p>
          </div>
          <SelectField
            label={w.runsWhere(name)} bare value={isolation}
            choices={(['auto', 'sandbox', 'none'] as const).map((key) => ({ key, text: w.places[key] }))}
            onValue={(place) => {
              if (place === 'none') setAsked('outside')
              else void isolate(place, place === 'auto' ? w.isInside(name) : w.isOnlyInside(name))
            }}
          />
        </li>
      </ul>
      {reached
        ? null
        : (
          <div class='provider-actions'>
            <Button busy={isLooking} label={`${w.look}: ${name}`} onClick={() => { void look() }}>{w.look}</Button>
          </div>
          )}
      {asked === 'outside'
        ? (
          <Confirm
            title={w.outsideTitle(name)} note={w.outsideNote} action={w.outside}
            onClose={() => setAsked(null)} onConfirm={async () => await isolate('none', w.isOutside(name))}
          />
          )
        : null}
      {asked === null || asked === 'outside'
        ? null
        : (
          <Confirm
            title={asked === 'any' ? w.anyTitle(name) : w.allowTitle(name, asked.label)}
            note={w.allowNote} action={w.action}
            onClose={() => setAsked(null)}
            onConfirm={async () => asked === 'any'
              ? await save({ modes: [], any_mode: true }, w.anyAllowed(name))
              : await save({ modes: [...allowed, asked.id] }, w.allowed(name, asked.label))}
          />
          )}
    </li>
  )
}

interface AllowRowProps {
  agent: string
  title: string
  note: string
  code?: string
  state: 'fixed' | 'on' | 'off'
  onAllow: () => void
  onTakeBack: () => void
}

/** A permission of an agent; `fixed`: it cannot be changed here. */
function AllowRow ({ agent, title, note, code, state, onAllow, onTakeBack }: AllowRowProps) {
  const w = screenWords.value.agents
  return (
    <li class='settings-row'>
      <div class='settings-row-text'>
        <p><bdi>{title}</bdi>{code === undefined ? null : <> <code class='settings-key' dir='ltr'>{code}</code></>}</p>
        <p class='settings-note'>{note}</p>
      </div>
      {state === 'fixed'
        ? null
        : state === 'on'
          ? <Button label={`${w.takeBack}: ${title}, ${agent}`} onClick={onTakeBack}>{w.takeBack}</Button>
          : <Button kind='danger' label={`${w.allow}: ${title}, ${agent}`} onClick={onAllow}>{w.allow}</Button>}
    </li>
  )
}
