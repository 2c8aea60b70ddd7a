import { Invalid, NotFound } from '../ground/errors.js'
import { type ConfigFile, type Profiles } from '../profiles/index.js'
import { type Sessions } from '../sessions/index.js'

export interface Personality { name: string, description: string, prompt: string }

const describedChars = 80
/** Of a hand-written text; more is a mistake, and would go with every request to a model. */
const longestPrompt = 20_000
const mostPersonalities = 200

/** Ways for the agent to speak: `agent.personalities` of a profile's config.yaml. A session has one, or none. */
export class Personalities {
  constructor (readonly options: { profiles: Pick<Profiles, 'settings'>, sessions: Pick<Sessions, 'get' | 'setPersonality'> }) {}

  /** In the order of the file. Throws NotFound for an unknown profile. */
  list (profile: string): Personality[] {
    const personalities = this.options.profiles.settings(profile).config.agent?.personalities ?? {}
    return Object.entries(personalities).slice(0, mostPersonalities).flatMap(([name, value]) => read(name, value) ?? [])
  }

  /** What a session's personality says; null when it has none, or one that the file does not have any more. */
  promptOf (profile: string, name: string | null): string | null {
    if (name === null) return null
    return this.list(profile).find((personality) => personality.name === name)?.prompt ?? null
  }

  /**
   * Gives a session a personality; an empty name takes it away. The next turn speaks so. Throws NotFound for an unknown
   * session or personality, Invalid for a session that can only be read.
   */
  async set (sessionId: string, name: string): Promise<Personality | null> {
    const { sessions } = this.options
    const { profile, readOnly } = sessions.get(sessionId)
    if (readOnly) throw new Invalid('This session is read-only')
    const wanted = name.trim()
    // Clients show a choice `none` of their own.
    if (wanted === '' || wanted === 'none') {
      await sessions.setPersonality(sessionId, null)
      return null
    }
    const found = this.list(profile).find((personality) => personality.name === wanted)
    if (found === undefined) throw new NotFound('Personality not found')
    await sessions.setPersonality(sessionId, found.name)
    return found
  }
}

type Written = NonNullable<NonNullable<ConfigFile['agent']>['personalities']>[string]

/** A text, or a mapping with `system_prompt` or `prompt`, `description`, `tone` and `style`; undefined for one that says nothing. */
function read (name: string, value: Written): Personality | undefined {
  const { description, system_prompt: systemPrompt, prompt, tone, style } = typeof value === 'string' ? { prompt: value } as Exclude<Written, string> : value
  const lines = [text(systemPrompt) ?? text(prompt), labelled('Tone', tone), labelled('Style', style)].filter((line) => line !== undefined)
  if (lines.length === 0) return undefined
  const resolved = lines.join('\n').slice(0, longestPrompt)
  return { name, description: text(description) ?? beginning(resolved), prompt: resolved }
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
