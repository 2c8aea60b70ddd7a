import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createQueue } from '../../ground/concurrency/queue.js'
import { fieldsOf } from '../../ground/fields.js'
import { fileVersion, replaceFile } from '../../ground/home/home-file.js'
import { table } from '../../ground/lookup-table.js'
import { tried } from '../../ground/tried.js'
import { isEffort, type AgentCommand } from '../../providers/index.js'
import { changesAsking } from './asking-commands.js'
import { shownName } from './shown-names.js'
import { type AgentCommandWords, list, text } from './wire.js'

const named = Type.Object({ id: Type.String(), label: Type.String() })
const offerForm = Type.Object({
  name: Type.String(),
  version: Type.String(),
  /** The version of the protocol that it uses with the service. */
  protocol: Type.Optional(Type.Integer()),
  models: Type.Array(named),
  modes: Type.Array(named),
  /** The mode that it was in. Files of an earlier version of the service leave that one out of `modes`. */
  mode: Type.Optional(Type.String()),
  /** Levels of thinking that it can be set to, in the service's words. */
  efforts: Type.Array(Type.String()),
  seesImages: Type.Boolean(),
  /** Whether it can continue a conversation after its process has ended. */
  loads: Type.Boolean(),
  commands: Type.Array(Type.Object({ name: Type.String(), description: Type.String(), hint: Type.String() }))
})
const keptForm = Type.Object({ target: Type.String(), offer: offerForm })

/** What an agent offers, as it said when it was reached last. */
export type AgentOffer = Static<typeof offerForm>

const longestFile = 1024 * 1024
/** More values than anybody chooses from, and few enough for the file. */
const mostValues = 500
const queue = createQueue()
export const agentsFolder = (profileHome: string): string => join(profileHome, 'webui_state', 'agents')
const fileOf = (profileHome: string, id: string): string =>
  join(agentsFolder(profileHome), `offer-${createHash('sha256').update(id).digest('hex').slice(0, 24)}.json`)

/** Returns a key of what is started. An agent with a different command is a different agent. */
export const agentTarget = ({ preset, command }: Pick<AgentCommand, 'preset' | 'command'>): string =>
  createHash('sha256').update(JSON.stringify([preset, command])).digest('hex').slice(0, 32)

/** Returns a version that changes whenever a stored offer of the profile's agents does. */
export const offersVersion = (profileHome: string): string => fileVersion(agentsFolder(profileHome))

/** Reads the stored offer of an agent. Null if it was never reached, or if its command has changed since. */
export function readOffer (profileHome: string, id: string, agent: Pick<AgentCommand, 'preset' | 'command'>): AgentOffer | null {
  const found = readJson(fileOf(profileHome, id), longestFile)
  return Value.Check(keptForm, found) && found.target === agentTarget(agent) ? found.offer : null
}

/** Stores an offer. Never rejects: without it, the offer is known after the agent's next start. */
export async function keepOffer (
  profileHome: string, id: string, agent: Pick<AgentCommand, 'preset' | 'command'>, offer: AgentOffer
): Promise<void> {
  const path = fileOf(profileHome, id)
  await queue(path, async () => {
    await replaceFile(
      path, JSON.stringify({ target: agentTarget(agent), offer } satisfies Static<typeof keptForm>), { mode: 0o600, home: profileHome }
    )
  }).catch(() => {})
}

export const readJson = (path: string, longestBytes: number): unknown =>
  tried(() => statSync(path).size > longestBytes ? null : JSON.parse(readFileSync(path, 'utf8')), null)

/** One thing that can be chosen in a session, and how the choice is sent to the agent. */
export interface Choosable {
  current: string | null
  values: Array<{ id: string, label: string }>
  how: { option: string } | 'set_model' | 'set_mode'
}

/** What can be chosen in a session. */
export interface SessionOptions { model: Choosable | null, mode: Choosable | null, effort: Choosable | null }

/**
 * Reads what can be chosen from the answer with which a session was opened (or from `{ configOptions }` of a later message). Options are
 * the current form of the protocol; older agents use `models` and `modes`.
 */
export function readOptions (opened: unknown): SessionOptions {
  const { configOptions, models, modes } = fieldsOf(opened)
  const options = list(configOptions).map(fieldsOf).filter(({ type }) => type === 'select')
  const ofCategory = (category: string): Choosable | null => {
    const option = options.find((candidate) => candidate['category'] === category && candidate['id'] === category) ??
      options.find((candidate) => candidate['category'] === category) ?? options.find((candidate) => candidate['id'] === category)
    const id = text(option?.['id'])
    return option === undefined || id === undefined
      ? null
      : { how: { option: id }, current: text(option['currentValue']) ?? null, values: selectable(option['options']) }
  }
  const { availableModels, currentModelId } = fieldsOf(models)
  const { availableModes, currentModeId } = fieldsOf(modes)
  const older = (values: unknown, key: string, current: unknown, how: 'set_model' | 'set_mode'): Choosable | null => {
    const found = list(values).map(fieldsOf).flatMap((value) => valueOf(value[key], value['name']))
    return found.length === 0 ? null : { how, current: text(current) ?? null, values: found }
  }
  return {
    model: ofCategory('model') ?? older(availableModels, 'modelId', currentModelId, 'set_model'),
    mode: ofCategory('mode') ?? older(availableModes, 'id', currentModeId, 'set_mode'),
    effort: ofCategory('thought_level')
  }
}

/** Reads the values of an option. Groups are flattened. */
function selectable (options: unknown): Choosable['values'] {
  const single = (option: Readonly<Record<string, unknown>>): Choosable['values'] => valueOf(option['value'], option['name'])
  return list(options).map(fieldsOf).flatMap((option) =>
    Array.isArray(option['options']) ? list(option['options']).map(fieldsOf).flatMap(single) : single(option)).slice(0, mostValues)
}

function valueOf (id: unknown, label: unknown): Choosable['values'] {
  // An id is sent back unchanged, so one that cannot be shown unchanged is left out.
  return typeof id === 'string' && id !== '' && id.length <= 200 && shownName(id) === id
    ? [{ id, label: shownName((text(label) ?? id).slice(0, 200)) }]
    : []
}

const effortWords = table({
  off: 'none', min: 'minimal', med: 'medium', normal: 'medium', extrahigh: 'xhigh', maximum: 'max', ultrathink: 'max'
})

/** Returns the level of thinking that an agent's value stands for; null if the service has no such level. */
export function effortOf (value: string): string | null {
  const word = value.toLowerCase().replaceAll(/[^a-z]/g, '')
  const effort = effortWords[word] ?? word
  return isEffort(effort) ? effort : null
}

export function offerOf (initialized: unknown, options: SessionOptions, commands: readonly AgentCommandWords[]): AgentOffer {
  const { agentInfo, agentCapabilities, protocolVersion } = fieldsOf(initialized)
  const { name, title, version } = fieldsOf(agentInfo)
  const { loadSession, promptCapabilities, sessionCapabilities } = fieldsOf(agentCapabilities)
  return {
    name: shownName((text(title) ?? text(name) ?? '').slice(0, 100)),
    version: shownName((text(version) ?? '').slice(0, 100)),
    ...(typeof protocolVersion === 'number' && { protocol: protocolVersion }),
    models: options.model?.values ?? [],
    modes: options.mode?.values ?? [],
    ...(options.mode?.current != null && { mode: options.mode.current }),
    efforts: [...new Set((options.effort?.values ?? []).flatMap(({ id }) => effortOf(id) ?? []))],
    seesImages: fieldsOf(promptCapabilities)['image'] === true,
    loads: loadSession === true || fieldsOf(sessionCapabilities)['resume'] != null,
    commands: commands.filter(({ name }) => !changesAsking(`/${name}`))
  }
}
