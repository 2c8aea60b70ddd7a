import { type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

export interface SkillCount { total: number, enabled: number }

/** `skills/<category>/<name>/SKILL.md`, and one level more for who likes order. */
const deepest = 4
const mostFolders = 2_000

/**
 * How many skills a home has: the folders below `skills/` that hold a SKILL.md. A skill is off when config.yaml names it in
 * `skills.disabled`, or for this front end in `skills.platform_disabled.webui`.
 */
export async function countSkills (home: string, config: Readonly<Record<string, unknown>>): Promise<SkillCount> {
  const skills = (config['skills'] ?? {}) as { disabled?: unknown, platform_disabled?: { webui?: unknown } | null }
  const off = new Set([skills.disabled, skills.platform_disabled?.webui].flat().filter((name): name is string => typeof name === 'string'))
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
