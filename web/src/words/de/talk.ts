import { type Words } from '../en/index.js'

/** Texts for parts of a chat that are loaded on first use. */
export const talk: Words['talk'] = {
  commit: {
    writing: 'Eine Commit-Nachricht wird geschrieben …',
    files: (count) => count === 1 ? '1 Datei committen' : `${count} Dateien committen`
  },
  results: {
    gone: (path) => `${path} lässt sich nicht anzeigen: Die Datei gibt es nicht, oder sie darf hier nicht geöffnet werden.`,
    open: (name) => `${name} neben dem Chat anzeigen`,
    openInTab: (name) => `${name} in einem neuen Tab öffnen`,
    download: (name) => `${name} herunterladen`,
    text: 'Text anzeigen',
    noText: 'Dieses Dokument hat keinen lesbaren Text.'
  },
  outline: {
    title: 'Gliederung',
    search: 'Gliederung durchsuchen',
    none: 'Noch keine Nachrichten',
    noMatches: (text) => `Nichts passt zu „${text}“.`,
    cut: 'Nur der letzte Teil dieses langen Chats steht hier.',
    current: 'Du bist hier',
    goal: 'Ziel',
    cron: 'Geplante Aufgabe',
    note: 'Während der Arbeit hinzugefügt',
    filesOnly: 'Nachricht ohne Text',
    notThere: 'Diese Stelle wurde nicht gefunden. Vielleicht hat sich der Chat geändert: Versuche es noch einmal.'
  },
  worktree: {
    title: 'Worktree dieses Chats',
    none: 'Dieser Chat hat keinen Worktree mehr. Er arbeitet im Repository selbst.',
    branch: 'Branch',
    folder: 'Ordner',
    repository: 'Repository',
    gone: 'Den Ordner gibt es nicht mehr, deshalb kann der Chat nicht darin arbeiten.',
    clean: 'Alle Änderungen sind committet.',
    dirty: (count) => count === 1 ? '1 Datei hat Änderungen, die nicht committet sind.' : `${count} Dateien haben Änderungen, die nicht committet sind.`,
    untracked: (count) => count === 1 ? '1 Datei wird von Git nicht verfolgt.' : `${count} Dateien werden von Git nicht verfolgt.`,
    ahead: (count) => count === 1 ? '1 Commit ist auf keinem anderen Branch.' : `${count} Commits sind auf keinem anderen Branch.`,
    merged: 'Das Repository hat alle seine Commits.',
    elsewhere: 'Alle seine Commits sind auch auf anderen Branches.',
    locked: 'Git hat ihn gesperrt. Führe zuerst „git worktree unlock“ aus.',
    whileRunning: 'Der Agent arbeitet darin. Du kannst ihn entfernen, wenn der Agent fertig ist.',
    remove: 'Worktree entfernen',
    removeAnyway: 'Trotzdem entfernen',
    goOn: 'Im Repository weitermachen',
    losesChanges: 'Entfernst du ihn trotzdem, gehen Änderungen, die nicht committet sind, und von Git ignorierte Dateien verloren.',
    keepsCommits: (branch) => `Entfernst du ihn trotzdem, verschwindet der Ordner, und die Commits bleiben auf ${branch}.`,
    removed: 'Worktree entfernt. Der Chat geht im Repository weiter.',
    removedKept: (branch) => `Worktree entfernt. Der Branch ${branch} bleibt, und der Chat geht im Repository weiter.`
  }
}
