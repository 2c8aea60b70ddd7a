import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { Invalid } from '../../ground/errors.js'
import { leadsToPrivate } from '../../ground/network/outgoing.js'
import { capture } from '../../ground/process/capture.js'
import { pickVariables, searchPath } from '../../ground/process/environment.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { isKeyOf } from '../../ground/one-of.js'
import { knownSecrets } from '../../ground/redaction/index.js'
import { type Profiles } from '../profiles/index.js'
import { canonicalHost, forgeAt, newTokenVariable, tokenVariable, usualHosts, type ForgeAddress, type ForgeSettings } from './address.js'
import { type ForgeKind } from './forge.js'

/** The source of a token: the profile's `.env`, or a program that is signed in. */
export type TokenSource = 'profile' | 'gh' | 'glab'
export interface FoundToken { token: string, source: TokenSource }

/** A person's settings for a forge; absent ones stay, and an empty token removes the stored one. */
export interface ForgeWishes { host: string, kind?: ForgeKind | undefined, url?: string | undefined, token?: string | undefined }

export interface ForgeTokensOptions {
  profiles: Pick<Profiles, 'settings' | 'change'>
  clock: Clock
  isPrivateAllowed: boolean
  /** Returns what a program prints; null if it is not installed, or not signed in. */
  ask: (program: string, args: readonly string[]) => Promise<string | null>
}

const rememberedMs = 60_000
const mostRemembered = 50
const hostName = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?(?::\d{1,5})?$/u
/** How to ask a signed-in program for the token of a host. */
const programs: Readonly<Partial<Record<ForgeKind, { program: 'gh' | 'glab', args: (host: string) => string[] }>>> = {
  github: { program: 'gh', args: (host) => ['auth', 'token', '--hostname', host] },
  gitlab: { program: 'glab', args: (host) => ['config', 'get', 'token', '--host', host] }
}

/**
 * Manages the forges of profiles, and their tokens. A token is stored in the profile's `.env` and never returned. It belongs to one host: a
 * new address for that host needs the token again.
 */
export function createForgeTokens ({ profiles, clock, isPrivateAllowed, ask }: ForgeTokensOptions) {
  const remembered = new Map<string, { atMs: number, token: string | null }>()

  const named = (profile: string): Readonly<Record<string, ForgeSettings>> => profiles.settings(profile).config.forges ?? {}

  function settingsOf (profile: string, host: string): ForgeSettings {
    const all = named(profile)
    return isKeyOf(all, host) ? all[host] ?? {} : {}
  }

  async function signedIn ({ kind, host }: ForgeAddress): Promise<FoundToken | null> {
    const how = programs[kind]
    if (how === undefined) return null
    const key = `${how.program} ${host}`
    const known = remembered.get(key)
    const nowMs = monotonicMs(clock)
    if (known !== undefined && nowMs - known.atMs < rememberedMs) {
      return known.token === null ? null : { token: known.token, source: how.program }
    }
    const said = (await ask(how.program, how.args(host)))?.trim() ?? ''
    const token = /^[\x21-\x7e]{8,500}$/.test(said) ? said : null
    if (token !== null) knownSecrets.keep([token])
    remembered.delete(key)
    remembered.set(key, { atMs: nowMs, token })
    keepNewest(remembered, mostRemembered)
    return token === null ? null : { token, source: how.program }
  }

  /** Returns null if the kind of the forge is unknown. */
  const addressOf = (profile: string, host: string): ForgeAddress | null => forgeAt(host, settingsOf(profile, host))

  async function tokenOf (profile: string, forge: ForgeAddress): Promise<FoundToken | null> {
    const { env, envFileKeys } = profiles.settings(profile)
    const variable = tokenVariable(forge.host, settingsOf(profile, forge.host))
    const own = variable !== null && envFileKeys.has(variable) ? env[variable]?.trim() : undefined
    if (own !== undefined && own !== '') return { token: own, source: 'profile' }
    const isKnown = usualHosts.includes(forge.host) || isKeyOf(named(profile), forge.host)
    return isKnown && isAtItsHost(forge) ? await signedIn(forge) : null
  }

  return {
    addressOf,
    tokenOf,

    /** Returns the hosts that the profile names, and the usual ones whose token it has. */
    async list (profile: string): Promise<Array<ForgeAddress & { source: TokenSource | null }>> {
      const { envFileKeys } = profiles.settings(profile)
      const usual = usualHosts.filter((host) => envFileKeys.has(tokenVariable(host) ?? ''))
      const hosts = [...new Set([...Object.keys(named(profile)), ...usual])]
      const forges = hosts.flatMap((host) => addressOf(profile, host) ?? [])
      return await Promise.all(forges.map(async (forge) => ({ ...forge, source: (await tokenOf(profile, forge))?.source ?? null })))
    },

    /**
     * Sets the kind of a forge, the address of its interface, and its token. Throws Invalid for invalid values, and for another address
     * without its token; Conflict when a file that has to be changed is broken.
     */
    async set (profile: string, { host: given, kind, url, token }: ForgeWishes): Promise<ForgeAddress & { source: TokenSource | null }> {
      const host = canonicalHost(given.trim())
      if (!hostName.test(host)) throw new Invalid('host: the name of a server, such as git.example.org')
      const before = addressOf(profile, host)
      const settings = settingsOf(profile, host)
      const api = url === undefined ? undefined : await apiOf(url, isPrivateAllowed)
      const next = { ...settings, ...(kind !== undefined && { type: kind }), ...(api !== undefined && { url: api }) }
      const forge = forgeAt(host, next)
      if (forge === null) throw new Invalid('kind: say what kind of forge this is: github, gitlab or gitea (also for Forgejo)')
      const { envFileKeys } = profiles.settings(profile)
      const taken = Object.values(named(profile)).flatMap(({ token_env: variable }) => variable ?? [])
      // Variables that are in the .env already belong to something else.
      const variable = tokenVariable(host, settings) ?? newTokenVariable(host, [...taken, ...envFileKeys])
      const isKept = envFileKeys.has(variable) && token === undefined
      if (isKept && before !== null && originOf(before.api) !== originOf(forge.api)) {
        throw new Invalid('token: send the token along with this address. The stored token is only sent to the server that it was stored for')
      }
      const isNamed = !usualHosts.includes(host) || kind !== undefined || url !== undefined
      await profiles.change(profile, {
        variables: token === undefined ? {} : { [variable]: token.trim() === '' ? null : tokenIn(token) },
        ...(isNamed && {
          configure: (edit) => {
            edit.set(['forges', host, 'type'], forge.kind)
            if (!usualHosts.includes(host)) edit.set(['forges', host, 'token_env'], variable)
            if (next.url !== undefined) edit.set(['forges', host, 'url'], next.url)
          }
        })
      })
      return { ...forge, source: (await tokenOf(profile, forge))?.source ?? null }
    }
  }
}

export type ForgeTokens = ReturnType<typeof createForgeTokens>

/**
 * Returns the address of an interface. Throws Invalid: tokens are sent only by https, or to this machine and private networks if that is
 * allowed.
 */
async function apiOf (text: string, isPrivateAllowed: boolean): Promise<string> {
  const problem = (what: string): Invalid => new Invalid(`url: ${what}`)
  if (text.length > 2_000 || !URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw problem('an address such as https://git.example.org/api/v1')
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw problem('the address alone: send the token on its own')
  }
  const isPrivate = await leadsToPrivate(url)
  if (isPrivate && !isPrivateAllowed) {
    throw problem('this machine and private networks need SVC_WEBUI_WEBHOOK_PRIVATE=1 in the environment of the service')
  }
  if (url.protocol === 'http:' && !isPrivate) throw problem('the address must begin with https://, as the token goes there')
  return url.href.replace(/\/+$/, '')
}

const originOf = (address: string): string => URL.canParse(address) ? new URL(address).origin : address

/**
 * Whether the interface is on the host itself: a program's token belongs to its host and is sent to no other, whatever address is
 * configured.
 */
function isAtItsHost ({ host, api }: ForgeAddress): boolean {
  const [there, here] = [`https://${host}`, api].map((address) => URL.canParse(address) ? new URL(address).hostname : '')
  return there !== '' && (here === there || here?.endsWith(`.${there}`) === true)
}

function tokenIn (text: string): string {
  const token = text.trim()
  if (!/^[\x21-\x7e]{8,500}$/.test(token)) throw new Invalid('token: 8 to 500 characters in one line, without spaces')
  return token
}

/**
 * Returns what runs a program outside of any repository, with only those variables of the environment that it needs to find its settings.
 * Resolves with null if it fails.
 */
export function askingPrograms (environment: NodeJS.ProcessEnv): ForgeTokensOptions['ask'] {
  const env = {
    ...pickVariables(environment, ['HOME', 'XDG_CONFIG_HOME', 'GH_CONFIG_DIR', 'GLAB_CONFIG_DIR']), PATH: searchPath(environment.PATH)
  }
  return async (program, args) => {
    const { stdout, exitCode } = await capture(program, args, {
      cwd: '/', env, timeoutMs: 5_000, graceMs: 500, maxOutputBytes: 4_096
    }).catch(() => ({ stdout: Buffer.alloc(0), exitCode: null }))
    return exitCode === 0 ? stdout.toString() : null
  }
}
