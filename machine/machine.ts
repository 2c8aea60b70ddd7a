import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asset } from '../services/ground/assets.js'
import { systemClock } from '../services/ground/time/clock.js'
import { lockFile, makeFolder } from '../services/ground/database/index.js'
import { fieldsOf } from '../services/ground/fields.js'
import { openLink, type NatsLink } from '../services/ground/nats/link.js'
import { inWords, keepsStreams, shownUrls } from '../services/ground/nats/trouble.js'
import { describeMachine, idOfFolder, refusedQuestion, type Lease } from '../services/areas/machines/index.js'
import { ModelCatalog } from '../services/areas/models/index.js'
import { createProfiles, type Profiles } from '../services/areas/profiles/index.js'
import { tried } from '../services/ground/tried.js'
import { type MachineSettings } from './arguments.js'
import { beHere, CannotJoin } from './presence.js'
import { createSandboxHere } from './sandbox.js'

/** What the parts of a machine are created from. */
export interface PartsContext extends MachineSettings {
  link: NatsLink
  /** Identifies this process, so that the service knows whether what it started there still exists. */
  instance: string
  /** Higher than the generation of every earlier process under this name. */
  generation: number
  profiles: Profiles
  catalog: ModelCatalog
  env: Record<string, string>
  log: (message: string, details?: Record<string, unknown>) => void
}

/** The parts that work on a machine that has joined. */
export interface Parts {
  /** Returns the number of running turns. */
  runs (): number
  /** Ends the parts and their turns. */
  close (): Promise<void>
}

export interface MachineOptions {
  settings: MachineSettings
  env: Record<string, string>
  startParts: (context: PartsContext) => Promise<Parts>
  /** Prints a line for the person at the terminal. */
  say: (line: string) => void
  log: (message: string, details?: Record<string, unknown>) => void
  /** Called when the program can no longer be this machine. The caller must then call `close`. */
  lost: (reason: string) => void
}

export interface RunningMachine { close (): Promise<void> }

const tryAgainMs = 5_000
const toldEveryMs = 60_000
const modelsForMs = 60_000

/**
 * Joins the service, retrying as long as the server or the service cannot be reached, and works until it is closed. Throws CannotJoin
 * with a sentence for a person.
 */
export async function runMachine (
  { settings, env, startParts, say, log, lost }: MachineOptions, signal: AbortSignal
): Promise<RunningMachine> {
  const { nats, name, home, stateDir } = settings
  for (const folder of [home, stateDir]) makeFolder(folder)
  const unlock = lockFile(join(stateDir, 'host.lock'))
  if (unlock === null) {
    throw new CannotJoin(
      `Another process of this program uses the folder ${stateDir}. Stop it, or give this one its own folder with --home.`
    )
  }
  const holder = await idOfFolder(stateDir)
  const instance = crypto.randomUUID()
  const profiles = createProfiles({ home, env, clock: systemClock, log })
  let parts: Parts | null = null
  const catalog = new ModelCatalog({
    profiles, clock: systemClock, probeLocal: !/^(0|false|no|off)$/.test(env['SVC_WEBUI_PROBE_LOCAL'] ?? ''), path: env['PATH']
  })
  const described = descriptionOf({ settings, profiles, catalog, env, runs: () => parts?.runs() ?? 0 })
  // The service must not rely on this machine before it can work.
  const describe = async () => ({ ...await described(), ...(parts === null && { comingUp: true as const }) })
  const telling = createTelling(say)

  const link = await tried(async () =>
    await openLink({ ...nats, inbox: inboxOf(nats.prefix, name), name: `agent-web-service machine ${name}` }))
  link.nc.subscribe(link.subjects.ask(name, refusedQuestion), {
    callback: (error, message) => { if (error === null) telling(`The service refuses this machine. ${noteOf(message.data)}`) }
  })
  let isLeaving = false
  link.onChange((isConnected) => {
    if (!isLeaving) say(isConnected ? 'Connected to the NATS server again.' : 'The connection to the NATS server is lost. Trying again.')
  })
  link.onTrouble(telling)
  try {
    const lease: Lease = await tried(async () => await beHere({ link, name, holder, instance, describe, lost, log: telling }), link)
    try {
      await accepted()
      const { generation } = lease
      parts = await startParts({ ...settings, link, instance, generation, profiles, catalog, env, log })
      await lease.renew()
      say(`${name} has joined the service over ${shownUrls(nats.urls)}, with workspaces in ${settings.workspaces.join(', ')}.`)
    } catch (error) {
      await lease.leave()
      throw error
    }
    return {
      async close () {
        isLeaving = true
        await parts?.close()
        await lease.leave()
        await link.close().catch(() => {})
        unlock()
        say(`${name} has left the service.`)
      }
    }
  } catch (error) {
    isLeaving = true
    await link.close().catch(() => {})
    unlock()
    throw error
  }

  /** Retries until `work` succeeds. Says why it fails, once a minute. */
  async function tried<T> (work: () => Promise<T>, link?: NatsLink): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof CannotJoin || signal.aborted) throw error
        const isMissing = link !== undefined && link.isConnected() && await keepsStreams(link)
        telling(isMissing ? notSetUp : inWords(error, shownUrls(nats.urls)))
        await delay(tryAgainMs, undefined, { signal })
      }
    }
  }

  /** Resolves when the service has accepted this machine and created the bucket for its large messages. */
  async function accepted (): Promise<void> {
    for (let rounds = 0; ; rounds++) {
      const isReady = await link.jsm.streams.info(`OBJ_${link.subjects.objects(name)}`).then(() => true, () => false)
      if (isReady) return
      if (rounds === 10) {
        telling('The service has not accepted this machine yet: it is not running, or not connected to this NATS server. Waiting for it.')
      }
      await delay(rounds < 20 ? 250 : tryAgainMs, undefined, { signal })
    }
  }
}

const notSetUp = 'The service has not been connected to this NATS server yet, or uses another prefix: start it with SVC_NATS_URL.'

/** Returns the inbox to which a machine gets its answers, the only inbox that the server allows it. */
export const inboxOf = (prefix: string, name: string): string => `_INBOX_${prefix}_${name}`

/** Says each line at most once a minute. */
function createTelling (say: (line: string) => void): (line: string) => void {
  const toldAt = new Map<string, number>()
  return (line) => {
    const nowMs = performance.now()
    if (nowMs - (toldAt.get(line) ?? -Infinity) < toldEveryMs) return
    toldAt.set(line, nowMs)
    say(line)
  }
}

const noteOf = (bytes: Uint8Array): string =>
  tried(() => String(fieldsOf(JSON.parse(Buffer.from(bytes).toString())).note).slice(0, 500), '')

function descriptionOf ({
  settings, profiles, catalog, env, runs
}: { settings: MachineSettings, profiles: Profiles, catalog: ModelCatalog, env: Record<string, string>, runs: () => number }) {
  const { version }: { version: string } = JSON.parse(readFileSync(asset('package.json'), 'utf8'))
  const sandbox = createSandboxHere(env)
  const startedAtS = Date.now() / 1_000
  const listed = new Map<string, { atMs: number, providers: ReturnType<ModelCatalog['providers']> }>()
  return async () => await describeMachine({
    version,
    profiles: () => profiles.list().map((profile) => profile.name),
    async providers (profile) {
      // A heartbeat must cost almost nothing, so the list is cached.
      const known = listed.get(profile)
      const nowMs = performance.now()
      if (known !== undefined && nowMs - known.atMs < modelsForMs) return (await known.providers).providers
      const providers = catalog.providers(profile)
      listed.set(profile, { atMs: nowMs, providers })
      return (await providers).providers
    },
    sandbox,
    runs,
    workspaces: () => settings.workspaces,
    startedAtS
  })
}
