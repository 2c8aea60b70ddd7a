import { type ProfileSettings } from '../profiles/index.js'
import { addressProblem, canonicalProviderId, resolveProviders, type ProviderEntry } from '../../providers/index.js'

/** A server for speech or transcription, and its key. */
export interface SpeechEndpoint {
  /** Id of the provider; `custom` for an address without one. */
  provider: string
  /** The name shown to people. */
  name: string
  /** Without a slash at the end. */
  baseUrl: string
  apiKey: string | null
}

export type FoundEndpoint = SpeechEndpoint | { problem: string }

type Section = NonNullable<ProfileSettings['config']['stt']>

const openaiAddress = 'https://api.openai.com/v1'
const elevenlabsAddress = 'https://api.elevenlabs.io'

/** The value of `stt.provider` for this machine. */
export const localProvider = 'local'

/**
 * Whether a model on this machine transcribes for a profile: not with an address, nor if the operator has a server of that name.
 */
export function isLocal (settings: ProfileSettings): boolean {
  const { provider, base_url: address, model_dir: folder } = settings.config.stt ?? {}
  if (address !== undefined || provider?.trim().toLowerCase() !== localProvider) return false
  return folder !== undefined || compatibleEntry(settings, localProvider) === undefined
}

/**
 * Returns the server that transcribes for a profile, or what has to be configured: `stt.base_url`, else the provider that `stt.provider`
 * names. A stored key alone chooses nothing: recordings of a person go only to the server that the configuration names for them, and the
 * key of a provider only to its own address unless `key_env` names it.
 */
export function transcriberOf (settings: ProfileSettings): FoundEndpoint {
  const { stt = {} } = settings.config
  const named = stt.provider === undefined || stt.provider.trim() === '' ? undefined : canonicalProviderId(stt.provider)
  if (named === undefined && stt.base_url === undefined) {
    return { problem: 'Speech to text is not set up: config.yaml needs stt.provider: openai with OPENAI_API_KEY, stt.base_url with the address of an OpenAI-compatible server, or stt.provider: local with stt.model_dir' }
  }
  const entry = named === undefined ? undefined : compatibleEntry(settings, named)
  const address = stt.base_url ?? entry?.baseUrl ?? (named === 'openai' ? openaiAddress : null)
  if (address === null) {
    return { problem: 'Speech to text is not set up: the provider that stt.provider in config.yaml names is not set up or cannot transcribe. Set stt.base_url' }
  }
  const apiKey = ownKey(settings, stt) ?? storedKey(entry, address, named === 'openai' ? openaiAddress : null)
  return checked('stt', address, { provider: named ?? 'custom', name: nameOf(named, entry, 'The transcription service'), apiKey })
}

/**
 * Returns OpenAI or a server with its interface, as `tts.openai` says. The key of OpenAI goes only to its own address unless `key_env`
 * names it.
 */
export function openaiSpeakerOf (settings: ProfileSettings): FoundEndpoint {
  const section = settings.config.tts?.openai ?? {}
  const entry = compatibleEntry(settings, 'openai')
  const address = section.base_url ?? entry?.baseUrl ?? openaiAddress
  const apiKey = ownKey(settings, section) ?? storedKey(entry, address, openaiAddress)
  return checked('tts.openai', address, {
    provider: 'openai', name: section.base_url === undefined ? 'OpenAI' : 'The speech service', apiKey
  })
}

/**
 * Returns ElevenLabs, with the key of `tts.elevenlabs` or ELEVENLABS_API_KEY. The latter goes only to its own address unless `key_env`
 * names it.
 */
export function elevenlabsOf (settings: ProfileSettings): FoundEndpoint {
  const section = settings.config.tts?.elevenlabs ?? {}
  const usualKey = section.base_url === undefined ? settings.env['ELEVENLABS_API_KEY'] : undefined
  const apiKey = ownKey(settings, section) ?? given(usualKey) ?? null
  if (apiKey === null) {
    return { problem: 'Speech by ElevenLabs is not set up: it needs ELEVENLABS_API_KEY in the profile\'s .env file, or tts.elevenlabs.api_key in config.yaml' }
  }
  return checked('tts.elevenlabs', section.base_url ?? elevenlabsAddress, { provider: 'elevenlabs', name: 'ElevenLabs', apiKey }, '')
}

/**
 * Returns the key of a provider if the address is on the server that the key is for. `usual`: the provider's address, if its entry has
 * none.
 */
function storedKey (entry: ProviderEntry | undefined, address: string, usual: string | null): string | null {
  const own = entry?.baseUrl ?? usual
  return own !== null && URL.canParse(address) && URL.canParse(own) && new URL(address).origin === new URL(own).origin
    ? entry?.apiKey ?? null
    : null
}

function compatibleEntry ({ env, envFileKeys, config }: ProfileSettings, id: string): ProviderEntry | undefined {
  return resolveProviders({ env, envFileKeys, config, local: [] }).find((entry) =>
    entry.id === id && (entry.kind === 'openai' || entry.kind === 'openai-compatible'))
}

function checked (section: string, address: string, who: Omit<SpeechEndpoint, 'baseUrl'>, version = '/v1'): FoundEndpoint {
  const problem = addressProblem(address.trim())
  if (problem !== null) return { problem: `Speech is not set up: ${section}.base_url in config.yaml ${problem}` }
  const url = new URL(address.trim())
  if (url.hostname === 'api.openai.com' && who.apiKey === null) {
    return {
      problem: `Speech by OpenAI is not set up: it needs OPENAI_API_KEY in the profile's .env file, or ${section}.api_key in config.yaml`
    }
  }
  // People configure the server's address; the interface is below the path of its version.
  return { ...who, baseUrl: `${url.origin}${url.pathname === '/' ? version : url.pathname.replace(/\/+$/, '')}` }
}

function ownKey ({ env }: ProfileSettings, { api_key: apiKey, key_env: name }: Section): string | undefined {
  return given(apiKey) ?? (name === undefined ? undefined : given(env[name]))
}

const given = (text: string | undefined): string | undefined => text === undefined || text.trim() === '' ? undefined : text.trim()

function nameOf (named: string | undefined, entry: ProviderEntry | undefined, otherwise: string): string {
  return entry?.displayName ?? (named === 'openai' ? 'OpenAI' : otherwise)
}
