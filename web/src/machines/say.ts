import { type Absence } from '../core/machines/machines.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'

/** Describes in a few words why a machine or its folders cannot be used. */
export function sayState (absence: Absence): string {
  const { brief } = screenWords.value.machines
  return absence.kind === 'away' ? brief.away(times.at(absence.sinceS)) : brief[absence.kind]
}

/** Describes the same for a chat, in a sentence. */
export function sayAbsence (name: string, absence: Absence, isRunning: boolean): string {
  const w = screenWords.value.machines.absent
  switch (absence.kind) {
    case 'away': return isRunning ? w.awayRunning(name, times.at(absence.sinceS)) : w.away(name, times.at(absence.sinceS))
    case 'refused': return absence.why === null ? w.refused(name) : w.refusedFor(name, absence.why)
    default: return w[absence.kind](name)
  }
}

/** Describes why the folder of a chat cannot be shown, in a sentence. */
export const sayFolderAbsence = (name: string, absence: Absence): string => absence.kind === 'away'
  ? screenWords.value.machines.absent.folderAway(name, times.at(absence.sinceS))
  : sayAbsence(name, absence, false)
