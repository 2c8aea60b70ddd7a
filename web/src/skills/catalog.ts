import { type Wire } from '../core/service/api.js'

export type Skill = Wire<'Skill'>
export interface Category { name: string, skills: readonly Skill[] }

/** Skills with all of the words in their names, descriptions, categories or tags. */
export function searchSkills (skills: readonly Skill[], text: string): readonly Skill[] {
  const sought = text.toLocaleLowerCase().split(/\s+/).filter((word) => word !== '')
  if (sought.length === 0) return skills
  return skills.filter(({ name, description, category, tags }) => {
    const said = [name, description, category, ...tags].join(' ').toLocaleLowerCase()
    return sought.every((word) => said.includes(word))
  })
}

/** By category, in the order of the alphabet; those without one come first. */
export function groupSkills (skills: readonly Skill[]): Category[] {
  return byCategory(skills).map(([name, of]) => ({ name, skills: of.toSorted((a, b) => a.name.localeCompare(b.name)) })).toSorted((a, b) =>
    a.name.localeCompare(b.name))
}

/** What has the same category, in the order in which it comes. */
export function byCategory<Item extends { category: string }> (items: readonly Item[]): Array<[category: string, of: Item[]]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(item.category, [...groups.get(item.category) ?? [], item])
  return [...groups]
}

/** What front matter says, and the text behind it. */
export function splitFrontMatter (content: string): { front: string, body: string } {
  const [whole = '', front = ''] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(content) ?? []
  return { front, body: content.slice(whole.length) }
}

/** How often a skill was used, of a table whose rows may hold anything. */
export function usesOf (usage: Wire<'SkillUsage'> | undefined, name: string): number {
  const count = usage?.usage[name]?.use_count
  return typeof count === 'number' ? count : 0
}

/** The name as the service writes it. */
export const slugOf = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, '-')

/** A new SKILL.md to begin with. */
export const skeletonOf = (name: string, description: string, body: string): string =>
  `---\nname: ${slugOf(name)}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`
