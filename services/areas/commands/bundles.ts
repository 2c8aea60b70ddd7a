import { Invalid, NotFound } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { line } from '../../ground/text/front-matter.js'
import { type Profiles } from '../profiles/index.js'
import { type Skills } from '../skills/index.js'
import { canonical, parseCommand, type Command, type CommandContext, type CommandSource, type Expansion } from './command.js'

/** A named set of skills. */
export interface Bundle { name: string, description: string, skills: string[] }

export interface ResolvedBundle { name: string, message: string, loaded: string[], missing: string[] }

const mostBundles = 100
const mostSkills = 20
const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u

/**
 * Sets of skills that are loaded together: `skills.bundles` of a profile's config.yaml. Each is a list of skills, or has `description` and
 * `skills`.
 */
export class Bundles implements CommandSource {
  constructor (readonly options: { profiles: Pick<Profiles, 'settings'>, skills: Pick<Skills, 'invoke' | 'note'> }) {}

  /** Returns the bundles in the order of the file. Throws NotFound for an unknown profile. */
  of (profile: string): Bundle[] {
    const { bundles } = fieldsOf(this.options.profiles.settings(profile).config.skills)
    return Object.entries(fieldsOf(bundles)).slice(0, mostBundles).flatMap(([key, value]) => {
      const fields = fieldsOf(Array.isArray(value) ? { skills: value } : value)
      const name = canonical(key.trim().replace(/\s+/g, '-'))
      const skills = Array.isArray(fields.skills) ? fields.skills.filter((skill): skill is string => typeof skill === 'string') : []
      if (!nameForm.test(name) || skills.length === 0) return []
      return [{
        name, description: line(fields.description, 300) || skills.join(', ').slice(0, 300),
        skills: [...new Set(skills)].slice(0, mostSkills)
      }]
    })
  }

  /**
   * Returns the message for a bundle: `/name` or its name, followed by the request. Throws Invalid for an empty command, NotFound if it
   * names no bundle.
   */
  async message (profile: string, command: string): Promise<ResolvedBundle> {
    if (command.trim().replace(/^\//, '') === '') throw new Invalid('command is required')
    const parsed = parseCommand(command)
    const bundle = parsed === null ? undefined : this.of(profile).find(({ name }) => name === parsed.name)
    if (parsed === null || bundle === undefined) throw new NotFound('Bundle command not found')
    const { message, loaded, missing } = await this.options.skills.invoke(profile, bundle.skills, parsed.args)
    return { name: bundle.name, message: loaded.length === 0 ? parsed.args : message, loaded, missing }
  }

  /** Empty, because clients list bundles separately. */
  async list (): Promise<Command[]> {
    return []
  }

  async resolve ({ profile }: CommandContext, name: string, args: string): Promise<Expansion | null> {
    if (!this.of(profile).some((bundle) => bundle.name === name)) return null
    const { message, loaded } = await this.message(profile, `/${name} ${args}`)
    if (loaded.length === 0) return null
    return { text: message, started: () => { for (const skill of loaded) this.options.skills.note(profile, skill, 'use') } }
  }
}
