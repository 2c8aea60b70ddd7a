import { skillFile } from './scan.js'

/** A skill in an archive: its folder (empty for the archive's top), and its files relative to that. */
export interface ArchivedSkill { folder: string, files: string[] }

/**
 * Finds the skills among the files of an archive: every folder with a SKILL.md, however deep. A SKILL.md below another skill is a file of
 * that skill. `others` counts the files that belong to none. Pure.
 */
export function archivedSkills (files: readonly string[]): { skills: ArchivedSkill[], others: number } {
  const skills = new Map<string, ArchivedSkill>()
  const folders = files.map(splitPath).filter(({ name }) => name === skillFile).map(({ folder }) => folder)
  for (const folder of folders.sort((one, other) => one.length - other.length)) {
    if (skillAbove(skills, folder) === undefined) skills.set(folder, { folder, files: [] })
  }
  let others = 0
  for (const file of files.toSorted()) {
    const skill = skillAbove(skills, splitPath(file).folder)
    if (skill === undefined) others++
    else skill.files.push(skill.folder === '' ? file : file.slice(skill.folder.length + 1))
  }
  return { skills: [...skills.values()].sort((one, other) => one.folder < other.folder ? -1 : 1), others }
}

/** Returns the skill whose folder contains a folder, or is it. */
function skillAbove (skills: ReadonlyMap<string, ArchivedSkill>, folder: string): ArchivedSkill | undefined {
  for (let at = folder; ; at = splitPath(at).folder) {
    const found = skills.get(at)
    if (found !== undefined || at === '') return found
  }
}

function splitPath (path: string): { folder: string, name: string } {
  const cut = path.lastIndexOf('/')
  return { folder: path.slice(0, Math.max(cut, 0)), name: path.slice(cut + 1) }
}
