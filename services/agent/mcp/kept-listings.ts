import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createQueue } from '../../ground/concurrency/queue.js'
import { replaceFile } from '../../ground/home/home-file.js'
import { tried } from '../../ground/tried.js'
import { type Listing, type McpPrompt } from './connection.js'

const definition = Type.Object({
  tool: Type.String(),
  description: Type.String(),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  hints: Type.Object({ readOnly: Type.Optional(Type.Boolean()), destructive: Type.Optional(Type.Boolean()) }),
  ui: Type.Optional(Type.Object({ uri: Type.Union([Type.String(), Type.Null()]), forModel: Type.Boolean(), forApp: Type.Boolean() })),
  fingerprint: Type.String()
})
const keptListing = Type.Object({
  target: Type.String(),
  listedAtMs: Type.Number(),
  listing: Type.Object({
    definitions: Type.Array(definition),
    leftOut: Type.Array(Type.Object({ tool: Type.String(), leftOut: Type.String() })),
    resources: Type.Boolean(),
    prompts: Type.Boolean(),
    tasks: Type.Optional(Type.Boolean())
  })
})
export type KeptListing = Static<typeof keptListing>
/** Stored instead of a list: a turn has waited for this server in vain. */
const keptWait = Type.Object({ target: Type.String(), hasWaited: Type.Literal(true) })
const keptPrompts = Type.Object({
  target: Type.String(),
  prompts: Type.Array(Type.Object({
    name: Type.String(),
    description: Type.String(),
    arguments: Type.Array(Type.Object({ name: Type.String(), description: Type.String(), required: Type.Boolean() }))
  }))
})
const keptAccepted = Type.Record(Type.String(), Type.String())

const longestFile = 16 * 1_024 * 1_024
const queue = createQueue()

const folderOf = (profileHome: string): string => join(profileHome, 'webui_state', 'mcp')
const fileOf = (profileHome: string, server: string, what: 'tools' | 'prompts' = 'tools'): string =>
  join(folderOf(profileHome), `${what}-${createHash('sha256').update(server).digest('hex').slice(0, 24)}.json`)
const acceptedFile = (profileHome: string): string => join(folderOf(profileHome), 'accepted.json')

/** Returns a server's last list of tools; null if it was never reached, or if its target has changed since. */
export function readListing (profileHome: string, server: string, target: string): KeptListing | null {
  const found = readJson(fileOf(profileHome, server))
  return Value.Check(keptListing, found) && found.target === target ? found : null
}

/** Stores a server's list. Never rejects: without the list the server is asked again. */
export async function keepListing (
  profileHome: string, server: string, target: string, listing: Listing, listedAtMs: number
): Promise<void> {
  const path = fileOf(profileHome, server)
  await queue(path, async () => {
    await replaceFile(path, JSON.stringify({ target, listedAtMs, listing } satisfies KeptListing), { mode: 0o600, home: profileHome })
  }).catch(() => {})
}

/** Whether a turn has waited for the server before, and continued without it. */
export function wasWaitedFor (profileHome: string, server: string, target: string): boolean {
  const found = readJson(fileOf(profileHome, server))
  return Value.Check(keptWait, found) && found.target === target
}

/** Stores that a turn has waited in vain. Never rejects: without it the next host waits again. */
export async function keepWait (profileHome: string, server: string, target: string): Promise<void> {
  const path = fileOf(profileHome, server)
  await queue(path, async () => {
    await replaceFile(path, JSON.stringify({ target, hasWaited: true } satisfies Static<typeof keptWait>), {
      mode: 0o600, home: profileHome
    })
  }).catch(() => {})
}

/** Returns a server's last list of prompts; empty if it was never asked, or if its target has changed since. */
export function readPrompts (profileHome: string, server: string, target: string): McpPrompt[] {
  const found = readJson(fileOf(profileHome, server, 'prompts'))
  return Value.Check(keptPrompts, found) && found.target === target ? found.prompts : []
}

/** Stores a server's prompts. Never rejects: without them they are known once the server is asked again. */
export async function keepPrompts (profileHome: string, server: string, target: string, prompts: McpPrompt[]): Promise<void> {
  const path = fileOf(profileHome, server, 'prompts')
  await queue(
    path, async () => { await replaceFile(path, JSON.stringify({ target, prompts } satisfies Static<typeof keptPrompts>), { mode: 0o600 }) }
  ).catch(() => {})
}

export function forgetListing (profileHome: string, server: string): void {
  for (const what of ['tools', 'prompts'] as const) rmSync(fileOf(profileHome, server, what), { force: true })
}

/**
 * The fingerprint that each tool had when a call of it was allowed. If it differs now, the tool is asked about again, whatever has
 * been granted.
 */
export class Accepted {
  readonly #known: Map<string, string>

  constructor (private readonly profileHome: string) {
    const found = readJson(acceptedFile(profileHome))
    this.#known = new Map(Value.Check(keptAccepted, found) ? Object.entries(found) : [])
  }

  /** Whether the tool has changed since a call of it was allowed. False if none ever was. */
  isOther (key: string, fingerprint: string): boolean {
    const known = this.#known.get(key)
    return known !== undefined && known !== fingerprint
  }

  /**
   * Called when a call is allowed.
   *
   * @param asked whether a person was shown this call
   */
  async note (key: string, fingerprint: string, asked: boolean): Promise<void> {
    const known = this.#known.get(key)
    if (known === fingerprint || (known !== undefined && !asked)) return
    this.#known.set(key, fingerprint)
    const path = acceptedFile(this.profileHome)
    await queue(path, async () => {
      await replaceFile(path, JSON.stringify(Object.fromEntries(this.#known)), { mode: 0o600, home: this.profileHome })
    }).catch(() => {})
  }
}

const readJson = (path: string): unknown =>
  tried(() => statSync(path).size > longestFile ? null : JSON.parse(readFileSync(path, 'utf8')), null)
