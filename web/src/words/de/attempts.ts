import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const dollars = dollarsIn('de', 0.01)
const number = formatter(() => new Intl.NumberFormat('de', { notation: 'compact', maximumFractionDigits: 1 }))
const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const attempts: Words['attempts'] = {
  none: 'Noch keine Versuche',
  noneText: 'Schreibe eine Aufgabe in das Nachrichtenfeld eines Chats und wähle im Menü daneben „Mehrmals versuchen“. Jeder Versuch arbeitet in einer eigenen Kopie.',
  all: 'Alle Versuche',
  gone: 'Diese Versuche gibt es nicht mehr.',
  count: (count) => counted(count, 'Versuch', 'Versuche'),
  carried: 'Jeder begann mit deinen noch nicht committeten Änderungen.',
  begin: {
    title: 'Mehrmals versuchen',
    note: 'Der Agent erledigt dieselbe Aufgabe mehrmals, jedes Mal in einem eigenen Git-Worktree und Chat. Du vergleichst die Ergebnisse und übernimmst eines.',
    noTask: 'Schreibe zuerst die Aufgabe in das Nachrichtenfeld.',
    count: 'Anzahl der Versuche',
    models: 'Modelle, reihum verwendet',
    addModel: 'Modell hinzufügen',
    removeModel: (name) => `${name} entfernen`,
    more: 'Check, Gutachter und Budget',
    check: 'Check',
    checkHint: 'Ein Befehl, der in jedem Ergebnis läuft, etwa npm test. Er läuft ohne Rückfrage, so abgeschottet wie die Befehle des Agenten; was Git ignoriert, etwa installierte Pakete, ist im Worktree nicht vorhanden.',
    reviewer: 'Gutachter',
    noReviewer: 'Keiner',
    budget: 'Budget in US-Dollar',
    budgetHint: 'Für alle Versuche zusammen; ist es aufgebraucht, stoppen sie.',
    go: (count) => `${counted(count, 'Versuch', 'Versuche')} starten`
  },
  columns: { attempt: 'Versuch', state: 'Stand', check: 'Check', changes: 'Änderungen', cost: 'Kosten', tokens: 'Tokens', time: 'Zeit' },
  name: (position, model) => model === null ? `Versuch ${position}` : `${position} · ${model}`,
  states: {
    waiting: 'Wartet', running: 'Arbeitet', checking: 'Wird geprüft', reviewing: 'Beim Gutachter', done: 'Fertig', failed: 'Fehlgeschlagen',
    cancelled: 'Gestoppt', stopped: 'Budget aufgebraucht'
  },
  waitsForYou: 'Wartet auf dich',
  passed: 'Bestanden',
  failed: 'Fehlgeschlagen',
  noCheck: '–',
  files: (count) => counted(count, 'Datei', 'Dateien'),
  noChange: 'Keine Änderung',
  cost: (amount) => amount === null || amount === 0 ? '–' : dollars(amount),
  tokens: (count) => number.format(count),
  tokensUsed: (count) => `${count} Tokens`,
  best: 'Vom Schiedsrichter bevorzugt',
  isTaken: 'Übernommen',
  judging: 'Der Schiedsrichter vergleicht …',
  judge: 'Schiedsrichter',
  review: 'Gutachten',
  checkOutput: 'Ausgabe des Checks',
  answer: 'Antwort',
  changes: 'Änderungen',
  openChat: 'Chat öffnen',
  take: 'Übernehmen',
  takeTitle: 'Diesen Versuch übernehmen?',
  takeNote: (files, folder) => `Seine Änderungen in ${counted(files, 'Datei', 'Dateien')} werden in ${folder} übernommen. Spätere Änderungen dort bleiben. Du kannst es eine Woche lang rückgängig machen.`,
  took: (files) => `Übernommen: ${counted(files, 'Datei', 'Dateien')} geändert.`,
  takeFile: 'Datei übernehmen',
  takeHunk: 'Abschnitt übernehmen',
  undo: 'Rückgängig',
  undone: (files) => `Rückgängig gemacht: ${counted(files, 'Datei', 'Dateien')} geändert.`,
  stop: 'Alle stoppen',
  remove: 'Worktrees entfernen',
  removeTitle: 'Die Worktrees entfernen?',
  removeNote: 'Änderungen darin, die du nicht übernommen hast und die niemand committet hat, gehen verloren. Die Chats bleiben.',
  removed: 'Worktrees entfernt.',
  noWorktree: 'Sein Worktree wurde entfernt.',
  kept: (when) => `Die Worktrees werden entfernt: ${when}.`,
  budget: (used, limit) => `${used} von ${limit} verbraucht`,
  binary: 'Binärdatei'
}
