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
   * Keys and addresses of providers: the process environment's, overlaid with the profile's `.env`. Only for looking up keys, never for the
   * environment of a child process.
   */
  env: Record<string, string>
  /** Names of the variables that come from the profile's `.env`. */
  envFileKeys: ReadonlySet<string>
  /** The valid part of config.yaml. While the file is broken, its last valid content; an empty object if it does not exist. */
  config: ConfigFile
  /** The problems of config.yaml, in the order of the file; empty while the file is broken. */
  configProblems: readonly ConfigProblem[]
  /** The whole content of the file, including invalid keys and possible secrets. */
  configAsWritten: Readonly<Record<string, unknown>>
  /** Why config.yaml could not be read, as one sentence that quotes nothing of its content. */
  configError?: string
  /** The text that `config` was read from; undefined if the file does not exist or is broken. */
  configText?: string
  /** Changes whenever one of the two files does, and whenever a plugin is enabled or disabled. */
  version: string
}

export const homeFiles = {
  config: (home: string) => join(home, 'config.yaml'),
  env: (home: string) => join(home, '.env'),
  /** The last valid content of config.yaml, for processes that start while it is broken. */
  lastGoodConfig: (home: string) => join(home, 'webui_state', 'config.last-good.yaml')
}

const providerVariable = /^[A-Z][A-Z0-9_]*_(?:API_KEY|BASE_URL)(?:_FILE)?$|^OLLAMA_HOST$|^OFFLINE_DEMO_WORDS_PER_SECOND$/
const cacheLimit = 256
const caches = new WeakMap<object, Map<string, ProfileSettings>>()

/**
 * Returns the settings of a profile's `config.yaml` and `.env`, with the provider variables of `env`. Never throws: missing files count as
 * empty, and the last valid content replaces a broken config.yaml. While a file cannot be read for the moment, the previous settings stay.
 * Cached until a file changes.
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
    if (text.includes('\0')) return { configError: 'config.yaml is not text in UTF-8.' }
    const written: unknown = parseYaml(text)
    if (written === null || written === undefined) return { ...empty, configText: text }
    if (!isRecord(written)) return { configError: 'config.yaml must be a mapping of keys to values.' }
    const { config, problems } = checkConfig(written, text)
    return { config, configProblems: problems, configAsWritten: written, configText: text }
  } catch (error) {
    return { configError: `config.yaml does not parse${reasonOf(error)}.` }
  }
}

/** What the parser's codes mean for the person who wrote the file. */
const meanings: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab indents the line; use spaces',
  DUPLICATE_KEY: 'this key is already there; remove one of the two',
  MULTILINE_IMPLICIT_KEY: 'a key has no ": " after it, which is a colon and a space',
  BLOCK_AS_IMPLICIT_KEY: 'the value goes on where it should end; put it in quotes, or correct the indentation',
  BAD_INDENT: 'the indentation does not fit the lines above, or a bracket is not closed',
  MISSING_CHAR: 'something is missing before this place, such as a colon, a quote or a closing bracket',
  BAD_SCALAR_START: 'a value that begins with this character needs quotes',
  BAD_DQ_ESCAPE: 'double quotes give a backslash a meaning; use single quotes',
  MULTIPLE_DOCS: '"---" begins a second document; only one is read',
  UNEXPECTED_TOKEN: 'this cannot stand here'
}

/**
 * Returns where and why the text does not parse. The parser's own messages quote the file, mostly from their second line on, and it may
 * hold keys.
 */
function reasonOf (error: unknown): string {
  const { code, message, linePos } = error as { code?: unknown, message?: unknown, linePos?: ReadonlyArray<{ line: number, col: number }> }
  if (typeof code !== 'string') {
    return /^Excessive alias/.test(String(message))
      ? ': it has too many aliases'
      : /^Unresolved alias/.test(String(message)) ? ': an alias (*name) has no anchor (&name)' : ': "<<" merges something that is not a mapping'
  }
  const place = linePos?.[0] === undefined ? '' : ` at line ${linePos[0].line}, column ${linePos[0].col}`
  return `${place}: ${meanings[code] ?? code.toLowerCase().replaceAll('_', ' ')}`
}

/** Returns the names of variables that hold keys under a name that the owner chose: `key_env` of every provider. */
export function keyVariables ({ providers, custom_providers: custom = [] }: ConfigFile): string[] {
  return [...Object.values(providers ?? {}), ...custom].flatMap(({ key_env: name }) => name === undefined ? [] : [name])
}

/** Does the same for speech services, which the agent's hosts do not need. */
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
