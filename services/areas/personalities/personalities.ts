import { Invalid, NotFound } from '../../ground/errors.js'
import { type ConfigEdit } from '../../ground/home/config-edit.js'
import { asSaved, refuseOwnSecrets } from '../../ground/redaction/index.js'
import { type ConfigFile, type Profiles } from '../profiles/index.js'
import { type Sessions } from '../sessions/index.js'

export interface Personality { name: string, description: string, prompt: string }

/** A personality as it is written: its prompt, the description shown, its tone and style. Empty: not set. */
export interface PersonalityText { name: string, prompt: string, description: string, tone: string, style: string }

const describedChars = 80
/** The limit for a hand-written text: a longer one is a mistake, and would be sent with every model request. */
const longestPrompt = 20_000
const mostPersonalities = 200
const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._'’-]{0,59}$/u

/** Ways for the agent to speak: `agent.personalities` of a profile's config.yaml. A session has one or none. */
export class Personalities {
  constructor (readonly options: {
    profiles: Pick<Profiles, 'settings' | 'configure'>
    sessions: Pick<Sessions, 'get' | 'setPersonality'>
  }) {}

  /** Returns the personalities in the order of the file. Throws NotFound for an unknown profile. */
  list (profile: string): Personality[] {
    const personalities = this.options.profiles.settings(profile).config.agent?.personalities ?? {}
    return Object.entries(personalities).slice(0, mostPersonalities).flatMap(([name, value]) => read(name, value) ?? [])
  }

  /** Returns a personality as it is in the file. Throws NotFound. */
  read (profile: string, name: string): PersonalityText {
    const personalities = this.options.profiles.settings(profile).config.agent?.personalities ?? {}
    const value = Object.hasOwn(personalities, name) ? personalities[name] : undefined
    if (value === undefined) throw new NotFound('Personality not found')
    const { description = '', system_prompt: systemPrompt = '', prompt = '', tone = '', style = '' } = written(value)
    return { name, prompt: text(systemPrompt) ?? prompt, description, tone, style }
  }

  /**
   * Writes a personality into config.yaml, replacing one of the same name; comments are kept. Takes effect from the next turn of the
   * sessions that have it. Throws Invalid, NotFound for an unknown profile, Conflict if the file is broken.
   */
  async save (profile: string, wanted: PersonalityText): Promise<PersonalityText> {
    const name = wanted.name.trim()
    if (!nameForm.test(name) || name === 'none') {
      throw new Invalid('A name is 1 to 60 letters, digits, spaces, dots, dashes or underscores, and not "none"')
    }
    if ([wanted.prompt, wanted.tone, wanted.style].every((part) => part.trim() === '')) throw new Invalid('Describe how the agent should speak')
    const known = this.list(profile)
    const before = known.some((one) => one.name === name) ? this.read(profile, name) : null
    const meant = { ...wanted }
    for (const part of [
      'prompt', 'description', 'tone', 'style'
    ] as const) meant[part] = asSaved(part, wanted[part], before?.[part] ?? null)
    refuseOwnSecrets(
      'The personality', [name, meant.prompt, meant.description, meant.tone, meant.style], Object.values(before ?? {}).join('\n')
    )
    if (known.length >= mostPersonalities && !known.some((one) => one.name === name)) {
      throw new Invalid(`At most ${mostPersonalities} personalities`)
    }
    await this.options.profiles.configure(profile, (config) => { write(config, name, meant) })
    return this.read(profile, name)
  }

  /**
   * Removes a personality from config.yaml: sessions that had it then speak without one. Throws NotFound, and Conflict if the file is
   * broken.
   */
  async remove (profile: string, name: string): Promise<void> {
    this.read(profile, name)
    await this.options.profiles.configure(profile, (config) => config.delete(['agent', 'personalities', name]))
  }

  /** Returns the prompt of a session's personality; null if it has none, or one that is no longer in the file. */
  promptOf (profile: string, name: string | null): string | null {
    if (name === null) return null
    return this.list(profile).find((personality) => personality.name === name)?.prompt ?? null
  }

  /** Resolves the name of a personality for a session; empty for none. Throws NotFound for an unknown session or personality. */
  named (sessionId: string, name: string): string {
    return this.#called(this.options.sessions.get(sessionId).profile, name)?.name ?? ''
  }

  /**
   * Sets a session's personality from the next turn on; an empty name removes it. Throws NotFound for an unknown session or personality,
   * Invalid for a read-only session.
   */
  async set (sessionId: string, name: string): Promise<Personality | null> {
    const { sessions } = this.options
    const { profile, readOnly } = sessions.get(sessionId)
    if (readOnly) throw new Invalid('This session is read-only')
    const found = this.#called(profile, name)
    await sessions.setPersonality(sessionId, found?.name ?? null)
    return found
  }

  #called (profile: string, name: string): Personality | null {
    const wanted = name.trim()
    // Clients show a choice `none` of their own.
    if (wanted === '' || wanted === 'none') return null
    const found = this.list(profile).find((personality) => personality.name === wanted)
    if (found === undefined) throw new NotFound('Personality not found')
    return found
  }
}

type PersonalityConfig = NonNullable<NonNullable<ConfigFile['agent']>['personalities']>[string]

/** Reads a text, or a mapping with `system_prompt` or `prompt`, `description`, `tone` and `style`; undefined if it is empty. */
function read (name: string, value: PersonalityConfig): Personality | undefined {
  const { description, system_prompt: systemPrompt, prompt, tone, style } = written(value)
  const lines = [text(systemPrompt) ?? text(prompt), labelled('Tone', tone), labelled('Style', style)].filter((line) => line !== undefined)
  if (lines.length === 0) return undefined
  const resolved = lines.join('\n').slice(0, longestPrompt)
  return { name, description: text(description) ?? beginning(resolved), prompt: resolved }
}

const written = (value: PersonalityConfig): Exclude<PersonalityConfig, string> => typeof value === 'string' ? { prompt: value } : value

/** Changes only the parts that differ, so that comments on the others stay. */
function write (config: ConfigEdit, name: string, { prompt, description, tone, style }: PersonalityText): void {
  const place = ['agent', 'personalities', name] as const
  const before = config.get(place)
  const isMapping = typeof before === 'object' && before !== null
  const isPlain = [description, tone, style].every((part) => part.trim() === '')
  if (!isMapping && isPlain) return config.set(place, prompt.trim())
  if (!isMapping) config.set(place, {})
  const promptKey = isMapping && 'system_prompt' in before ? 'system_prompt' : 'prompt'
  for (const [key, value] of Object.entries({ description, [promptKey]: prompt, tone, style })) {
    if (value.trim() === '') config.delete([...place, key])
    else config.set([...place, key], value.trim())
  }
}

function beginning (prompt: string): string {
  const characters = [...prompt]
  return characters.length <= describedChars ? prompt : `${characters.slice(0, describedChars).join('')}...`
}

function labelled (label: string, value: string | undefined): string | undefined {
  const found = text(value)
  return found === undefined ? undefined : `${label}: ${found}`
}

const text = (value: string | undefined): string | undefined => value === undefined || value.trim() === '' ? undefined : value.trim()
