import { type Static } from '@sinclair/typebox'
import { ImportedSkills, UndoneImport, type InspectedSkill } from '../../schemas/skills.js'
import { commandLine } from '../../services/ground/command-line.js'
import { visible } from '../../services/ground/text/visible.js'
import { CommandFailed, hasFlag, textOf, WrongUsage, type CommandLine, type Run } from '../command.js'
import { runningService } from '../service.js'
import { archiveAt, inspectArchive } from '../skills.js'
import { counted } from '../words.js'

type Inspected = Static<typeof InspectedSkill>
const choices = ['replace', 'keep-both', 'skip'] as const

/** Shows what an archive or a folder contains, and imports it unless a choice is missing. */
export const run: Run = async (asked) => {
  const { operands: [path] } = asked
  if (path === undefined) throw new WrongUsage('Name an archive or a folder')
  const choice = choiceOf(asked)
  const service = await runningService()
  const inspection = await inspectArchive(await archiveAt(path))
  const usable = inspection.skills.filter(({ problem }) => problem === null)
  const chosen = choice === 'skip' ? usable.filter(({ conflict }) => conflict === null) : usable
  const conflicts = usable.filter(({ conflict }) => conflict !== null)
  const isRefused = choice === null && conflicts.length > 0
  const shown = inspection.skills.map(described).join('\n')
  if (hasFlag(asked, 'check') || isRefused || chosen.length === 0) {
    await service.ask('/api/skills/import/undo', UndoneImport, { id: inspection.id })
    if (hasFlag(asked, 'check')) return { text: shown, value: { skills: inspection.skills, imported: [] } }
    throw new CommandFailed(isRefused
      ? `The profile already has: ${conflicts.map(({ name }) => name).join(', ')}. Nothing was imported. Choose with --on-conflict: ${choices.join(', ')}`
      : `Nothing was imported.\n${shown}`)
  }
  const { imported } = await service.ask('/api/skills/import', ImportedSkills, {
    id: inspection.id, category: textOf(asked, 'category') ?? null,
    skills: chosen.map(({ id }) => ({ id, on_conflict: choice === 'replace' ? 'replace' : choice === 'keep-both' ? 'keep_both' : 'refuse' }))
  })
  const said = imported.map(({ name, path, replaced }) => `${replaced ? 'Replaced' : 'Imported'} ${name} (${path})`)
  return {
    text: [shown, '', ...said, `To undo this within a day: ${commandLine(`skills undo ${inspection.id}`)}`].join('\n'),
    value: { undo: inspection.id, skills: inspection.skills, imported }
  }
}

function choiceOf (asked: CommandLine): typeof choices[number] | null {
  const text = textOf(asked, 'on-conflict')
  const found = choices.find((choice) => choice === text)
  if (text !== undefined && found === undefined) throw new WrongUsage(`--on-conflict must be one of ${choices.join(', ')}`)
  return found ?? null
}

function described ({ name, description, files, warning, problem, conflict, hides }: Inspected): string {
  const scripts = files.filter(({ script }) => script).map(({ path }) => visible(path))
  return [
    `${visible(name)}: ${visible(description) || 'no description'} (${counted(files.length, 'file')})`,
    ...(scripts.length === 0 ? [] : [`  Scripts: ${scripts.join(', ')}`]),
    ...(conflict === null ? [] : [`  The profile has a skill of this name, with ${conflict.same ? 'the same' : 'other'} files.`]),
    ...(hides.length === 0 ? [] : [`  It replaces a skill of this name (${hides.join(', ')}).`]),
    ...(warning === null ? [] : [`  Warning: ${warning}`]),
    ...(problem === null ? [] : [`  Cannot be imported: ${problem}`])
  ].join('\n')
}
