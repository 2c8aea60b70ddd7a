import { isKeyOf } from '../../ground/one-of.js'
import { tried } from '../../ground/tried.js'
import { type ForgeKind } from './forge.js'

/** The place that the address of a remote names: the server, with its port unless that is the usual one of the web, and the repository. */
export interface RemotePlace { host: string, repository: string }

/** A forge, as configured in a profile or known by its host. */
export interface ForgeAddress { kind: ForgeKind, host: string, api: string }

/** Settings of a forge: `forges.<host>` in config.yaml. */
export interface ForgeSettings { type?: ForgeKind, url?: string, token_env?: string }

/** Letters that need no escaping in the path of an address. */
const repositoryPath = /^[\p{L}\p{N}_.~-]+(?:\/[\p{L}\p{N}_.~-]+)+$/u

/**
 * Returns null for a folder of this machine, and for an address that names no repository of a forge. A login in the address is left out.
 */
export function placeOf (url: string): RemotePlace | null {
  const scp = /^(?:[^\s@/:]+@)?([^\s@/:]+):(?!\/\/)(.+)$/.exec(url)
  if (scp?.[1] !== undefined && scp[2] !== undefined && scp[1].length > 1) return placed(scp[1], scp[2])
  if (!/^(?:https?|ssh|git\+ssh|ssh\+git):\/\//i.test(url) || !URL.canParse(url)) return null
  const { protocol, host, hostname, pathname } = new URL(url)
  // The port of ssh says nothing about the web interface.
  return placed(/^https?:$/.test(protocol) ? host : hostname, decoded(pathname))
}

function placed (host: string, path: string): RemotePlace | null {
  const repository = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  return repositoryPath.test(repository) && !/(?:^|\/)\.\.?(?:\/|$)/.test(repository) ? { host: host.toLowerCase(), repository } : null
}

const decoded = (path: string): string => tried(() => decodeURIComponent(path), path)

const wellKnown: Readonly<Record<string, ForgeAddress>> = {
  'github.com': { kind: 'github', host: 'github.com', api: 'https://api.github.com' },
  'gitlab.com': { kind: 'gitlab', host: 'gitlab.com', api: 'https://gitlab.com/api/v4' },
  'codeberg.org': { kind: 'gitea', host: 'codeberg.org', api: 'https://codeberg.org/api/v1' },
  'gitea.com': { kind: 'gitea', host: 'gitea.com', api: 'https://gitea.com/api/v1' }
}
/** GitHub and GitLab serve ssh on the port of https under other names. */
const otherNames: Readonly<Record<string, string>> = { 'ssh.github.com': 'github.com', 'altssh.gitlab.com': 'gitlab.com' }
const apiPaths: Readonly<Record<ForgeKind, string>> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' }
/** Self-hosted servers are mostly named after their software. */
const named: ReadonlyArray<[label: RegExp, kind: ForgeKind]> = [
  [/^(?:github|ghe)$/, 'github'], [/^gitlab$/, 'gitlab'], [/^(?:gitea|forgejo)$/, 'gitea']
]

export const canonicalHost = (host: string): string => {
  const lower = host.toLowerCase()
  return isKeyOf(otherNames, lower) ? otherNames[lower] ?? lower : lower
}

/** Returns the forge at a host: as the profile's settings say, a well-known one, or one that is named after its software; null: unknown. */
export function forgeAt (host: string, settings: ForgeSettings = {}): ForgeAddress | null {
  const known = isKeyOf(wellKnown, host) ? wellKnown[host] : undefined
  const kind = settings.type ?? known?.kind ?? named.find(([label]) => host.split(/[.:]/).some((part) => label.test(part)))?.[1]
  if (kind === undefined) return null
  const api = settings.url?.trim().replace(/\/+$/, '') ?? (known?.kind === kind ? known.api : `https://${host}${apiPaths[kind]}`)
  return { kind, host, api }
}

const usualVariables: Readonly<Record<string, string>> = {
  'github.com': 'GITHUB_TOKEN', 'gitlab.com': 'GITLAB_TOKEN', 'codeberg.org': 'CODEBERG_TOKEN'
}

export const usualHosts = Object.keys(usualVariables)

/**
 * Returns the variable of the profile's `.env` that holds the token for a host, which is sent to no other host. Null for a server that is
 * neither well known nor named in the profile: the name of a remote can be chosen by whoever wrote the repository.
 */
export function tokenVariable (host: string, { token_env: chosen }: ForgeSettings = {}): string | null {
  if (chosen !== undefined && chosen !== '') return chosen
  return isKeyOf(usualVariables, host) ? usualVariables[host] ?? null : null
}

/** Returns an unused variable for the token of a self-hosted server: the names of two servers may differ only by a dot. */
export function newTokenVariable (host: string, taken: readonly string[]): string {
  const name = host.toUpperCase().replace(/[^A-Z0-9]+/g, '_').replace(/^(?=\d)/, '_')
  const all = new Set([...taken, ...Object.values(usualVariables)])
  for (let count = 1; ; count++) {
    const variable = `${name}${count === 1 ? '' : `_${count}`}_TOKEN`
    if (!all.has(variable)) return variable
  }
}
