import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../ground/tried.js'

const ofProfile = ['config.yaml', '.env', 'SOUL.md']
const memories = 'memories'

/** Lists the files in which people keep settings and keys, relative to the home folder. */
export function settingsFiles (home: string): string[] {
  const profiles = ['', ...namesIn(join(home, 'profiles')).map((name) => join('profiles', name))]
  const files = profiles.flatMap((profile) => [
    ...ofProfile.map((name) => join(profile, name)),
    ...namesIn(join(home, profile, memories)).filter((name) => name.endsWith('.md')).map((name) => join(profile, memories, name))
  ])
  return ['active_profile', ...files].filter((path) => existsSync(join(home, path)))
}

const namesIn = (folder: string): string[] => tried(() => readdirSync(folder), [])
