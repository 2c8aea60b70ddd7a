import { monotonicMs, type Clock } from '../ground/clock.js'
import { limitedFetch } from './limited-fetch.js'
import { ollamaAddress, isLoopback, type LocalServer } from './registry.js'

interface Candidate extends LocalServer {
  probeUrl: string
  /** Says whether the answer is this server's and not that of something else on a popular port. */
  recognises (answer: unknown): boolean
}

export interface ProbeOptions {
  /** OLLAMA_HOST of the profile, if set. */
  ollamaHost?: string | undefined
  fetch?: typeof globalThis.fetch
  timeoutMs?: number
  /** Which servers to look for; all by default. */
  servers?: string[]
}

/** The same servers are the same object. */
const none: LocalServer[] = []

const hasModels = (key: 'data' | 'models') => (answer: unknown): boolean => {
  const list = (answer as Record<string, unknown> | null)?.[key]
  return Array.isArray(list) && list.every((row) => typeof row === 'object' && row !== null) && (key === 'models' || list.length > 0)
}

function candidates (ollamaHost: string | undefined): Candidate[] {
  const ollama = ollamaAddress(ollamaHost)
  const root = ollama !== undefined && isLoopback(ollama) ? ollama : 'http://127.0.0.1:11434'
  const compatible = (id: string, displayName: string, port: number): Candidate => {
    const baseUrl = `http://127.0.0.1:${port}/v1`
    return { id, displayName, baseUrl, probeUrl: `${baseUrl}/models`, recognises: hasModels('data') }
  }
  return [
    { id: 'ollama', displayName: 'Ollama', baseUrl: `${root}/v1`, probeUrl: `${root}/api/tags`, recognises: hasModels('models') },
    compatible('lmstudio', 'LM Studio', 1234),
    compatible('llamacpp', 'llama.cpp', 8080),
    compatible('vllm', 'vLLM', 8000)
  ]
}

/** Asks the usual ports of this machine, with GET requests only, which model servers run. Never throws. */
export async function probeLocalServers ({ ollamaHost, fetch = globalThis.fetch, timeoutMs = 300, servers }: ProbeOptions = {}): Promise<LocalServer[]> {
  const wanted = candidates(ollamaHost).filter(({ id }) => servers?.includes(id) ?? true)
  const answers = await Promise.all(wanted.map((candidate) => answersAs(candidate, fetch, timeoutMs)))
  return wanted.filter((_, index) => answers[index]).map(({ id, displayName, baseUrl }) => ({ id, displayName, baseUrl }))
}

async function answersAs (candidate: Candidate, fetch: typeof globalThis.fetch, timeoutMs: number): Promise<boolean> {
  try {
    const response = await limitedFetch(fetch)(candidate.probeUrl, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })
    if (response.ok) return candidate.recognises(await response.json())
    await response.body?.cancel()
    return false
  } catch {
    return false
  }
}

/** Probing with a memory: one probe per OLLAMA_HOST value in 30 s, shared by everybody who asks meanwhile. */
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
    if (found.size > 64) found.delete(found.keys().next().value as string)
    return await servers
  }
}
