import { useState } from 'preact/hooks'
import { otherMachines, type Machine, type MachineList } from '../core/machines/machines.js'
import { visible } from '../core/files/paths.js'
import { Confirm } from '../settings/Confirm.js'
import { Loaded } from '../ui/Loaded.js'
import { attempt } from '../ui/attempt.js'
import { Badge, type MarkKind } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { toast } from '../ui/toasts.js'
import { helpOn } from '../ui/help.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { machines, useMachines } from './store.js'
import './machines.css'

/** The commands of the steps that set up another machine, in their order: with keys and TLS, because it is reached over a network. */
const commands = [
  'npm run machine -- setup --names <name> --output ~/agent-nats --tls',
  'nats-server -c ~/agent-nats/nats-server.conf',
  'SVC_NATS_URL=tls://<host>:4222\nSVC_NATS_CREDENTIALS=<folder>/agent-nats/service.nk\nSVC_NATS_CA=<folder>/agent-nats/ca.crt'
]
const joinCommand =
  'npm run machine -- --nats tls://<host>:4222 --name <name> --credentials host-<name>.nk --ca ca.crt --workspaces <folder>'
const marks: Readonly<Record<Machine['state'], MarkKind>> = { ready: 'good', away: 'neutral', refused: 'bad' }

/** Lists the machines that have joined this service, and explains how another one joins. */
export function MachinesView () {
  const list = useMachines()
  return (
    <>
      <p class='settings-note'>{screenWords.value.machines.note}</p>
      <Loaded of={list}>{(found) => <Joined list={found} />}</Loaded>
    </>
  )
}

function Joined ({ list }: { list: MachineList }) {
  const { enabled, connected, error } = list
  const ours = list.hosts.find(({ name }) => name === null)?.version ?? null
  const [leaving, setLeaving] = useState<string | null>(null)
  const w = screenWords.value.machines
  const forget = async (name: string): Promise<void> => {
    if (await attempt(async () => await machines.forget(name))) toast(w.forgotten(visible(name)))
  }
  if (!enabled) return <Steps />
  return (
    <>
      {connected ? null : <p class='settings-note machine-wrong' role='status'>{w.cut}{error === null ? '' : ` ${error}`}</p>}
      <ul class='settings-list'>
        {list.hosts.map((machine) => <Row key={machine.name} machine={machine} version={ours} onForget={() => setLeaving(machine.name)} />)}
      </ul>
      {otherMachines(list).length === 0 ? <p class='settings-note'>{w.none}</p> : null}
      <h3>{w.join}</h3>
      <p class='settings-note'>{w.joinNote}</p>
      <Command text={joinCommand} />
      <Guide />
      {leaving === null
        ? null
        : <Confirm
            title={w.forgetTitle(visible(leaving))} note={w.forgetNote} action={w.forget}
            onConfirm={() => forget(leaving)}
            onClose={() => setLeaving(null)}
          />}
    </>
  )
}

/** Explains what to do before another machine can join. */
function Steps () {
  const w = screenWords.value.machines
  return (
    <>
      <p class='machine-lead'>{w.off}</p>
      <ol class='machine-steps'>
        {w.steps.map((step, index) => <li key={step}><p>{step}</p><Command text={commands[index] ?? joinCommand} /></li>)}
      </ol>
      <Guide />
    </>
  )
}

function Command ({ text }: { text: string }) {
  return (
    <p class='machine-command'>
      <code dir='ltr'>{text}</code>
      <CopyButton size='small' kind='quiet' text={text} label={screenWords.value.machines.copyCommand} />
    </p>
  )
}

const Guide = () => (
  <p class='settings-link'><a href={helpOn('machines')} target='_blank' rel='noreferrer'>{screenWords.value.machines.guide}</a></p>
)

function Row ({ machine, version: ours, onForget }: { machine: Machine, version: string | null, onForget: () => void }) {
  const w = screenWords.value.machines
  const { name, state, since, note } = machine
  const shown = name === null ? w.here : visible(name)
  return (
    <li class='machine'>
      <div class='machine-head'>
        <h3><bdi>{shown}</bdi></h3>
        {name === null
          ? null
          : <><Badge kind={marks[state]}>{w.states[state]}</Badge><span class='settings-note'>{w.since(times.at(since))}</span></>}
        {state !== 'away' || name === null
          ? null
          : <Button kind='danger' size='small' label={w.forgetNamed(shown)} onClick={onForget}>{w.forget}</Button>}
      </div>
      {note === null ? null : <p class={state === 'refused' ? 'settings-note machine-wrong' : 'settings-note'}>{note}</p>}
      <dl class='settings-facts'>
        {factsOf(machine, ours).map(([term, fact, isWrong]) => (
          <div key={term} class='settings-fact'><dt>{term}</dt><dd class={isWrong === true ? 'machine-wrong' : undefined}>{fact}</dd></div>
        ))}
      </dl>
    </li>
  )
}

const mostModels = 8
const mostFolders = 8

/** Returns the known facts of a machine. */
function factsOf (
  { version, platform, profiles, models, sandbox, load, workspaces }: Machine, ours: string | null
): ReadonlyArray<readonly [term: string, fact: string, isWrong?: boolean]> {
  const w = screenWords.value.machines
  const labels = [...new Set(models.map(({ label }) => label))]
  const isOther = version !== null && ours !== null && version !== ours
  return [
    ...version === null ? [] : [[w.version, isOther ? w.otherVersion(version, ours) : version, isOther] as const],
    ...platform === null ? [] : [[w.platform, platform] as const],
    ...workspaces.length === 0
      ? []
      : [[w.folders, w.some(workspaces.slice(0, mostFolders).map(visible), Math.max(0, workspaces.length - mostFolders))] as const],
    ...profiles.length === 0 ? [] : [[w.profiles, profiles.join(', ')] as const],
    ...labels.length === 0 ? [] : [[w.models, w.some(labels.slice(0, mostModels), Math.max(0, labels.length - mostModels))] as const],
    ...sandbox === null ? [] : [[w.sandbox, sandbox.available ? w.confined : w.unconfined(sandbox.reason ?? '')] as const],
    ...load === null
      ? []
      : [[w.load, w.loadOf({ busy: load.one_minute, cores: load.cores, freeMb: load.memory_free_mb, turns: load.runs })] as const]
  ]
}
