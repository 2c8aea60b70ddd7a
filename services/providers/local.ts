import { monotonicMs, type Clock } from '../ground/time/clock.js'
import { fieldsOf } from '../ground/fields.js'
import { keepNewest } from '../ground/keep-newest.js'
import { present } from '../ground/present.js'
import { guardedFetch } from './guarded-fetch.js'
import { limitedFetch } from './limited-fetch.js'
import { listModels, type ModelInfo } from './models.js'
import { providerFor, type LocalServer } from './registry.js'
import { ollamaAddress, leadsToThisMachine } from './server-address.js'

interface Candidate extends LocalServer {
  probeUrl: string
  /** Whether an answer is this server's, and not that of another program on a popular port. */
  recognises (answer: unknown): boolean
}

export interface ProbeOptions {
  /** OLLAMA_HOST of the profile, if set. */
  ollamaHost?: string | undefined
  fetch?: typeof globalThis.fetch
  timeoutMs?: number
  /** Which servers to look for; by default all. */
  servers?: string[]
}

/** A shared empty list, so that equal results are the same object. */
const none: LocalServer[] = []

const hasModels = (key: 'data' | 'models') => (answer: unknown): boolean => {
  const list = fieldsOf(answer)[key]
  return Array.isArray(list) && list.every((row) => typeof row === 'object' && row !== null) && (key === 'models' || list.length > 0)
}

function compatible (id: string, displayName: string, port: number): Candidate {
  const baseUrl = `http://127.0.0.1:${port}/v1`
  return { id, displayName, baseUrl, probeUrl: `${baseUrl}/models`, recognises: hasModels('data') }
}

function candidates (ollamaHost: string | undefined): Candidate[] {
  const ollama = ollamaAddress(ollamaHost)
  const root = ollama !== undefined && leadsToThisMachine(ollama) ? ollama : 'http://127.0.0.1:11434'
  return [
    { id: 'ollama', displayName: 'Ollama', baseUrl: `${root}/v1`, probeUrl: `${root}/api/tags`, recognises: hasModels('models') },
    compatible('lmstudio', 'LM Studio', 1234),
    compatible('llamacpp', 'llama.cpp', 8080),
    compatible('vllm', 'vLLM', 8000)
  ]
}

/** Asks the usual ports of this machine which model servers run, with GET requests only. Never throws. */
export async function probeLocalServers ({
  ollamaHost, fetch = guardedFetch, timeoutMs = 300, servers
}: ProbeOptions = {}): Promise<LocalServer[]> {
  const wanted = candidates(ollamaHost).filter(({ id }) => servers?.includes(id) ?? true)
  const answers = await Promise.all(wanted.map((candidate) => answersAs(candidate, fetch, AbortSignal.timeout(timeoutMs))))
  return wanted.filter((_, index) => answers[index]).map(({ id, displayName, baseUrl }) => ({ id, displayName, baseUrl }))
}

async function answersAs (candidate: Candidate, fetch: typeof globalThis.fetch, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await limitedFetch(fetch)(candidate.probeUrl, { signal, redirect: 'manual' })
    if (response.ok) return candidate.recognises(await response.json())
    await response.body?.cancel()
    return false
  } catch {
    return false
  }
}

/** A model server of this machine with the models that it lists. `isKnown`: it was found on the usual port of a known server. */
export interface DiscoveredServer extends LocalServer { isKnown: boolean, models: ModelInfo[] }

export interface DiscoveryOptions extends Pick<ProbeOptions, 'ollamaHost' | 'servers'> {
  fetch?: typeof globalThis.fetch
  /** Additional ports of 127.0.0.1. */
  ports?: readonly number[]
  timeoutMs: number
}

/**
 * Asks the usual ports of this machine, and additional ones, for their models: all at once, with GET requests without a key. No other
 * machine is asked, because redirects to other servers are not followed. Servers that do not answer in time are left out. Never throws.
 */
export async function discoverServers ({
  ollamaHost, servers, ports = [], fetch = guardedFetch, timeoutMs
}: DiscoveryOptions): Promise<DiscoveredServer[]> {
  const usual = candidates(ollamaHost).filter(({ id }) => servers?.includes(id) ?? true).map((candidate) => ({
    ...candidate, isKnown: true
  }))
  const further = ports.map((port) => ({ ...compatible(`port-${port}`, `Model server on port ${port}`, port), isKnown: false }))
  const wanted = [...usual, ...further.filter(({ baseUrl }) => !usual.some((other) => other.baseUrl === baseUrl))]
  const staying: typeof globalThis.fetch = async (input, init) => await fetch(input, { ...init, redirect: 'manual' })
  const found = await Promise.all(wanted.map(async (candidate): Promise<DiscoveredServer[]> => {
    const { id, displayName, baseUrl, isKnown } = candidate
    const signal = AbortSignal.timeout(timeoutMs)
    if (!await answersAs(candidate, staying, signal)) return []
    const models = await listModels(present(providerFor([], { provider: id, baseUrl }), 'the provider'), { signal, fetch: staying }).catch(() => null)
    return models === null ? [] : [{ id, displayName, baseUrl, isKnown, models }]
  }))
  return found.flat()
}

/** Returns a cached probe: at most one probe in 30 s for each value of OLLAMA_HOST, shared by all callers. */
export function createLocalProbe ({ enabled, clock, maxAgeMs = 30_000, ...options }: ProbeOptions & {
  enabled: boolean
  clock: Clock
  maxAgeMs?: number
}): (ollamaHost?: string) => Promise<LocalServer[]> {
  const found = new Map<string, { atMs: number, servers: Promise<LocalServer[]> }>()
  return async (ollamaHost) => {
    if (!enabled) return none
    const key = ollamaHost ?? ''
    const cached = found.get(key)
    if (cached !== undefined && monotonicMs(clock) - cached.atMs < maxAgeMs) return await cached.servers
    const servers = probeLocalServers({ ...options, ollamaHost })
    found.delete(key)
    found.set(key, { atMs: monotonicMs(clock), servers })
    keepNewest(found, 64)
    return await servers
  }
}
