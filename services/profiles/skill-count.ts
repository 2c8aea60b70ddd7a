import { type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type ConfigFile } from '../ground/home/config-schema.js'

export interface SkillCount { total: number, enabled: number }

/** `skills/<category>/<name>/SKILL.md`, and one level more for who likes order. */
const deepest = 4
const mostFolders = 2_000

/**
 * How many skills a home has: the folders below `skills/` that hold a SKILL.md. A skill is off when config.yaml names it in
 * `skills.disabled`, or for this front end in `skills.platform_disabled.webui`.
 */
export async function countSkills (home: string, { skills = {} }: ConfigFile): Promise<SkillCount> {
  const off = new Set([skills.disabled ?? [], skills.platform_disabled?.webui ?? []].flat())
  const count: SkillCount = { total: 0, enabled: 0 }
  let folders = [join(home, 'skills')]
  let seen = 0
  for (let depth = 0; depth <= deepest && folders.length > 0; depth++) {
    const found: string[] = []
    for (const folder of folders) {
      if (++seen > mostFolders) return count
      const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
      if (depth > 0 && entries.some((entry) => entry.name === 'SKILL.md' && entry.isFile())) {
        count.total++
        if (!off.has(basename(folder))) count.enabled++
      } else found.push(...entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => join(folder, name)))
    }
    folders = found
  }
  return count
}
