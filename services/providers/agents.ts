import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { fieldsOf } from '../ground/fields.js'
import { isOneOf } from '../ground/one-of.js'
import { agentNetwork, type AgentNetwork } from './agent-network.js'
import { agentPresets, presetIds, type AgentPresetId } from './agent-presets.js'

/** How another maker's agent is started, and its settings. Values of `env` may contain `${NAME}` from the profile's `.env`. */
export interface AgentCommand {
  preset: AgentPresetId | null
  command: readonly string[]
  env: Readonly<Record<string, string>>
  unaskedModes: UnaskedModes
  isolation: AgentIsolation
  /** What it can reach from the sandbox. */
  network: AgentNetwork
  /** What it may write in the sandbox besides its workspace and what its preset keeps; `~/` is the home. */
  writable: readonly string[]
  /** 1: it is not offered a newer version of the protocol. */
  protocol?: 1
  /** How long it may take to initialise, and as long again to open a session; absent: the default. */
  startMs?: number
}

/** `sandbox`: only in the sandbox; `auto`: in the sandbox if that works; `none`: as the service's user. */
const isolations = ['auto', 'sandbox', 'none'] as const
export type AgentIsolation = typeof isolations[number]

/** Modes that a person has allowed although the agent is not known to ask in them; true: any mode, also none. */
type UnaskedModes = true | readonly string[]

/** An agent that a profile's config.yaml sets up, or that was found on this machine. */
export interface ConfiguredAgent extends AgentCommand { id: string, displayName: string, reason: string }

/** Whether an agent may work in a mode: it is known to ask us there, or a person has allowed it. */
export function mayWorkIn ({ preset, unaskedModes }: Pick<AgentCommand, 'preset' | 'unaskedModes'>, mode: string): boolean {
  return unaskedModes === true || unaskedModes.includes(mode) ||
    (preset !== null && agentPresets[preset].askingModes.includes(mode) === true)
}

/** The id of the model that the agent itself is set to. */
export const ownModel = 'default'
const modePart = ';mode='

/** Splits an agent's model id, which may also name a mode: `gpt-5;mode=plan`. */
export function agentModelOf (id: string): { model: string | null, mode: string | null } {
  const at = id.indexOf(modePart)
  const model = at === -1 ? id : id.slice(0, at)
  return { model: model === '' || model === ownModel ? null : model, mode: at === -1 ? null : id.slice(at + modePart.length) }
}

export const inMode = (mode: string): string => `${ownModel}${modePart}${mode}`

/** Returns the id of the agent that answers according to config.yaml (`agent.type: acp`); undefined if there is none. */
export function profileAgentId (config: Readonly<Record<string, unknown>>): string | undefined {
  const agent = fieldsOf(config['agent'])
  if (agent['type'] !== 'acp') return undefined
  const preset = presetOf(agent['preset'])
  return preset !== null && argv(agent['command']) === null ? preset : 'agent'
}

/** Returns the path in config.yaml where an agent is set up, or would be. */
export function agentPlace (config: Readonly<Record<string, unknown>>, id: string): readonly [string, ...string[]] {
  if (profileAgentId(config) === id) return ['agent']
  return ['agents', Object.keys(fieldsOf(config['agents'])).find((name) => idOf(name) === id) ?? id]
}

const agentName = /^[A-Za-z0-9][\w.-]{0,63}$/
/** Names of providers cannot be agent ids too: such an agent gets `-agent` appended. */
const taken: ReadonlySet<string> = new Set([
  'openai', 'anthropic', 'claude', 'google', 'gemini', 'google-gemini', 'openrouter', 'ollama', 'lmstudio', 'lm-studio', 'llamacpp',
  'llama.cpp', 'vllm', 'custom', 'auto', 'offline-demo'
])

const idOf = (name: string): string => taken.has(name.toLowerCase()) ? `${name}-agent` : name

/** Returns the agents that config.yaml names, the profile's own first. Leaves out those without a command. */
export function configuredAgents (config: Readonly<Record<string, unknown>>, path: string | undefined): ConfiguredAgent[] {
  const own = profileAgentId(config)
  const named = Object.entries(fieldsOf(config['agents'])).filter(([name, entry]) =>
    agentName.test(name) && fieldsOf(entry)['enabled'] !== false)
    .map(([name, entry]) => configured(idOf(name), fieldsOf(entry), `agents.${name} in config.yaml`, path))
  const agents = own === undefined ? named : [configured(own, fieldsOf(config['agent']), 'agent in config.yaml', path), ...named]
  return agents.filter((agent) => agent !== null)
}

function configured (
  id: string, entry: Readonly<Record<string, unknown>>, reason: string, path: string | undefined
): ConfiguredAgent | null {
  const preset = presetOf(entry['preset']) ?? presetOf(id)
  const command = argv(entry['command']) ?? (preset === null ? null : foundCommand(preset, path) ?? agentPresets[preset].commands[0])
  if (command === null) return null
  const env = Object.fromEntries(
    Object.entries(fieldsOf(entry['env'])).flatMap(([name, value]) => isPlain(value) ? [[name, String(value)]] : [])
  )
  const name = entry['name']
  return {
    id, displayName: typeof name === 'string' && name.trim() !== ''
      ? name.trim()
      : preset === null
        ? id === 'agent' ? 'Agent' : id
        : agentPresets[preset].displayName, preset, command, env, unaskedModes: unasked(entry['allow_unasked_modes']),
    isolation: isOneOf(isolations, entry['isolation']) ? entry['isolation'] : 'auto', network: agentNetwork(entry['network']),
    writable: [entry['writable'] ?? []].flat().filter((path) => typeof path === 'string'),
    ...(entry['protocol'] === 1 && { protocol: 1 as const }), ...startOf(entry['start_timeout']), reason
  }
}

/** Returns the agents that are installed on this machine and not named in config.yaml. */
export function foundAgents (config: Readonly<Record<string, unknown>>, path: string | undefined): ConfiguredAgent[] {
  const off = new Set(Object.keys(fieldsOf(config['agents'])))
  return presetIds.flatMap((id) => {
    const command = off.has(id) ? null : foundCommand(id, path)
    return command === null
      ? []
      : [{
          id, displayName: agentPresets[id].displayName, preset: id, command, env: {}, unaskedModes: [], isolation: 'auto', network: agentNetwork(undefined),
          writable: [], reason: `${command[0] ?? ''} is installed on this machine`
        }]
  })
}

/** Returns the agent with an id, whether it is set up or only installed; undefined if there is none. */
export function agentOf (config: Readonly<Record<string, unknown>>, id: string, path: string | undefined): ConfiguredAgent | undefined {
  const known = [...configuredAgents(config, path), ...foundAgents(config, path)].find((agent) => agent.id === id)
  // A chosen agent that is no longer installed is still returned, so that the error can say so.
  return known ?? (presetOf(id) !== null && !Object.hasOwn(fieldsOf(config['agents']), id)
    ? configured(id, {}, 'it was chosen', path) ?? undefined
    : undefined)
}

/** Returns why an agent cannot work here, before it was ever started; null if no problem is known. */
export function agentProblem (
  { preset, command, displayName }: Pick<ConfiguredAgent, 'preset' | 'command' | 'displayName'>, path: string | undefined
): string | null {
  if (onPath(command[0] ?? '', path) === null) {
    return `${displayName}: the program ${command[0] ?? ''} is not there. ${preset === null ? 'Check "command" in config.yaml.' : agentPresets[preset].install}`
  }
  if (preset === 'codex' && process.platform === 'linux' && onPath('bwrap', path) === null) {
    return 'Codex needs bubblewrap for its commands: install it (apt-get install bubblewrap).'
  }
  return null
}

/** Returns why an agent with these settings takes no turn, however it is installed; null if there may be a mode for it. */
export function agentRefusal ({
  preset, unaskedModes, displayName
}: Pick<ConfiguredAgent, 'preset' | 'unaskedModes' | 'displayName'>): string | null {
  if (preset !== null || unaskedModes === true || unaskedModes.length > 0) return null
  return `${displayName} is not known to ask before it acts, so it does not work until you allow it: Settings, Agents.`
}

function foundCommand (id: AgentPresetId, path: string | undefined): readonly string[] | null {
  return agentPresets[id].commands.find(([program = '']) => onPath(program, path) !== null) ?? null
}

/** Returns the path of a program that PATH leads to; null if there is none. */
export function onPath (program: string, path: string | undefined): string | null {
  if (program === '') return null
  const candidates = program.includes('/')
    ? [program]
    : (path ?? '').split(delimiter).filter(isAbsolute).map((folder) => join(folder, program))
  return candidates.find(isProgram) ?? null
}

function isProgram (path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function presetOf (value: unknown): AgentPresetId | null {
  return isOneOf(presetIds, value) ? value : null
}

function unasked (value: unknown): UnaskedModes {
  return value === true ? true : Array.isArray(value) ? value.filter((mode) => typeof mode === 'string') : []
}

const mostStartS = 600

function startOf (seconds: unknown): Pick<AgentCommand, 'startMs'> {
  return typeof seconds === 'number' && seconds >= 1 ? { startMs: Math.min(seconds, mostStartS) * 1_000 } : {}
}

/** Returns a command as a list; null if it is invalid. A text is a program without arguments. */
function argv (command: unknown): string[] | null {
  const words = typeof command === 'string' ? [command.trim()] : Array.isArray(command) && command.every(isPlain) ? command.map(String) : []
  return words[0] === undefined || words[0] === '' || words.some((word) => word.includes('\0')) ? null : words
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)
