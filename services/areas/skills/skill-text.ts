import { fieldsOf } from '../../ground/fields.js'
import { frontMatter, line, words } from '../../ground/front-matter.js'
import { wholeTo } from '../../ground/whole-characters.js'

/** The facts in the front matter of a SKILL.md. */
export interface SkillFacts {
  /** The name in the front matter, otherwise that of the folder. */
  name: string
  description: string
  tags: string[]
  relatedSkills: string[]
  /** Systems that it is for; empty for all. */
  platforms: string[]
  /** What is wrong with the file; null if nothing is. */
  warning: string | null
}

const longestName = 64
const longestDescription = 1_024
/** Names are typed after a slash, listed in YAML and shown on one line. */
const nameForm = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u

/** Reads a SKILL.md, or the beginning of one. A broken file is still a skill, with the name of its folder and a warning. */
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
    name: isName ? name : wholeTo(folderName.replace(/[^\p{L}\p{N} ._-]/gu, '-'), longestName),
    description: line(fields['description'], longestDescription) || firstSentence(body),
    tags: words(own['tags']),
    relatedSkills: words(own['related_skills']),
    platforms: words(fields['platforms']).map((platform) => platform.toLowerCase()),
    warning
  }
}

/** Reads `metadata.<vendor>.tags` and `related_skills`; the first vendor counts. */
function vendorFields (metadata: unknown): Record<string, unknown> {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return {}
  const found: Record<string, unknown> = {}
  for (const vendor of [metadata, ...Object.values(metadata).slice(0, 20)]) {
    if (typeof vendor !== 'object' || vendor === null) continue
    for (const key of ['tags', 'related_skills']) found[key] ??= fieldsOf(vendor)[key]
  }
  return found
}

/** Returns a substitute for a missing description: the first line of text that is not a heading. */
function firstSentence (body: string): string {
  return line(body.split('\n', 50).find((text) => /^\s*[^\s#>|`<-]/.test(text)) ?? '', 200)
}
