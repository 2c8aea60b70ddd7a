import { Type, type Static } from '@sinclair/typebox'
import { availableParallelism, freemem, loadavg, release, type as system, arch } from 'node:os'
import { type SandboxStatus } from '../../agent/index.js'
import { protocolVersion } from '../../agent/protocol.js'
import { type ListedProvider } from '../models/index.js'

/**
 * The version of the protocol between the service and machines, apart from that of agents; raised when two versions stop understanding each
 * other.
 */
const joiningVersion = 1

const Word = (maxLength: number) => Type.String({ maxLength })

/** What a machine reports about itself. Bounded, because it comes from outside. */
export const Description = Type.Object({
  instance: Type.String({ minLength: 1, maxLength: 100 }),
  generation: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The machine holds its name, but cannot do anything yet. */
  comingUp: Type.Optional(Type.Literal(true)),
  version: Word(100),
  protocol: Type.Object({ joining: Type.Integer(), agent: Type.Integer() }),
  platform: Word(200),
  profiles: Type.Array(Word(100), { maxItems: 200 }),
  models: Type.Array(Type.Object({ profile: Word(100), provider: Word(200), id: Word(300), label: Word(300) }), { maxItems: 2_000 }),
  sandbox: Type.Object({ available: Type.Boolean(), reason: Type.Optional(Word(500)) }),
  load: Type.Object({ oneMinute: Type.Number(), cores: Type.Integer(), memoryFreeMb: Type.Integer(), runs: Type.Integer() }),
  workspaces: Type.Array(Word(4_096), { maxItems: 500 }),
  startedAt: Type.Number()
})
export type Description = Static<typeof Description>

export interface DescribedMachine {
  version: string
  profiles: () => string[]
  /** The providers of a profile, as far as they are known without asking any of them. */
  providers: (profile: string) => Promise<ListedProvider[]>
  sandbox: () => Promise<SandboxStatus>
  runs: () => number
  workspaces: () => string[]
  startedAtS: number
}

const mostModels = 300
const mib = 1_024 * 1_024

/** Describes the current state of a machine: of this one for the list, or of one for the service that it joins. */
export async function describeMachine ({
  version, profiles, providers, sandbox, runs, workspaces, startedAtS
}: DescribedMachine): Promise<Omit<Description, 'instance' | 'generation'>> {
  const names = profiles()
  const models = await Promise.all(names.map(async (profile) => modelsOf(profile, await providers(profile).catch(() => []))))
  const confined = await sandbox()
  return {
    version,
    protocol: { joining: joiningVersion, agent: protocolVersion },
    platform: `${system()} ${release()} ${arch()}`,
    profiles: names.slice(0, 200),
    models: models.flat().slice(0, 2_000),
    sandbox: confined.available ? { available: true } : { available: false, reason: confined.reason.slice(0, 500) },
    load: {
      oneMinute: Math.round((loadavg()[0] ?? 0) * 100) / 100, cores: availableParallelism(), memoryFreeMb: Math.round(freemem() / mib),
      runs: runs()
    },
    workspaces: workspaces().slice(0, 500),
    startedAt: startedAtS
  }
}

/** Lists the models of providers that have no problem. */
function modelsOf (profile: string, providers: ListedProvider[]): Description['models'] {
  return providers.filter(({ entry, problem }) => entry !== null && problem === null)
    .flatMap(({ id: provider, models }) => models.map(({ id, label }) => ({ profile, provider, id, label })))
    .slice(0, mostModels)
}

/** Returns why this service does not work with a machine; null if it does. */
export function misfit ({ protocol, version }: Pick<Description, 'protocol' | 'version'>, ours: string): string | null {
  if (protocol.joining === joiningVersion && protocol.agent === protocolVersion) return null
  return `It runs version ${version}, which does not work with version ${ours} of the service: install the same one on both.`
}
