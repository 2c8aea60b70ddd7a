import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { parseDotenv } from './dotenv.js'

export interface ProfileSettings {
  home: string
  /**
   * Provider keys and addresses: the process environment's, overlaid with the profile's `.env`. For looking keys up;
   * never the environment of a child process.
   */
  env: Record<string, string>
  /** Names that come from the profile's `.env`. */
  envFileKeys: ReadonlySet<string>
  /** config.yaml; an empty object when there is none or it does not parse. */
  config: Record<string, unknown>
  /** Why config.yaml could not be read, as one sentence. */
  configError?: string
  /** Changes whenever one of the two files does. */
  version: string
}

const providerVariable = /^[A-Z][A-Z0-9_]*_(?:API_KEY|BASE_URL)(?:_FILE)?$|^OLLAMA_HOST$|^OFFLINE_DEMO_WORDS_PER_SECOND$/
const cacheLimit = 256
const caches = new WeakMap<object, Map<string, ProfileSettings>>()

/**
 * What a profile's `config.yaml` and `.env` say, together with the provider variables of `env`. Never throws: files
 * that are missing or broken count as empty. Cached until one of the files changes.
 */
export function readProfileSettings (home: string, env: Readonly<Record<string, string | undefined>>): ProfileSettings {
  const version = `${fileVersion(join(home, 'config.yaml'))}|${fileVersion(join(home, '.env'))}`
  let cache = caches.get(env)
  if (cache === undefined) caches.set(env, cache = new Map())
  const cached = cache.get(home)
  if (cached?.version === version) return cached

  const file = parseDotenv(readText(join(home, '.env')) ?? '')
  const { config, configError } = readConfig(home)
  const settings: ProfileSettings = {
    home,
    env: { ...providerVariables(env, namedKeys(config)), ...file },
    envFileKeys: new Set(Object.keys(file)),
    config,
    version
  }
  if (configError !== undefined) settings.configError = configError
  cache.delete(home)
  cache.set(home, settings)
  if (cache.size > cacheLimit) cache.delete(cache.keys().next().value as string)
  return settings
}

function fileVersion (path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? '-' : `${stats.mtimeMs}:${stats.size}`
}

function readText (path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function readConfig (home: string): Pick<ProfileSettings, 'config' | 'configError'> {
  const text = readText(join(home, 'config.yaml'))
  if (text === undefined) return { config: {} }
  try {
    const config: unknown = parse(text)
    if (config === null || config === undefined) return { config: {} }
    if (typeof config === 'object' && !Array.isArray(config)) return { config: config as Record<string, unknown> }
    return { config: {}, configError: 'config.yaml must be a mapping of keys to values.' }
  } catch (error) {
    // The first line holds reason and position; the rest would quote the file, which may hold keys.
    const reason = error instanceof Error ? error.message.split('\n')[0]?.replace(/:$/, '') : 'unreadable'
    return { config: {}, configError: `config.yaml does not parse: ${reason}` }
  }
}

/** Variables that `providers.<id>.key_env` names. */
function namedKeys (config: Record<string, unknown>): Set<string> {
  const { providers } = config
  if (typeof providers !== 'object' || providers === null) return new Set()
  return new Set(Object.values(providers).flatMap((provider: unknown) => {
    const name = (provider as { key_env?: unknown } | null)?.key_env
    return typeof name === 'string' ? [name] : []
  }))
}

function providerVariables (env: Readonly<Record<string, string | undefined>>, named: Set<string>): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value === '' || !(providerVariable.test(name) || named.has(name))) continue
    if (!name.endsWith('_FILE')) found[name] = value
    else found[name.slice(0, -'_FILE'.length)] ??= readText(value)?.trim() ?? ''
  }
  return found
}
