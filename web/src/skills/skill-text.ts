import { slugOf, splitFrontMatter } from './catalog.js'

/** A skill as its form has it. */
export interface SkillText {
  name: string
  /** What it is for, by which the agent finds it; null: written in a way that only the source shows. */
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

/** The text with other values; whatever else stands before it stays. */
export function writeSkill (content: string, { name, description, body }: SkillText): string {
  const { front } = splitFrontMatter(content)
  const named = withLine(front, 'name', slugOf(name))
  const described = description === null ? named : withLine(named, 'description', JSON.stringify(description.trim()))
  return `---\n${described}\n---\n\n${body.trim()}\n`
}

function withLine (front: string, key: string, value: string): string {
  const written = `${key}: ${value}`
  return line(key).test(front) ? front.replace(line(key), () => written) : [front, written].filter((part) => part !== '').join('\n')
}

/** The value of a line of YAML; null for one that goes on below. */
function unquoted (value: string): string | null {
  const text = value.trim()
  if (/^[>|&*!{[]/.test(text)) return null
  if (/^'.*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'")
  if (!text.startsWith('"')) return text.replace(/ #.*$/, '')
  try { return String(JSON.parse(text)) } catch { return null }
}

/** A name for what a skill knows how to do, of its first words. */
export const nameFrom = (description: string): string =>
  slugOf(description.replaceAll(/[^\p{L}\p{N}\s-]/gu, '').trim().split(/\s+/).slice(0, 4).join(' ')).slice(0, 60)
