import { dollarsIn } from '../dollars.js'
import { type Words } from '../en/index.js'

const dollars = dollarsIn('de', 0)

/** The label and note of each setting and part of a page. */
const keys: Words['settings']['keys'] = {
  theme: ['Farben', 'Auf diesem Gerät.'],
  density: ['Dichte', 'Auf diesem Gerät, mit einer Maus. Kompakt zeigt mehr Zeilen.'],
  own_language: ['Sprache', 'Auf diesem Gerät.'],
  language: ['Standardsprache', 'Für Geräte, auf denen du keine Sprache gewählt hast.'],
  font_size: ['Textgröße', 'Auf allen Geräten, zusätzlich zu deren eigenem Zoom.'],
  rtl: ['Von rechts nach links', 'Spiegelt die Anordnung; jeder Text behält seine eigene Richtung.'],
  pinned_sessions_limit: ['Höchstzahl angehefteter Chats', 'Angeheftete Chats bleiben oben in der Liste.'],
  show_cron_sessions: ['Chats geplanter Aufgaben', 'Zeigt die Läufe von Aufgaben unter den Chats.'],
  show_cli_sessions: ['Chats anderer Programme', 'Zeigt Chats von Kommandozeilen-Agenten auf diesem Rechner, zum Lesen und Abzweigen.'],
  show_claude_code_sessions: ['Chats von Claude Code', 'Zeigt Chats von Claude Code auf dieselbe Weise.'],
  send_key: ['Senden mit', 'Die andere Taste beginnt eine neue Zeile. Strg oder ⌘ mit Enter sendet immer.'],
  hide_empty_state_suggestions: ['Beispiele in leeren Chats ausblenden', 'Die Startseite hat dann nur das Nachrichtenfeld.'],
  onboarding_completed: ['Erste Schritte erledigt', 'Aus: Ein leerer Chat zeigt, wie du ein Modell verbindest.'],
  single_keys: ['Kürzel mit einer Taste', 'J und K wechseln zwischen Chats, solange du nicht tippst. Auf diesem Gerät.'],
  shortcuts: ['Alle Kürzel', 'Jede Taste und was sie tut.'],
  push: ['Push-Benachrichtigungen', 'Dieses Gerät sagt dir, was wartet und was fertig ist, auch wenn kein Fenster offen ist.'],
  push_quiet_from: ['Ruhezeit ab', 'Von da an werden Benachrichtigungen zurückgehalten. Leer: keine Ruhezeit.'],
  push_quiet_until: ['Ruhezeit bis', 'Dann kommen die zurückgehaltenen Benachrichtigungen, alles Beendete in einer einzigen.'],
  push_quiet_waiting: ['Freigaben und Fragen durchlassen', 'Sie melden sich auch in der Ruhezeit.'],
  push_digest_at: ['Tägliche Zusammenfassung um', 'Eine Benachrichtigung am Tag nennt alles, was gut ausging, statt jeweils einer eigenen. Leer: keine Zusammenfassung.'],
  push_time_zone: ['Zeitzone dieser Zeiten', 'Etwa Europe/Berlin. Leer: die des Servers.'],
  tts_enabled: ['Antworten vorlesen', 'Eine Schaltfläche an jeder Antwort.'],
  tts_auto_read: ['Jede Antwort automatisch vorlesen', 'Beginnt, wenn die Antwort vollständig ist.'],
  voice_mode_button: ['Sprachmodus', 'Eine Schaltfläche für ein gesprochenes Gespräch.'],
  voice_continuous: ['Weiter zuhören', 'Nach einer Antwort hört der Sprachmodus wieder zu.'],
  tts_engine: ['Sprachausgabe', 'Dieses Gerät oder der Server.'],
  tts_rate: ['Tempo', '1 ist normal.'],
  tts_pitch: ['Tonhöhe', '1 ist normal.'],
  voice_silence_ms: ['Stille, die eine Aufnahme beendet', 'Eine längere Pause lässt dich nachdenken.'],
  bot_name: ['Name des Assistenten', 'Steht über der Liste und bei der Anmeldung. Leer: der Name, den der Administrator festgelegt hat.'],
  default_workspace: [
    'Ordner neuer Chats', 'Ein vorhandener Ordner, hier oder auf einem anderen Rechner (name:/pfad). Leer: der Ordner, den der Administrator festgelegt hat.'
  ],
  max_tokens: ['Längste Antwort', 'Leer: das Limit des Anbieters.'],
  auto_title_refresh_every: ['Chattitel aktualisieren', 'Ein Titel, den du nicht gesetzt hast, folgt dem Thema des Chats.'],
  personalities: ['Persönlichkeiten', 'Wie der Agent spricht. Wähle eine in einem Chat, neben seinem Modell.'],
  default_model: ['Standardmodell', 'Antwortet in neuen Chats. Ersatzmodelle und Modelle für einzelne Aufgaben stehen am selben Ort.'],
  provider_keys: ['Schlüssel der Anbieter', 'Die Schlüssel von OpenAI, Anthropic und anderen bleiben auf deinem Server.'],
  rules: ['Dauerregeln', 'In jedem Chat dieses Profils tut der Agent das ohne Rückfrage. Wenn du eine Regel widerrufst, fragt er sofort wieder.'],
  agents: [
    'Agenten anderer Hersteller',
    'Sie können Durchgänge anstelle des eingebauten Agenten ausführen. Jeder verwendet nur Modi, in denen er fragt, bevor er handelt, wenn du keinen anderen erlaubst.'
  ],
  budget_turn: ['Budget pro Durchgang', 'Warnt oder hält innerhalb einer Antwort an.'],
  budget_session: ['Budget pro Chat', 'Warnt oder hält an, wenn ein Chat so viel verbraucht hat.'],
  budget_attempts: ['Budget pro Satz von Versuchen', 'Hält alle Versuche an einer Aufgabe zusammen an.'],
  budget_job: ['Budget pro Lauf einer Aufgabe', 'Warnt oder hält einen Lauf einer geplanten Aufgabe an.'],
  budget_day: ['Budget pro Tag', 'Warnt oder hält alles in diesem Profil bis Mitternacht an.'],
  profiles: ['Profile', 'Jedes hat eigene Modelle, Schlüssel, ein eigenes Gedächtnis und eigene Einstellungen.'],
  password: ['Passwort', 'Schützt diesen Dienst. Eine Änderung beendet jede andere Anmeldung.'],
  passkeys: ['Passkeys', 'Anmelden mit Fingerabdruck, Gesicht oder Sicherheitsschlüssel.'],
  oidc: ['Single Sign-on', 'Anmelden mit einem Konto, das du anderswo hast (OpenID Connect).'],
  session_ttl_seconds: ['Angemeldet bleiben für', 'Ältere Anmeldungen enden sofort.'],
  sign_out: ['Abmelden', 'Beendet die Anmeldung dieses Browsers. Um alle anderen zu beenden, ändere das Passwort.'],
  pairing: ['Gerät koppeln', 'Ein Telefon oder ein anderer Browser bekommt Zugriff mit einem Code, der einmal gilt.'],
  tokens: ['Tokens für Programme', 'Anderswo heißen sie API-Schlüssel. Jedes darf nur, was sein Umfang erlaubt, bis du es widerrufst.'],
  shares: ['Geteilte Seiten', 'Alle, die den Link haben, können sie lesen. Hier beendest du das Teilen.'],
  tool_servers: ['MCP-Server', 'Geben dem Agenten weitere Werkzeuge, etwa einen Kalender oder eine Datenbank.'],
  machines: ['Rechner', 'Andere Computer, auf denen der Agent arbeiten kann.'],
  plugins: ['Plugins', 'Ordner mit Befehlen, Skills und MCP-Servern, ausgeschaltet, bis du sie durchgesehen hast.'],
  api_redact_enabled: [
    'Zugangsdaten unkenntlich machen', 'Schlüssel und Passwörter werden überall unkenntlich, wo Text den Server verlässt. Geteilte Seiten und Fehler sind es immer.'
  ],
  import: ['Chat importieren', 'Ein JSON-Export, oder Nachrichten im Format von Chat Completions.'],
  export: ['Chat exportieren', 'JSON lässt sich wieder importieren; die Seite ist eine einzelne Datei zum Lesen.'],
  backups: ['Backups', 'Automatisch erstellte Kopien der Datenbank.'],
  archive: ['Archivierte Chats', 'Nicht in der Liste, aber aufgehoben. Hier holst du sie zurück.'],
  audit: ['Audit-Protokoll', 'Wer wann was geändert oder erlaubt hat, und wer sich angemeldet hat.'],
  diagnostics: ['Diagnose', 'Findet, was am Dienst und an der Verbindung nicht stimmt, und sagt, wie es zu beheben ist.'],
  version: ['Version', 'Was hier läuft, was neu ist, und die Lizenz.'],
  check_for_updates: ['Automatisch nach Updates suchen', 'Aus: nur wenn du hier danach fragst.'],
  update_channel: ['Kanal', 'Stabil: Veröffentlichungen. Experimentell: der neueste Stand.'],
  network: ['Netz', 'Adresse, Port, Proxy und erlaubte Herkünfte des Dienstes.']
}

export const settings: Words['settings'] = {
  title: 'Einstellungen',
  search: 'Einstellungen suchen',
  clearSearch: 'Suche leeren',
  hits: (count, text) => `${count === 0 ? 'Keine Einstellungen' : count === 1 ? '1 Einstellung' : `${count} Einstellungen`} zu „${text}“`,
  toMove: 'zum Bewegen',
  toChange: 'zum Ändern',
  notMeant: 'Nicht gefunden, was du meinst?',
  ask: (text) => `Den Agenten nach „${text}“ fragen`,
  question: (text) => `Welche Einstellung dieser App hat mit „${text}“ zu tun, und was bewirkt sie?`,
  open: 'Öffnen',
  all: 'Alle Einstellungen',
  inGroup: (group, page) => `${group}, ${page}`,
  byAdministrator: 'Vom Administrator festgelegt.',
  keys,
  units: { session_ttl_seconds: 'Tage', voice_silence_ms: 'Sekunden', max_tokens: 'Tokens' },
  choice: (value) => ({
    0: 'Nie', 5: 'Alle 5 Durchgänge', 10: 'Alle 10 Durchgänge', 20: 'Alle 20 Durchgänge', small: 'Klein', default: 'Normal', large: 'Groß',
    xlarge: 'Sehr groß', enter: 'Enter', 'ctrl+enter': 'Strg Enter', 'shift+enter': 'Umschalt Enter', browser: 'Dieses Gerät',
    engine_default: 'Der Server: espeak-ng', engine_keyed_a: 'Der Server: ElevenLabs', engine_keyed_b: 'Der Server: OpenAI',
    stable: 'Stabil', experimental: 'Experimentell', light: 'Hell', dark: 'Dunkel', system: 'Wie das Gerät', comfortable: 'Bequem', compact: 'Kompakt'
  }[value] ?? value),
  groups: { you: 'Du', agent: 'Agent', access: 'Zugang', connections: 'Verbindungen', data: 'Daten' },
  pages: {
    appearance: 'Aussehen', writing: 'Schreiben', shortcuts: 'Tastenkürzel', notifications: 'Benachrichtigungen', voice: 'Stimme',
    behaviour: 'Verhalten', models: 'Modelle', permissions: 'Berechtigungen', budgets: 'Budgets', profiles: 'Profile',
    'sign-in': 'Anmeldung', devices: 'Geräte und Tokens', shares: 'Geteilte Seiten', 'tool-servers': 'MCP-Server', machines: 'Rechner',
    plugins: 'Plugins', privacy: 'Privatsphäre', transfer: 'Import und Export', archive: 'Archiv', audit: 'Audit-Protokoll',
    diagnostics: 'Diagnose', about: 'Über'
  },
  olderChats: 'Auch ältere Chats anzeigen',
  asService: 'Wie der Standard',
  saved: (name) => `${name}: gespeichert`,
  needsNumber: (min, max) => `Gib eine Zahl von ${min.toLocaleString('de')} bis ${max.toLocaleString('de')} ein.`,
  broken: 'Die Konfiguration lässt sich nicht lesen. Die vorigen Einstellungen gelten weiter.',
  problems: 'Probleme in der Konfiguration',
  problem: (level, said) => `${level === 'error' ? 'Dieser Wert ist ungültig und zählt als nicht gesetzt.' : 'Dieser Schlüssel ist unbekannt und hat keine Wirkung.'} (${said})`,
  line: (line) => `Zeile ${line}`,
  budgetsNote: '„Warnen“ gibt einen Hinweis, „Anhalten“ hält an und fragt dich. Leer heißt: kein Limit.',
  needsMoney: 'Gib einen Betrag über 0 ein, oder lass das leer.',
  needsTokens: 'Gib eine ganze Zahl über 0 ein, oder lass das leer.',
  toUsage: 'Verbrauch öffnen',
  usedToday: (tokens, usd) => `Heute verbraucht: ${tokens.toLocaleString('de')} Tokens, ${dollars(usd)}`,
  limits: { soft_usd: 'Warnen, US$', hard_usd: 'Anhalten, US$', soft_tokens: 'Warnen, Tokens', hard_tokens: 'Anhalten, Tokens' },
  gate: {
    open: 'Keine Anmeldung nötig: Alle, die diese Adresse erreichen, können den Dienst benutzen.',
    closed: 'Eine Anmeldung ist nötig.',
    set: 'Passwort festlegen',
    change: 'Passwort ändern',
    clear: 'Passwort entfernen',
    clearNote: 'Beendet alle Anmeldungen, löscht alle Passkeys und lässt den Dienst offen.',
    current: 'Aktuelles Passwort',
    next: 'Neues Passwort',
    again: 'Neues Passwort wiederholen',
    differ: 'Die beiden stimmen nicht überein.',
    empty: 'Es darf nicht leer sein.',
    changed: 'Das Passwort ist geändert. Jede andere Anmeldung ist beendet.',
    cleared: 'Das Passwort ist entfernt. Der Dienst ist offen.',
    reveal: 'Passwort anzeigen',
    acknowledge: 'Ich weiß, dass dieser Dienst offen ist',
    signOut: 'Abmelden'
  },
  passkeys: {
    off: 'Passkeys sind in diesem Dienst ausgeschaltet. Der Administrator kann sie einschalten.',
    needsGate: 'Lege zuerst ein Passwort fest: Passkeys ergänzen es.',
    unsafe: 'Dieser Browser unterstützt Passkeys nur über https oder auf localhost.',
    none: 'Noch keine Passkeys.',
    add: 'Passkey hinzufügen',
    nameOf: 'Name des Passkeys',
    usual: 'Dieses Gerät',
    added: (name) => `Passkey „${name}“ ist hinzugefügt.`,
    cancelled: 'Es wurde kein Passkey erzeugt. Vielleicht hat dieses Gerät schon einen.',
    rename: 'Umbenennen',
    renamed: (name) => `Umbenannt in „${name}“.`,
    remove: 'Löschen',
    removeTitle: (name) => `Passkey „${name}“ löschen?`,
    removeNote: 'Damit ist keine Anmeldung mehr möglich, und seine Anmeldungen enden. Das lässt sich nicht rückgängig machen.',
    removed: (name) => `Passkey „${name}“ ist gelöscht.`,
    used: (when) => `Zuletzt benutzt: ${when}`,
    unused: 'Nie benutzt',
    made: (when) => `Erzeugt: ${when}`,
    passwordless: 'Nur Passkeys',
    passwordlessNote: 'Passwörter werden nicht mehr angenommen.'
  },
  oidc: {
    title: 'OpenID Connect',
    on: (name) => `Die Anmeldung mit ${name} ist möglich. Vom Administrator festgelegt.`,
    off: 'Nicht eingerichtet. Der Administrator kann einen Anbieter hinzufügen.'
  },
  push: {
    obstacles: {
      insecure: 'Diese Seite wurde über unverschlüsseltes http geladen. Browser erlauben Push-Benachrichtigungen nur über https oder auf localhost.',
      'install-first': 'Lege die App auf einem iPhone oder iPad zuerst auf den Home-Bildschirm und öffne sie dort.',
      unsupported: 'Dieser Browser unterstützt keine Push-Benachrichtigungen.',
      blocked: 'Der Browser sperrt Benachrichtigungen dieser Seite. Erlaube sie in seinen Einstellungen für diese Seite, dann schalte sie hier ein.'
    },
    elsewhere: 'Wähle seine Benachrichtigungen in dem anderen Browser.',
    unavailable: {
      no_contact: 'Push-Dienste wollen wissen, wer für diesen Dienst erreichbar ist. Öffne die App einmal an ihrer öffentlichen https-Adresse, oder setze SVC_WEBUI_PUSH_CONTACT in der Umgebung des Dienstes und starte ihn neu.',
      no_keys: 'Die Schlüssel für Benachrichtigungen ließen sich noch nicht speichern. Prüfe die Festplatte des Dienstes, dann starte ihn neu.'
    },
    guide: 'So erreichen dich Benachrichtigungen auf dem Handy',
    subscribe: 'Diesen Browser benachrichtigen',
    unsubscribe: 'Beenden',
    here: 'Dieser Browser',
    added: 'Dieser Browser bekommt ab jetzt Benachrichtigungen.',
    lastError: (reason) => `Die letzte ist nicht angekommen: ${reason}`,
    wishes: {
      approvals: 'Freigaben', questions: 'Fragen', finished_turns: 'Beendete Durchgänge', finished_jobs: 'Beendete Aufgaben', pull_requests: 'Pull Requests'
    }
  },
  updates: {
    byHand: 'Stoppe den Dienst, führe diese Zeile in einem Terminal aus und starte den Dienst wieder.',
    look: 'Nach Updates suchen',
    unknown: 'Noch nicht gesucht.',
    newest: 'Das ist die neueste Version.',
    behind: (count) => `Es gibt eine neuere Version, ${count === 1 ? '1 Änderung' : `${count} Änderungen`} voraus.`,
    whatIsNew: 'Was ist neu',
    apply: 'Aktualisieren und neu starten',
    applyNow: (turns) => `Jetzt aktualisieren und ${turns === 1 ? 'den laufenden Durchgang' : `${turns} laufende Durchgänge`} beenden`,
    wait: 'Danach aktualisieren',
    waits: (turns) => turns === 0 ? 'Die Aktualisierung beginnt jetzt.' : `Die Aktualisierung wartet auf ${turns === 1 ? 'einen laufenden Durchgang' : `${turns} laufende Durchgänge`} und beginnt dann automatisch.`,
    cancel: 'Aktualisierung abbrechen',
    applying: 'Der Dienst wird aktualisiert. Das kann ein paar Minuten dauern.',
    restarting: 'Der Dienst startet neu. Diese Seite verbindet sich automatisch wieder.',
    newer: (to, from) => from === null ? `Version ${to} ist verfügbar.` : `Version ${to} ist verfügbar; dies ist ${from}.`,
    off: 'Die Suche nach Updates ist unten ausgeschaltet. Hier kannst du einmal suchen.',
    otherChannel: 'Das war das Ergebnis für den anderen Kanal. Suche noch einmal.',
    lost: 'Die Verbindung ging verloren, während der Dienst aktualisiert wurde. Das Ergebnis steht hier, sobald er antwortet.',
    reload: 'Lade diese Seite neu, um die neue Version zu verwenden.',
    slow: 'Der Dienst ist noch nicht zurück. Prüfe sein Log.',
    dirty: 'Die Dateien des Dienstes haben lokale Änderungen. Sie werden für das Update gestasht und danach wiederhergestellt.',
    last: (message) => `Letztes Update: ${message}`,
    checkedAt: (when) => `Gesucht: ${when}`
  },
  transfer: {
    choose: 'Datei wählen',
    tooLarge: (mebibytes) => `Diese Datei ist größer als ${mebibytes} MiB; mehr nimmt der Dienst nicht auf einmal an.`,
    unreadable: 'Der Browser konnte diese Datei nicht lesen.',
    notJson: 'Diese Datei ist kein Export: Sie ist kein JSON mit Nachrichten.',
    leftOut: (system, context) => `Weggelassen: ${system} Systemnachrichten, ${context} Texte für das Modell, die der Chat nicht zeigt.`,
    imported: (title) => `„${title}“ ist importiert.`,
    chat: 'Chat',
    json: 'JSON',
    html: 'Seite (HTML)',
    chooseChat: 'Chat wählen …',
    noChats: 'Noch keine Chats.',
    every: (hours) => hours === 0
      ? 'Keine automatischen Backups.'
      : hours === 24 ? 'Einmal am Tag.' : hours % 24 === 0 ? `Alle ${hours / 24} Tage.` : `Alle ${hours} Stunden.`,
    lastBackup: (when) => `Das neueste: ${when}.`,
    noBackup: 'Noch keine Backups.',
    kept: (count) => `${count} aufgehoben.`
  },
  shares: {
    note: 'Seiten, die alle mit dem Link ohne Anmeldung lesen können. Du teilst einen Chat in seinem Menü.', none: 'Nichts ist geteilt.',
    revoke: 'Nicht mehr teilen', revoked: 'Die Seite wird nicht mehr geteilt.', made: (when) => `Geteilt: ${when}`
  },
  grants: {
    none: 'Keine Dauerregeln. „Immer“ auf einer Karte fügt hier eine hinzu.',
    groups: { command: 'Befehle, mit beliebigen Argumenten', net: 'Adressen im Netz', mcp: 'Werkzeuge von MCP-Servern', other: 'Anderes' },
    revoke: 'Widerrufen',
    revoked: (rule) => `Der Agent fragt ab jetzt wieder: ${rule}`
  },
  personalities: {
    none: 'Noch keine Persönlichkeiten. Probiere eine:',
    example: {
      name: 'Geduldiger Lehrer',
      prompt:
        'Erkläre wie ein geduldiger Lehrer: zuerst die Idee in einem Satz, dann ein Beispiel, dann die Einzelheiten. Frage, ob es verstanden wurde.',
      description: 'Erklärt Schritt für Schritt'
    },
    create: 'Neue Persönlichkeit',
    edit: 'Bearbeiten',
    editTitle: (name) => `„${name}“ bearbeiten`,
    delete: 'Löschen',
    deleteTitle: (name) => `„${name}“ löschen?`,
    deleteNote: 'Chats, die sie verwenden, gehen ab dem nächsten Durchgang ohne weiter.',
    deleted: (name) => `„${name}“ ist gelöscht.`,
    saved: (name) => `„${name}“ ist gespeichert. Sie gilt ab dem nächsten Durchgang.`,
    name: 'Name',
    prompt: 'Wie sie spricht',
    promptHint: 'Das Modell liest das vor jedem Durchgang.',
    description: 'Beschreibung für Listen',
    tone: 'Ton',
    style: 'Stil'
  },
  archive: { none: 'Kein Chat ist archiviert.', back: 'Aus dem Archiv holen', brought: (title) => `„${title}“ zurückgeholt.`, more: 'Mehr anzeigen' },
  shortcuts: {
    send: 'Senden', line: 'Neue Zeile', stop: 'Oberstes Fenster schließen oder stoppen',
    approve: 'Einmal erlauben, auf einer Karte im Fokus', session: 'In diesem Chat erlauben, auf einer Karte im Fokus',
    deny: 'Ablehnen, auf einer Karte im Fokus', keys: { approve: 'Enter', session: 'S', deny: 'Esc', stop: 'Esc' }
  },
  about: {
    backups: { failed: 'Das letzte ist fehlgeschlagen', running: 'Läuft', none: 'Noch keines' },
    sandboxes: {
      bwrap: 'Befehle laufen darin, ohne Netz', container: 'Der Container: Befehle laufen darin ohne Nachfrage',
      none: 'Keine: jeder Befehl fragt zuerst'
    },
    node: 'Node', sqlite: 'SQLite', uptime: 'Läuft seit', memory: 'Speicher', database: 'Datenbank', backup: 'Backup',
    agent: 'Agent', sandbox: 'Sandbox', git: 'Git', state: 'Zustand', ok: 'Alles in Ordnung', degraded: 'Etwas braucht Aufmerksamkeit', running: 'Läuft',
    resting: 'Untätig: Er startet, wenn er gebraucht wird', help: 'Dokumentation', docs: 'Schnittstelle des Dienstes, für Programme',
    licence: 'Der Dienst steht unter der MIT-Lizenz.', licences: 'Lizenzen dessen, was er enthält', writable: 'beschreibbar',
    readOnly: 'nur lesbar'
  }
}
