import { type FoundSkill } from './scan.js'
import { type LinkedFiles } from './linked-files.js'
import { wholeTo } from '../../ground/text/whole-characters.js'

/** How much of the system prompt skills may take up. */
const promptChars = 8_000
const listChars = 24_000
const introduction = 'Skills are instructions for particular kinds of work. When one of these fits the task, load it with skill_view before you begin, and follow it:'

/** Lists the skills as the agent sees them in each turn, shortened until they fit; null if there are none. */
export function promptOf (skills: readonly FoundSkill[]): string | null {
  if (skills.length === 0) return null
  return `${introduction}\n${listed(skills, promptChars, 'skill_view without a name lists all')}`
}

/** Lists all skills, or as many as fit a tool's result. */
export function listOf (skills: readonly FoundSkill[]): string {
  return skills.length === 0 ? 'There are no skills.' : listed(skills, listChars, 'not shown')
}

function listed (skills: readonly FoundSkill[], mostChars: number, rest: string): string {
  for (const describedChars of [300, 100, 40, 0]) {
    const lines = skills.map(({ name, description }) =>
      describedChars === 0 || description === '' ? `- ${name}` : `- ${name}: ${cut(description, describedChars)}`)
    const text = lines.join('\n')
    if (text.length <= mostChars) return text
  }
  const names: string[] = []
  let chars = 60
  for (const { name } of skills) {
    chars += name.length + 3
    if (chars > mostChars) break
    names.push(`- ${name}`)
  }
  return `${names.join('\n')}\n- and ${skills.length - names.length} more (${rest})`
}

function cut (text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${wholeTo(text, mostChars - 1)}…`
}

/** Formats a skill's document for a model, with a list of its files. */
export function documentOf ({ name }: Pick<FoundSkill, 'name'>, content: string, linked: LinkedFiles): string {
  const files = Object.values(linked).flat()
  const beside = files.length === 0
    ? ''
    : `\n\nFiles of this skill (load one with skill_view, name "${name}", file "…"):\n${files.map((file) => `- ${file}`).join('\n')}`
  return `<skill name="${name}">\n${content.trim()}\n</skill>${beside}`
}

/** Builds what a model is told instead of a message that begins with the name of one or several skills. */
export function invocation (documents: readonly string[], request: string): string {
  const which = documents.length === 1 ? 'this skill' : 'these skills'
  const wanted = request.trim() === ''
    ? `The user has started ${which} without saying more: begin, and ask for what you need.`
    : `The user's request:\n${request.trim()}`
  return `Follow the instructions of ${which} in what you do now.\n\n${documents.join('\n\n')}\n\n${wanted}`
}
