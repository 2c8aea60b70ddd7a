import { fieldsOf } from '../../ground/fields.js'
import { frontMatter, line, words } from '../../ground/front-matter.js'

/** What the front matter of a SKILL.md says. */
export interface SkillFacts {
  /** As the front matter has it, else the name of the folder. */
  name: string
  description: string
  tags: string[]
  relatedSkills: string[]
  /** Systems it is for; empty = all. */
  platforms: string[]
  /** What is wrong with the file; null when nothing is. */
  warning: string | null
}

const longestName = 64
const longestDescription = 1_024
/** Names are typed behind a slash, listed in YAML and shown in one line. */
const nameForm = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u

/** Reads a SKILL.md, or the beginning of one. A broken one is a skill by the name of its folder, with a warning. */
export function skillFacts (text: string, folderName: string): SkillFacts {
  const { fields, body, problem } = frontMatter(text)
  const own = { ...vendorFields(fields['metadata']), ...fields }
  const name = line(fields['name'], longestName + 1)
  const isName = name.length <= longestName && nameForm.test(name)
  const warning = problem ??
    (fields['name'] === undefined
      ? 'The front matter has no name.'
      : isName ? null : `The name is not one: letters, digits, spaces, ".", "_" and "-", ${longestName} characters at most.`) ??
    (line(fields['description'], 10) === '' ? 'The front matter has no description.' : null)
  return {
    name: isName ? name : folderName.replace(/[^\p{L}\p{N} ._-]/gu, '-').slice(0, longestName).replace(/[\uD800-\uDBFF]$/, ''),
    description: line(fields['description'], longestDescription) || firstSentence(body),
    tags: words(own['tags']),
    relatedSkills: words(own['related_skills']),
    platforms: words(fields['platforms']).map((platform) => platform.toLowerCase()),
    warning
  }
}

/** `metadata.<vendor>.tags` and `related_skills`: whoever says it first. */
function vendorFields (metadata: unknown): Record<string, unknown> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return {}
  const found: Record<string, unknown> = {}
  for (const vendor of [metadata, ...Object.values(metadata).slice(0, 20)]) {
    if (typeof vendor !== 'object' || vendor === null) continue
    for (const key of ['tags', 'related_skills']) found[key] ??= fieldsOf(vendor)[key]
  }
  return found
}

/** In the place of a description: the first line of the text that is no heading. */
function firstSentence (body: string): string {
  return line(body.split('\n', 50).find((text) => /^\s*[^\s#>|`<-]/.test(text)) ?? '', 200)
}
