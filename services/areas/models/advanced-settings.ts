import { Invalid } from '../../ground/errors.js'
import { isRecord } from '../../ground/fields.js'
import { asSaved } from '../../ground/redaction/index.js'
import { addressProblem, ownKeysIn, reachedAddressProblem } from '../../providers/index.js'
import { type ConfigEdit } from '../profiles/index.js'
import { keyOf } from './provider-keys.js'
import { type Config } from './configured-models.js'

/** Advanced settings of requests to a model. */
export interface Advanced {
  /** Null: not given. */
  baseUrl: string | null
  apiKey: string | null
  clearsKey: boolean
  /** By their keys in config.yaml; null removes a key. Keys that are not given are missing. */
  settings: ReadonlyMap<string, unknown>
}

type Place = readonly [string, ...string[]]

const seconds = { form: (value: number): boolean => value >= 1 && value <= 3_600, words: 'seconds, 1 to 3600' }
const numbers = {
  timeout: seconds,
  download_timeout: seconds,
  max_concurrency: {
    form: (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 1_000, words: 'a whole number, 1 to 1000'
  }
} as const
const known = ['base_url', 'api_key', 'api_key_clear', 'extra_body', 'service_tier', ...Object.keys(numbers)]
const longestBody = 20_000

/**
 * Reads the advanced settings. Forms of clients send every field: empty or false values count as not set. Throws Invalid, which names the
 * key.
 */
export function readAdvanced (advanced: Config): Advanced {
  const strange = Object.keys(advanced).filter((key) => !known.includes(key) && isGiven(advanced[key]))
  if (strange.length > 0) throw new Invalid(`advanced: unknown ${strange.join(', ').slice(0, 200)}; known are ${known.join(', ')}`)
  const { base_url: baseUrl, api_key: apiKey, api_key_clear: clears } = advanced
  if (isGiven(clears) && clears !== true) throw new Invalid('api_key_clear: true or false')
  if (clears === true && isGiven(apiKey)) throw new Invalid('api_key_clear: set a key or remove it, not both')
  return {
    baseUrl: isGiven(baseUrl) ? addressOf(textOf('base_url', baseUrl)) : null,
    apiKey: isGiven(apiKey) ? keyOf(textOf('api_key', apiKey)) : null,
    clearsKey: clears === true,
    settings: new Map(['extra_body', 'service_tier', ...Object.keys(numbers)].filter((key) => advanced[key] !== undefined).map((key) =>
      [key, isGiven(advanced[key]) ? valueOf(key, advanced[key]) : null]))
  }
}

export function writeAdvanced (config: ConfigEdit, place: Place, { settings }: Pick<Advanced, 'settings'>): void {
  for (const [key, value] of settings) {
    if (value === null) config.delete([...place, key])
    else config.set([...place, key], value)
  }
}

/** Removes the advanced settings: they do not apply to another provider's model. */
export function forgetAdvanced (config: ConfigEdit, place: Place): void {
  for (const key of ['extra_body', 'service_tier', ...Object.keys(numbers)]) config.delete([...place, key])
}

function addressOf (baseUrl: string): string {
  const address = baseUrl.trim()
  const problem = addressProblem(address)
  if (problem !== null) throw new Invalid(`base_url ${problem}`)
  return address
}

/**
 * Returns a checked address; the addresses that its name resolves to are checked too. `before`: the stored address, which the person may
 * have been shown without its keys. Throws Invalid.
 */
export async function reachedAddressOf (baseUrl: string, before: unknown = null): Promise<string> {
  const address = addressOf(asSaved('base_url', baseUrl.trim(), typeof before === 'string' ? before : null))
  const problem = await reachedAddressProblem(address)
  if (problem !== null) throw new Invalid(`base_url ${problem}`)
  return address
}

function valueOf (key: string, value: unknown): unknown {
  if (key === 'extra_body') return bodyOf(value)
  if (key === 'service_tier') {
    const tier = textOf(key, value).trim()
    if (!/^[\w.-]{1,64}$/.test(tier)) throw new Invalid('service_tier: a word of 64 characters at most')
    return tier
  }
  const { form, words } = numbers[key as keyof typeof numbers]
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !form(number)) throw new Invalid(`${key}: ${words}`)
  return number
}

function bodyOf (value: unknown): Config {
  if (!isRecord(value)) throw new Invalid('extra_body: an object')
  if (JSON.stringify(value).length > longestBody) throw new Invalid(`extra_body: ${longestBody} characters at most`)
  const own = ownKeysIn(value)
  if (own.length > 0) throw new Invalid(`extra_body: the service itself sets ${own.join(', ')}`)
  return value
}

function textOf (key: string, value: unknown): string {
  if (typeof value !== 'string') throw new Invalid(`${key}: a text`)
  return value
}

function isGiven (value: unknown): boolean {
  const isEmptyObject = isRecord(value) && Object.keys(value).length === 0
  return value !== undefined && value !== null && value !== '' && value !== false && !isEmptyObject
}
