import { type Absence } from '../core/machines/machines.js'
import { language, screenWords } from '../words/index.js'

/** Formats a time as briefly as possible: without the day if it is today. */
export function sayTime (seconds: number, now = new Date()): string {
  const at = new Date(seconds * 1_000)
  const isToday = at.toDateString() === now.toDateString()
  return new Intl.DateTimeFormat(language.value === 'zh' ? 'zh-CN' : 'en', {
    timeStyle: 'short', ...(!isToday && { dateStyle: 'medium' })
  }).format(at)
}

/** Says in a few words why a machine or its folders cannot be used. */
export function sayState (absence: Absence): string {
  const { brief } = screenWords.value.machines
  return absence.kind === 'away' ? brief.away(sayTime(absence.sinceS)) : brief[absence.kind]
}

/** Says the same for a chat, in a sentence. */
export function sayAbsence (name: string, absence: Absence, isRunning: boolean): string {
  const w = screenWords.value.machines.absent
  switch (absence.kind) {
    case 'away': return isRunning ? w.awayRunning(name, sayTime(absence.sinceS)) : w.away(name, sayTime(absence.sinceS))
    case 'refused': return absence.why === null ? w.refused(name) : w.refusedFor(name, absence.why)
    default: return w[absence.kind](name)
  }
}
