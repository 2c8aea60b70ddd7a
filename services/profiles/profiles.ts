import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock } from '../ground/clock.js'
import { NotFound } from '../ground/errors.js'
import { addToConfigList } from '../ground/home/config-file.js'
import { turnRules, type TurnRules } from './rules.js'
import { readProfileSettings, type ProfileSettings } from '../ground/home/settings.js'

export interface Profile { name: string, home: string, isDefault: boolean }

const profileName = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** The profiles of this service: `default` is the root home, every other one a folder of `<home>/profiles/`. */
export function createProfiles ({ home, env, clock, learned = () => {} }: {
  home: string
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
  /** Called with what the files of a profile say, when they are read for the first time and when they have changed. */
  learned?: (settings: ProfileSettings) => void
}) {
  const versions = new Map<string, string>()
  const root: Profile = { name: 'default', home, isDefault: true }

  function get (name: string): Profile | undefined {
    if (name === root.name) return root
    if (!profileName.test(name)) return undefined
    const folder = join(home, 'profiles', name)
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
      ? { name, home: folder, isDefault: false }
      : undefined
  }

  function existing (name: string): Profile {
    const profile = get(name)
    if (profile === undefined) throw new NotFound('Profile not found')
    return profile
  }

  function settings (name: string): ProfileSettings {
    const settings = readProfileSettings(existing(name).home, env)
    if (versions.get(name) !== settings.version) {
      versions.set(name, settings.version)
      learned(settings)
    }
    return settings
  }

  function list (): Profile[] {
    const named = foldersOf(join(home, 'profiles')).map((name) => get(name))
      .filter((profile): profile is Profile => profile !== undefined && !profile.isDefault)
    return [root, ...named]
  }

  return {
    /** The default profile first, then the named ones in the order of their names. */
    list,

    /** Where their files lie, keys among them. */
    homes: (): string[] => list().map((profile) => profile.home),

    get,

    /** What the profile's files say. Throws NotFound. */
    settings,

    /** The server-wide profile: what `<home>/active_profile` names, if it exists. */
    active (): string {
      const name = firstLine(join(home, 'active_profile'))
      return name !== undefined && get(name) !== undefined ? name : root.name
    },

    /** How the profile's turns run, as the file says now. Throws NotFound. */
    rules: (name: string): TurnRules => turnRules(settings(name).config),

    /**
     * Adds pattern keys to `approvals.allow` of the profile's config.yaml and has them on disk when it resolves. Comments
     * and whatever else changed in the file meanwhile survive. Throws NotFound, and Conflict when the file is broken.
     */
    async allowPattern (name: string, keys: string[]): Promise<void> {
      await addToConfigList(join(existing(name).home, 'config.yaml'), ['approvals', 'allow'], keys, clock)
    }
  }
}
export type Profiles = ReturnType<typeof createProfiles>

function foldersOf (path: string): string[] {
  try {
    return readdirSync(path).sort()
  } catch {
    return []
  }
}

function firstLine (path: string): string | undefined {
  // Asked with every list, and mostly not there: an error costs ten times a look.
  if (!existsSync(path)) return undefined
  try {
    return readFileSync(path, 'utf8').split('\n')[0]?.trim()
  } catch {
    return undefined
  }
}
