import { fieldsOf, isRecord } from '../../ground/fields.js'
import { frontMatter, line, words } from '../../ground/text/front-matter.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { faultsOf, longestDescription, longestName, sentences } from './specification.js'

/** The facts in the front matter of a SKILL.md. */
export interface SkillFacts {
  /** The name in the front matter, otherwise that of the folder. */
  name: string
  description: string
  tags: string[]
  relatedSkills: string[]
  /** Systems that it is for; empty for all. */
  platforms: string[]
  /** Where the file departs from the Agent Skills specification, in sentences; null if nowhere. */
  warning: string | null
}

const systems = new Set(['macos', 'linux', 'windows'])
/** Wider than the specification, for skills that other agents accept. Names are typed after a slash, listed in YAML, shown on one line. */
const nameForm = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u

/** Reads a SKILL.md, or the beginning of one. A broken file is still a skill, with the name of its folder and a warning. */
export function skillFacts (text: string, folderName: string): SkillFacts {
  const read = frontMatter(text)
  const { fields, body } = read
  const own = { ...vendorFields(fields['metadata']), ...fields }
  const name = line(fields['name'], longestName + 1)
  const isName = name.length <= longestName && nameForm.test(name)
  const faults = faultsOf(read, folderName)
  return {
    name: isName ? name : wholeTo(folderName.replace(/[^\p{L}\p{N} ._-]/gu, '-'), longestName),
    description: line(fields['description'], longestDescription) || firstSentence(body),
    tags: words(own['tags']),
    relatedSkills: words(own['related_skills']),
    platforms: words(own['platforms']).map((platform) => platform.toLowerCase()),
    warning: faults.length === 0 ? null : sentences(faults)
  }
}

/**
 * Reads `tags`, `related_skills` and `platforms` of `metadata`, or of a vendor below it; the first vendor counts. Platforms that are not
 * systems mean something else and are left out, because they would hide the skill.
 */
function vendorFields (metadata: unknown): Record<string, unknown> {
  if (!isRecord(metadata)) return {}
  const found: Record<string, unknown> = {}
  for (const vendor of [metadata, ...Object.values(metadata).slice(0, 20)]) {
    if (typeof vendor !== 'object' || vendor === null) continue
    for (const key of ['tags', 'related_skills']) found[key] ??= fieldsOf(vendor)[key]
    const { platforms } = fieldsOf(vendor)
    if (words(platforms).every((platform) => systems.has(platform.toLowerCase()))) found['platforms'] ??= platforms
  }
  return found
}

/** Returns a substitute for a missing description: the first line of text that is not a heading. */
function firstSentence (body: string): string {
  return line(body.split('\n', 50).find((text) => /^\s*[^\s#>|`<-]/.test(text)) ?? '', 200)
}
