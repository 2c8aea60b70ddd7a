import { type Absence } from '../core/machines/machines.js'
import { language, screenWords } from '../words/index.js'

/** Since when, as short as it can be: the time of a moment of today, and the day of all others as well. */
export function sayTime (seconds: number, now = new Date()): string {
  const at = new Date(seconds * 1_000)
  const isToday = at.toDateString() === now.toDateString()
  return new Intl.DateTimeFormat(language.value === 'zh' ? 'zh-CN' : 'en', {
    timeStyle: 'short', ...(!isToday && { dateStyle: 'medium' })
  }).format(at)
}

/** Beside a machine or a folder of it, in a few words: why it cannot be worked in. */
export function sayState (absence: Absence): string {
  const { brief } = screenWords.value.machines
  return absence.kind === 'away' ? brief.away(sayTime(absence.sinceS)) : brief[absence.kind]
}

/** The same of a chat, in a sentence. */
export function sayAbsence (name: string, absence: Absence, isRunning: boolean): string {
  const w = screenWords.value.machines.absent
  switch (absence.kind) {
    case 'away': return isRunning ? w.awayRunning(name, sayTime(absence.sinceS)) : w.away(name, sayTime(absence.sinceS))
    case 'refused': return absence.why === null ? w.refused(name) : w.refusedFor(name, absence.why)
    default: return w[absence.kind](name)
  }
}
