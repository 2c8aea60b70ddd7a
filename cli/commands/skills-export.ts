import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { codeOf } from '../../services/ground/errors.js'
import { CommandFailed, textOf, WrongUsage, type Run } from '../command.js'
import { runningService } from '../service.js'
import { exportedSkills } from '../skills.js'
import { counted } from '../words.js'

export const run: Run = async (asked) => {
  const { operands: names } = asked
  const [only, ...others] = names
  if (only === undefined) throw new WrongUsage('Name the skills to export')
  const path = resolve(textOf(asked, 'output') ?? (others.length === 0 ? `${only.replaceAll(/[^\p{L}\p{N}._-]/gu, '-')}.zip` : 'skills.zip'))
  await runningService()
  const archive = await exportedSkills(names)
  await writeFile(path, archive, { flag: 'wx' }).catch((error: unknown) => {
    throw codeOf(error) === 'EEXIST' ? new CommandFailed(`${path} exists already. Give another file with --output`) : error
  })
  return { text: `Exported ${counted(names.length, 'skill')} to ${path}`, value: { path, skills: names, bytes: archive.length } }
}
