import { type Wire } from '../core/service/api.js'

export type Skill = Wire<'Skill'>
export interface Category { name: string, skills: readonly Skill[] }

/**
 * Returns the skills that contain all words in their name, description, category or tags, or in what `shown` returns: their texts in the
 * language of the app.
 */
export function searchSkills (
  skills: readonly Skill[], text: string, shown: (skill: Skill) => readonly string[] = () => []
): readonly Skill[] {
  const sought = text.toLocaleLowerCase().split(/\s+/).filter((word) => word !== '')
  if (sought.length === 0) return skills
  return skills.filter((skill) => {
    const { name, description, category, tags } = skill
    const said = [name, description, category, ...tags, ...shown(skill)].join(' ').toLocaleLowerCase()
    return sought.every((word) => said.includes(word))
  })
}

/** Groups skills by category, alphabetically; those without one come first. */
export function groupSkills (skills: readonly Skill[]): Category[] {
  return byCategory(skills).map(([name, of]) => ({ name, skills: of.toSorted((a, b) => a.name.localeCompare(b.name)) })).toSorted((a, b) =>
    a.name.localeCompare(b.name))
}

/** Groups items by category, in their order. */
export function byCategory<Item extends { category: string }> (items: readonly Item[]): Array<[category: string, of: Item[]]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(item.category, [...groups.get(item.category) ?? [], item])
  return [...groups]
}

/** Splits front matter from the text. */
export function splitFrontMatter (content: string): { front: string, body: string } {
  const [whole = '', front = ''] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(content) ?? []
  return { front, body: content.slice(whole.length) }
}

/** Returns how often a skill was used, from a table whose rows may contain anything. */
export function usesOf (usage: Wire<'SkillUsage'> | undefined, name: string): number {
  const count = usage?.usage[name]?.use_count
  return typeof count === 'number' ? count : 0
}

/** Returns a name in the service's form. */
export const slugOf = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, '-')

/** Returns a new SKILL.md. */
export const skeletonOf = (name: string, description: string, body: string): string =>
  `---\nname: ${slugOf(name)}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`
