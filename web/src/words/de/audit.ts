import { type Words } from '../en/index.js'

export const audit: Words['audit'] = {
  note:
    'Wer sich angemeldet hat und was erlaubt, geändert, gelöscht, exportiert und geteilt wurde. Einträge lassen sich nicht ändern; sie bleiben ' +
    'ein Jahr, wenn der Administrator nichts anderes festgelegt hat.',
  search: 'Protokoll durchsuchen',
  kind: 'Art',
  all: 'Alles',
  groups: {
    attempts: 'Versuche', check: 'Checks', pull: 'Pull Requests', hook: 'Hooks', plan: 'Pläne', mode: 'Planmodus',
    auth: 'Anmeldungen und Passwörter', passkey: 'Passkeys', device: 'Geräte und Tokens', pairing: 'Kopplung', approval: 'Freigaben',
    question: 'Fragen', grant: 'Dauerregeln', yolo: 'Ausführen ohne Rückfrage', settings: 'Einstellungen', config: 'Konfiguration',
    key: 'Schlüssel', mcp: 'MCP-Server', plugin: 'Plugins', skill: 'Skills', memory: 'Gedächtnis', profile: 'Profile', job: 'Aufgaben',
    session: 'Chats', project: 'Projekte', share: 'Geteilte Seiten', file: 'Dateien', trash: 'Papierkorb', checkpoint: 'Sicherungspunkte',
    git: 'Git', backup: 'Backups', update: 'Updates', machine: 'Rechner', audit: 'Dieses Protokoll'
  },
  actions: {
    switchedOn: 'eingeschaltet', switchedOff: 'ausgeschaltet',
    sign_in: 'angemeldet', sign_out: 'abgemeldet', password: 'Passwort gesetzt oder entfernt',
    passwordless: 'Anmeldung ohne Passwort umgestellt', open_acknowledged: 'offenen Zugang bestätigt', registered: 'registriert',
    renamed: 'umbenannt', deleted: 'gelöscht', created: 'erstellt', revoked: 'widerrufen', begun: 'Code erstellt',
    ended: 'abgebrochen', completed: 'abgeschlossen', answered: 'beantwortet', added: 'hinzugefügt', removed: 'entfernt',
    switched: 'ein- oder ausgeschaltet', started: 'begonnen', changed: 'geändert', set: 'gesetzt',
    server: 'hinzugefügt, geändert oder entfernt', saved: 'gespeichert', imported: 'importiert',
    import_undone: 'Import rückgängig gemacht', cut: 'letzte Nachrichten entfernt', exported: 'exportiert',
    attached: 'hier fortgesetzt', restored: 'wiederhergestellt', discarded: 'Änderungen verworfen', pushed: 'gepusht',
    taken: 'übernommen', taken_back: 'zurückgenommen', stopped: 'gestoppt', opened: 'eröffnet', ready: 'bereit zur Durchsicht',
    commented: 'kommentiert', resolved: 'Thema erledigt oder wieder offen', merged: 'zusammengeführt', closed: 'geschlossen',
    applied: 'installiert', joined: 'beigetreten', left: 'getrennt', forgotten: 'aus der Liste entfernt',
    trimmed: 'alte Einträge entfernt'
  },
  said: (group, action) => `${group}: ${action}`,
  when: 'Wann',
  who: 'Wer',
  none: 'Keine Einträge.',
  older: 'Ältere Einträge anzeigen',
  csv: 'Als CSV exportieren',
  ndjson: 'Als NDJSON exportieren',
  open: 'Alle, die den Dienst erreichen',
  actors: { person: 'Angemeldet', device: 'Ein Gerät', nobody: 'Nicht angemeldet', agent: 'Der Agent', service: 'Der Dienst', console: 'Die Kommandozeile' },
  outcomes: { failed: 'fehlgeschlagen', throttled: 'zu viele Versuche' }
}
