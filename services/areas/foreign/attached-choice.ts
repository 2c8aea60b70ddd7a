import { isAbsolute } from 'node:path'
import { readOffer } from '../../agent/index.js'
import { type ProviderEntry } from '../../providers/index.js'
import { makers } from './makers.js'
import { type ForeignRow } from './tally.js'

export interface ChoiceOptions {
  /** Returns the agents of a profile. Throws NotFound for an unknown one. */
  agents: (profile: string) => Promise<ProviderEntry[]>
  homeOf: (profile: string) => string
  /** Throws for a folder in which no session may work. */
  folder: (path: string) => Promise<string>
}

type Agent = ProviderEntry & { agent: NonNullable<ProviderEntry['agent']> }

/** The agent that continues a conversation, the folder, and the conversation's own id; `why`: a sentence, if none can. */
export type Choice =
  | { agent: Agent, folder: string, nativeId: string, why: null }
  | { agent: null, folder: null, nativeId: null, why: string }

/** Finds the agent of the same maker. Throws NotFound for an unknown profile. */
export async function choose (
  { source, workspace, path }: Pick<ForeignRow, 'source' | 'workspace' | 'path'>, profile: string, nowMs: number, { agents, homeOf, folder: open }: ChoiceOptions
): Promise<Choice> {
  const { preset, name, id, nativeId: readId, outOfPlace, notNow } = makers[source]
  const no = (why: string): Choice => ({ agent: null, folder: null, nativeId: null, why })
  const nativeId = await readId(path).catch(() => '')
  if (!id.test(nativeId)) return no(`Its id does not have the form of ${name}'s ids`)
  const entries = (await agents(profile)).flatMap((entry) => entry.agent?.preset === preset ? [{ ...entry, agent: entry.agent }] : [])
  const agent = entries.find((entry) => entry.id === preset) ?? entries[0]
  if (agent === undefined) return no(`${name} is not installed as an agent of this service: see Models`)
  if (agent.agent.problem !== null) return no(agent.agent.problem)
  if (readOffer(homeOf(profile), agent.id, agent.agent)?.loads === false) return no(`This version of ${name} cannot continue a conversation`)
  const folder = workspace === null || !isAbsolute(workspace) ? null : await open(workspace).catch(() => null)
  if (folder === null) return no('Its folder no longer exists, or is not open to sessions')
  const why = outOfPlace?.({ path, workspace }, folder) ?? notNow?.(path, nowMs) ?? null
  return why === null ? { agent, folder, nativeId, why } : no(why)
}
