import { constants } from 'node:fs'
import { chmod, open } from 'node:fs/promises'
import { join } from 'node:path'
import { DomainError } from '../../ground/errors.js'
import { frontMatter, line } from '../../ground/text/front-matter.js'
import { refuseOwnSecrets } from '../../ground/redaction/index.js'
import { withoutUnseenWords } from '../../ground/text/visible.js'
import { wholeTo } from '../../ground/text/whole-characters.js'
import { type ArchivedSkill } from './archived-skills.js'
import { readSkillFile } from './linked-files.js'
import { skillName } from './own-skills.js'
import { skillFile } from './scan.js'
import { skillFacts } from './skill-text.js'
import { longestName } from './specification.js'

interface InspectedFile { path: string, sizeBytes: number, isExecutable: boolean, isScript: boolean }

/** A skill of an archive, as a person sees it before it is saved. */
export interface InspectedSkill {
  /** Its folder in the archive, which identifies it; `.` for the archive's top. */
  id: string
  /** The name under which it would be saved. */
  name: string
  description: string
  /** Where it departs from the specification, and what a reader would not see, in sentences; null: nowhere. */
  warning: string | null
  /** Why it cannot be saved; null: it can. */
  problem: string | null
  /** The beginning of its SKILL.md. */
  content: string
  files: InspectedFile[]
}

const shownChars = 32 * 1024
const script = /(?:^|\/)scripts\/|\.(?:sh|bash|zsh|fish|py|rb|pl|php|lua|js|mjs|cjs|ts|mts|ps1|bat|cmd|exe|jar|so|dylib|dll|wasm)$/i

/**
 * Describes a skill that was unpacked into a folder (absolute). If the archive marks none of its files as executable, those that begin with
 * `#!` become executable, because browsers and some systems do not know the mark.
 * @param stem name of the skill if it has no folder of its own
 */
export async function inspectedSkill (folder: string, skill: ArchivedSkill, stem: string): Promise<InspectedSkill> {
  const files = await filesOf(folder, skill.files)
  const id = skill.folder === '' ? '.' : skill.folder
  const folderName = skill.folder === '' ? stem : skill.folder.slice(skill.folder.lastIndexOf('/') + 1)
  let text = ''
  try {
    text = (await readSkillFile(folder, skillFile)).text
    refuseOwnSecrets('The skill', [text], null)
    const name = nameOf(text, folderName)
    const { description, warning } = skillFacts(text, name)
    const unseen = withoutUnseenWords(text) === text ? null : 'It contains characters that are not shown.'
    const rest = text.length > shownChars ? 'It is longer than what is shown here.' : null
    const said = [warning, unseen, rest].filter((sentence) => sentence !== null).join(' ')
    return { id, name, description, warning: said === '' ? null : said, problem: null, content: wholeTo(text, shownChars), files }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const name = line(folderName, longestName)
    return { id, name, description: '', warning: null, problem: error.message, content: wholeTo(text, shownChars), files }
  }
}

/** Returns the name in the front matter, otherwise that of the folder. Throws Invalid if neither can be a name. */
export function nameOf (text: string, folderName: string): string {
  const named = line(frontMatter(text).fields['name'], longestName + 1)
  try {
    return skillName(named)
  } catch {
    return skillName(folderName)
  }
}

async function filesOf (folder: string, paths: readonly string[]): Promise<InspectedFile[]> {
  const files: Array<InspectedFile & { isProgram: boolean }> = []
  for (const path of paths) {
    const handle = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const { size, mode } = await handle.stat()
      const head = Buffer.alloc(2)
      await handle.read(head, 0, head.length, 0)
      const [isExecutable, isProgram] = [(mode & 0o111) !== 0, head.toString() === '#!']
      files.push({ path, sizeBytes: size, isExecutable, isProgram, isScript: isExecutable || isProgram || script.test(path) })
    } finally {
      await handle.close()
    }
  }
  if (files.some(({ isExecutable }) => isExecutable)) return files
  for (const file of files.filter(({ isProgram }) => isProgram)) {
    await chmod(join(folder, file.path), 0o755)
    file.isExecutable = true
  }
  return files
}
