import { join } from 'node:path'
import { isRecord } from '../fields.js'
import { keepNewest } from '../keep-newest.js'
import { acceptedFile } from './accepted-plugins.js'
import { checkConfig, type ConfigProblem } from './config-check.js'
import { type ConfigFile } from './config-schema.js'
import { parseDotenv } from './dotenv.js'
import { fileVersion, isPassing, readHomeFile, type HomeFile } from './home-file.js'
import { parseYaml } from './yaml.js'

export interface ProfileSettings {
  home: string
  /**
   * Provider keys and addresses: the process environment's, overlaid with the profile's `.env`. For looking keys up;
   * never the environment of a child process.
   */
  env: Record<string, string>
  /** Names that come from the profile's `.env`. */
  envFileKeys: ReadonlySet<string>
  /**
   * What of config.yaml is in order; what it held when it was last well while it is broken; an empty object when there is
   * none.
   */
  config: ConfigFile
  /** What is not, in the order of the file; empty while the file is broken. */
  configProblems: readonly ConfigProblem[]
  /** All that the file holds, keys included that are not in order: what may be a secret stands in it as well. */
  configAsWritten: Readonly<Record<string, unknown>>
  /** Why config.yaml could not be read, as one sentence without anything of its contents. */
  configError?: string
  /** The text `config` was read from; undefined when there is no file, or a broken one. */
  configText?: string
  /** Changes whenever one of the two files does, and whenever a plugin is switched on or off. */
  version: string
}

export const homeFiles = {
  config: (home: string) => join(home, 'config.yaml'),
  env: (home: string) => join(home, '.env'),
  /** What config.yaml held when it was last well, for processes that start while it is broken. */
  lastGoodConfig: (home: string) => join(home, 'webui_state', 'config.last-good.yaml')
}

const providerVariable = /^[A-Z][A-Z0-9_]*_(?:API_KEY|BASE_URL)(?:_FILE)?$|^OLLAMA_HOST$|^OFFLINE_DEMO_WORDS_PER_SECOND$/
const cacheLimit = 256
const caches = new WeakMap<object, Map<string, ProfileSettings>>()

/**
 * What a profile's `config.yaml` and `.env` say, together with the provider variables of `env`. Never throws: files
 * that are missing count as empty, and in the place of a broken config.yaml what it held before goes on; so does all of it while one
 * cannot be read for the moment. Cached until one of the files changes.
 */
export function readProfileSettings (home: string, env: Readonly<Record<string, string | undefined>>): ProfileSettings {
  const version = [homeFiles.config(home), homeFiles.env(home), acceptedFile(home)].map(fileVersion).join('|')
  let cache = caches.get(env)
  if (cache === undefined) caches.set(env, cache = new Map())
  const cached = cache.get(home)
  if (cached?.version === version) return cached

  const [envFile, configFile] = [readHomeFile(homeFiles.env(home)), readHomeFile(homeFiles.config(home))]
  const isForNow = isPassing(envFile) || isPassing(configFile)
  if (isForNow && cached !== undefined) return cached
  const file = parseDotenv(envFile !== undefined && 'text' in envFile ? envFile.text : '')
  const { config, ...facts } = readConfig(home, configFile, cached)
  const settings: ProfileSettings = {
    home,
    env: { ...providerVariables(env, new Set([...keyVariables(config), ...speechKeyVariables(config)])), ...file },
    envFileKeys: new Set(Object.keys(file)),
    config,
    ...facts,
    version: isForNow ? `${version}|for now` : version
  }
  if (isForNow) return settings
  cache.delete(home)
  cache.set(home, settings)
  keepNewest(cache, cacheLimit)
  return settings
}

function textOf (path: string): string | undefined {
  const found = readHomeFile(path)
  return found !== undefined && 'text' in found ? found.text : undefined
}

type ConfigFacts = Pick<ProfileSettings, 'config' | 'configProblems' | 'configAsWritten' | 'configError' | 'configText'>

const empty: ConfigFacts = { config: {}, configProblems: [], configAsWritten: {} }

function readConfig (home: string, found: HomeFile | undefined, before: ProfileSettings | undefined): ConfigFacts {
  if (found === undefined) return empty
  const parsed = 'text' in found ? parseConfig(found.text) : { configError: `config.yaml ${found.problem}.` }
  if ('config' in parsed) return parsed
  const { config, configAsWritten } = before ?? lastGood(home)
  return { config, configAsWritten, configProblems: [], configError: parsed.configError }
}

function lastGood (home: string): ConfigFacts {
  const text = textOf(homeFiles.lastGoodConfig(home))
  const parsed = text === undefined ? undefined : parseConfig(text)
  return parsed !== undefined && 'config' in parsed ? parsed : empty
}

function parseConfig (text: string): ConfigFacts | { configError: string } {
  try {
    const written: unknown = parseYaml(text)
    if (written === null || written === undefined) return { ...empty, configText: text }
    if (!isRecord(written)) return { configError: 'config.yaml must be a mapping of keys to values.' }
    const { config, problems } = checkConfig(written, text)
    return { config, configProblems: problems, configAsWritten: written, configText: text }
  } catch (error) {
    return { configError: `config.yaml does not parse: ${reasonOf(error)}` }
  }
}

/** Where and why. The parser's own words quote the file from the second line on, and some quote it in the first; it may hold keys. */
function reasonOf (error: unknown): string {
  const { code, message, linePos } = error as { code?: unknown, message?: unknown, linePos?: ReadonlyArray<{ line: number, col: number }> }
  if (typeof code !== 'string') {
    return /^Excessive alias/.test(String(message))
      ? 'too many aliases'
      : /alias/.test(String(message)) ? 'an alias without its anchor' : 'a merge of what is no mapping'
  }
  const words = code.toLowerCase().replaceAll('_', ' ')
  return linePos?.[0] === undefined ? words : `${words} at line ${linePos[0].line}, column ${linePos[0].col}`
}

/** Names of variables that hold keys under a name of the owner's own: `key_env`, wherever a provider is set up. */
export function keyVariables ({ providers, custom_providers: custom = [] }: ConfigFile): string[] {
  return [...Object.values(providers ?? {}), ...custom].flatMap(({ key_env: name }) => name === undefined ? [] : [name])
}

/** The same for services of speech, which the hosts of the agent have no use for. */
function speechKeyVariables ({ stt, tts }: ConfigFile): string[] {
  return [stt, tts?.openai, tts?.elevenlabs].flatMap((section) => section?.key_env === undefined ? [] : [section.key_env])
}

function providerVariables (env: Readonly<Record<string, string | undefined>>, named: Set<string>): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value === '' || !(providerVariable.test(name) || named.has(name))) continue
    if (!name.endsWith('_FILE')) found[name] = value
    else found[name.slice(0, -'_FILE'.length)] ??= textOf(value)?.trim() ?? ''
  }
  return found
}
