import { type PageWords } from './page-words.js'

export const de: PageWords = {
  tag: 'de',
  signIn: {
    title: (name) => `Anmelden – ${name}`,
    password: 'Passwort',
    signIn: 'Anmelden',
    withPasskey: 'Mit einem Passkey anmelden',
    with: (name) => `Mit ${name} anmelden`,
    passkeyNeedsScript: 'Die Anmeldung mit einem Passkey braucht JavaScript.',
    enterPassword: 'Gib das Passwort ein.',
    wrongPassword: 'Das Passwort stimmt nicht. Wenn du es nicht mehr weißt: Führe agent-web-service reset-password auf dem Rechner des Dienstes aus.',
    tooMany: (seconds) => `Zu viele Versuche. Versuche es in ${seconds} s noch einmal.`,
    unreachable: 'Der Dienst ist nicht erreichbar. Versuche es noch einmal.',
    noPasskeyUsed: 'Es wurde kein Passkey verwendet. Versuche es noch einmal.',
    passkeyRefused: 'Dieser Passkey wurde nicht angenommen.',
    proxyOnly: 'Dieser Dienst hat kein Passwort. Öffne ihn über seinen Proxy.',
    passkeysElsewhere: 'Die Passkeys gehören zu einer anderen Adresse dieses Dienstes: Öffne ihn dort.',
    oidc: {
      oidc_unavailable: (name) => `${name} ist gerade nicht erreichbar. Versuche es noch einmal, oder melde dich anders an.`,
      oidc_refused: (name) => `${name} kennt dich, aber dieser Dienst lässt dein Konto nicht zu.`,
      oidc_unverified: (name) => `${name} hat deine E-Mail-Adresse nicht bestätigt, deshalb nimmt dieser Dienst sie nicht an.`,
      oidc_cancelled: (name) => `${name} hat dich nicht angemeldet, oder du bist zurückgegangen. Versuche es noch einmal.`,
      oidc_expired: () => 'Diese Anmeldung ist abgelaufen, wurde schon verwendet oder in einem anderen Browser begonnen. Versuche es noch einmal.',
      oidc_failed: (name) => `Der Antwort von ${name} war nicht zu trauen. Versuche es noch einmal.`,
      oidc_busy: () => 'Zu viele Versuche. Versuche es in einer Minute noch einmal.'
    }
  },
  pairing: {
    title: (name) => `Diesen Browser koppeln – ${name}`,
    code: 'Kopplungscode',
    use: 'Diesen Browser verwenden',
    note: 'Ein angemeldeter Browser zeigt den Code in den Einstellungen unter „Geräte und Tokens“. Er gilt einmal.',
    needsScript: 'Zum Koppeln wird JavaScript gebraucht.'
  },
  error: {
    missing: 'Seite nicht gefunden',
    unknown: 'Vielleicht ist die Adresse falsch geschrieben, oder die Seite wurde entfernt.',
    unshared: 'Diese Seite gibt es nicht, oder sie wird nicht mehr geteilt. Frag die Person, von der du den Link hast.',
    failed: 'Diese Seite kann nicht gezeigt werden',
    broken: 'Im Dienst ist etwas schiefgegangen. Einzelheiten stehen in seinem Log.',
    again: 'Noch einmal versuchen',
    home: 'Zur Startseite'
  },
  app: {
    unstarted:
      'Die App ist nicht gestartet. Ein langsames Netz braucht länger; sonst lade die Seite neu. ' +
      'Hilft das nicht, aktualisiere den Browser, oder erlaube Skripte dieser Adresse.',
    noScript: 'Diese App braucht JavaScript.',
    box: 'Nachricht',
    ask: 'Frage etwas oder beschreibe eine Aufgabe'
  },
  shared: (day) => `${day} · Nur zum Lesen`,
  page: {
    you: 'Du',
    assistant: 'Assistent',
    message: 'Nachricht',
    error: 'Fehler',
    reasoning: 'Überlegung',
    partial: 'Hier abgebrochen: Die Antwort ist unvollständig',
    steer: 'Während der Arbeit ergänzt',
    goal: 'Ziel',
    scheduled: 'Geplant',
    woken: 'Von einem Prozess geweckt',
    summarised: 'Frühere Nachrichten wurden für das Modell zusammengefasst',
    summary: 'Zusammenfassung',
    shortened: 'Gekürzt: Der Rest dieser Nachricht steht nicht auf dieser Seite.',
    tool: 'Werkzeug',
    result: 'Ergebnis',
    arguments: 'Argumente',
    nothing: '(nichts)',
    noResult: 'kein Ergebnis',
    failed: 'fehlgeschlagen',
    done: 'fertig',
    empty: 'Dieses Gespräch hat keine Nachrichten.'
  },
  upgrading: 'Der Dienst aktualisiert seine Datenbank. Nichts geht verloren, und diese Seite geht automatisch weiter.',
  shortcuts: { newChat: 'Neuer Chat', home: 'Start' },
  notifications: {
    approval: 'Braucht deine Erlaubnis',
    question: 'Hat eine Frage an dich',
    turn: 'Hat geantwortet',
    resumed: 'Geht weiter: Das Limit ist vorbei',
    atLimit: 'Der Anbieter ist am Limit: Entscheide, wie es weitergeht',
    failed: 'Ist nicht fertig geworden',
    job: 'Eine geplante Aufgabe ist gelaufen',
    pull: {
      checks_failed: 'Checks fehlgeschlagen', checks_passed: 'Checks bestanden', approved: 'Genehmigt', commented: 'Neuer Kommentar',
      merged: 'Gemergt', closed: 'Ohne Merge geschlossen'
    },
    other: 'Es gibt etwas Neues',
    counted: {
      waiting: '{count} offen für dich', ended: '{count} fertig', failed: 'davon {count} fehlgeschlagen', running: '{count} laufend',
      queued: '{count} in der Warteschlange'
    },
    comma: ', '
  }
}
