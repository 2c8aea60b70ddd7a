import { slugOf, splitFrontMatter } from './catalog.js'

/** A skill in the fields of its form. */
export interface SkillText {
  name: string
  /** Its purpose, by which the agent finds it; null: written in a form that only the source can show. */
  description: string | null
  body: string
}

const line = (key: string): RegExp => new RegExp(`^${key}:[ \\t]*(.*)$`, 'm')

export function readSkill (content: string): SkillText {
  const { front, body } = splitFrontMatter(content)
  const [, name = ''] = line('name').exec(front) ?? []
  const [, description = ''] = line('description').exec(front) ?? []
  return { name: unquoted(name) ?? '', description: unquoted(description), body: body.trim() }
}

/** Returns the text with other values; the rest of the front matter stays. */
export function writeSkill (content: string, { name, description, body }: SkillText): string {
  const { front } = splitFrontMatter(content)
  const named = withLine(front, 'name', textOf(slugOf(name)))
  const described = description === null ? named : withLine(named, 'description', JSON.stringify(description.trim()))
  return `---\n${described}\n---\n\n${body.trim()}\n`
}

function withLine (front: string, key: string, value: string): string {
  const written = `${key}: ${value}`
  return line(key).test(front) ? front.replace(line(key), () => written) : [front, written].filter((part) => part !== '').join('\n')
}

/** Returns a name as YAML reads it back: what would be a number or a yes is quoted. */
const textOf = (name: string): string => /^(?:\d.*|true|false|null|yes|no|on|off)$/.test(name) ? JSON.stringify(name) : name

/** Returns the value of a line of YAML; null if the value continues on the lines below. */
function unquoted (value: string): string | null {
  const text = value.trim()
  if (/^[>|&*!{[]/.test(text)) return null
  if (/^'.*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'")
  if (!text.startsWith('"')) return text.replace(/ #.*$/, '')
  try { return String(JSON.parse(text)) } catch { return null }
}

/** Returns a name for a skill, from the first words of its description. */
export const nameFrom = (description: string): string =>
  slugOf(description.replaceAll(/[^\p{L}\p{N}\s-]/gu, '').trim().split(/[\s-]+/).filter((word) => word !== '').slice(0, 4).join(' '))
    .slice(0, 60).replace(/-$/, '')
