import { type Words } from '../en/index.js'

const counted = (count: number): string => `${count} ${count === 1 ? 'Schritt' : 'Schritte'}`

export const plan: Words['plan'] = {
  mode: 'Planmodus',
  modeNote: 'Der Agent liest und fragt. Er ändert nichts, bis du seinen Plan startest.',
  steps: (title, count) => `${title === '' ? 'Der Plan' : title} · ${counted(count)}`,
  open: 'Plan öffnen',
  go: 'Los',
  noSteps: 'Der Plan hat keine Schritte. Schreibe sie als Liste: - [ ] …',
  none: 'Noch kein Plan.',
  noneNote: 'Schalte unter dem Nachrichtenfeld den Planmodus ein und beschreibe die Aufgabe. Oder schreibe den Plan selbst.',
  write: 'Plan schreiben',
  edit: 'Bearbeiten',
  text: 'Der Plan in Markdown',
  version: (version, author) => `Fassung ${version}, ${author === 'agent' ? 'vom Agenten' : 'von dir bearbeitet'}`,
  started: 'Gestartet',
  comment: (line) => `Zeile ${line} kommentieren`,
  changedMeanwhile: 'Der Plan hat sich geändert, seit du begonnen hast. Dein Text ist noch da.',
  refused: {
    plan_changed: 'Der Plan wurde inzwischen geändert. Dein Text ist noch da.',
    plan_started: 'Der Plan wurde schon auf einem anderen Gerät gestartet.',
    agent_running: 'Der Agent arbeitet. Starte den Plan, wenn er fertig ist.'
  }
}
