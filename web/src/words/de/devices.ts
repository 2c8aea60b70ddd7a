import { type Words } from '../en/index.js'

export const devices: Words['devices'] = {
  note:
    'Skripte, Apps, Editoren und andere Browser, die ohne dein Passwort Zugriff haben. Jedes darf nur, was sein Umfang erlaubt, ' +
    'bis es widerrufen wird.',
  none: 'Noch keine Geräte.',
  pair: 'Gerät koppeln',
  showCode: 'Code zeigen',
  pairNote: 'Das Gerät bekommt sein Token mit einem Einmalcode. Nichts Geheimes bleibt auf dem Bildschirm.',
  make: 'Token erzeugen',
  makeNote: 'Für Skripte und Apps, die ein Token nehmen. Es wird einmal angezeigt.',
  name: 'Name',
  nameHint: 'Etwa „Telefon“ oder „Backup-Skript“.',
  noName: 'Gib ihm einen Namen, damit du es erkennst, wenn du es widerrufen willst.',
  scope: 'Was es darf',
  scopes: { read: 'Lesen', chat: 'Chatten', approve: 'Freigeben', admin: 'Verwalten' },
  scopeNotes: {
    read: 'Liest Chats, Dateien und Einstellungen. Ändert nichts.',
    chat: 'Startet und stoppt auch Durchgänge und ordnet Chats. Was der Agent fragt, wartet auf dich.',
    approve: 'Beantwortet auch, was der Agent fragt, und ändert Dateien und Repositorys in Arbeitsordnern. Wer Befehle freigibt, führt sie aus.',
    admin: 'Ändert auch Einstellungen, Schlüssel, Aufgaben, Gedächtnis und andere Geräte: alles außer der Anmeldung von Personen.'
  },
  ends: 'Läuft ab',
  ending: { never: 'Wenn es widerrufen wird', month: 'Nach 30 Tagen', quarter: 'Nach 90 Tagen', year: 'Nach einem Jahr' },
  token: 'Das Token',
  tokenNote: 'Kopiere es jetzt: Es wird nicht noch einmal angezeigt. Sende es als Header Authorization: Bearer …',
  copy: 'Token kopieren',
  scan: 'Scanne das mit der Kamera des Geräts, oder öffne den Link dort.',
  local:
    'Nur dieser Computer erreicht die Adresse dieser Seite, ein anderes Gerät kann den Link also nicht öffnen. Gib den Code stattdessen dort ' +
    'auf der Seite /pair ein.',
  code: 'Code',
  waiting: (until) => `Wartet auf das Gerät. Der Code gilt einmal, bis ${until}.`,
  codeOver: 'Der Code ist abgelaufen. Beginne noch einmal.',
  paired: (name) => `„${name}“ ist gekoppelt.`,
  browser: 'Browser',
  here: 'Dieses Gerät',
  made: (when) => `Erzeugt: ${when}`,
  madeBy: (name) => `von „${name}“`,
  used: (when) => `Zuletzt benutzt: ${when}`,
  unused: 'Nie benutzt',
  until: (when) => `Läuft ab: ${when}`,
  over: 'Abgelaufen',
  rename: 'Umbenennen',
  renamed: (name) => `Umbenannt in „${name}“.`,
  revoke: 'Widerrufen',
  revokeTitle: (name) => `„${name}“ widerrufen?`,
  revokeNote:
    'Es verliert sofort den Zugriff, ebenso jedes Gerät, das es gekoppelt hat. Durchgänge, Ziele und Aufgaben, die es gestartet hat, gehen ' +
    'weiter. Das lässt sich nicht rückgängig machen.',
  revoked: (count) => count === 1 ? 'Es ist widerrufen.' : `${count} sind widerrufen: dieses und die, die es gekoppelt hat.`
}
