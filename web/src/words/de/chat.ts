import { type Words } from '../en/index.js'

export const chat: Words['chat'] = {
  goals: {
    active: (used, most) => `Ziel · Durchgang ${used} von ${most}`,
    paused: 'Ziel pausiert',
    done: 'Ziel erreicht',
    checking: 'Ziel wird geprüft',
    pause: 'Pausieren',
    resume: 'Fortsetzen',
    giveUp: 'Ziel aufgeben',
    pauses: {
      person: 'von dir pausiert',
      turns: 'alle Durchgänge sind verbraucht',
      budget: 'das Budget ist verbraucht',
      cancelled: 'der Durchgang wurde gestoppt',
      failed: 'der Durchgang ist fehlgeschlagen',
      cut_off: 'der Dienst wurde mitten in einem Durchgang gestoppt',
      not_started: 'der nächste Durchgang konnte nicht beginnen',
      judge_silent: 'der Prüfer hat nicht geantwortet',
      judge_unclear: 'die Antwort des Prüfers war unklar'
    }
  },
  events: {
    retry: 'Das Modell hat nicht geantwortet. Neuer Versuch.',
    compression_failed: 'Der frühere Teil des Chats konnte nicht zusammengefasst werden.',
    compressing: 'Der Chat ist lang geworden. Der frühere Teil wird zusammengefasst.',
    compressed: 'Der frühere Teil des Chats wurde zusammengefasst.',
    cut_short: 'Die Antwort hat die maximale Länge des Modells erreicht.',
    budget: 'Ein Budget ist verbraucht.',
    fallback: 'Ein anderes Modell übernimmt.'
  },
  readOnly: {
    why: 'Dieser Chat ist schreibgeschützt.',
    branch: 'Abzweigen und weitermachen',
    goOn: 'Hier weitermachen',
    inPlace: (m: string): string => `Setzt denselben Chat mit ${m} fort. Das Terminal zeigt dann auch, was du hinzufügst.`,
    notInPlace: (why: string): string => `Hier kann er nicht weitergehen: ${why}`,
    subAgent: 'In diesem Chat arbeitet ein Unteragent, deshalb ist er schreibgeschützt.',
    toParent: 'Übergeordneten Chat öffnen'
  },
  parked: {
    name: 'Anbieter am Limit',
    until: (provider, time) => `${provider} ist bis ${time} am Limit. Danach geht es automatisch weiter.`,
    asks: (provider) => `${provider} ist am Limit. Der Durchgang wartet, bis du entscheidest, wie es weitergeht.`,
    cannot: (provider) => `Der Durchgang konnte mit ${provider} nicht weitergehen und wartet, bis du entscheidest, wie es weitergeht.`,
    now: 'Jetzt weiter',
    wait: 'Warten',
    withAnother: 'Anderes Modell…',
    another: 'Mit einem anderen Modell weiter',
    stop: 'Stoppen'
  },
  rename: 'Umbenennen',
  pin: 'Anheften',
  unpin: 'Lösen',
  move: 'In ein Projekt verschieben',
  archive: 'Archivieren',
  unarchive: 'Aus dem Archiv holen',
  worktree: 'Worktree',
  duplicate: 'Duplizieren',
  export: 'Exportieren',
  share: 'Teilen',
  sharing: {
    title: 'Diesen Chat teilen?',
    what: (title, count) => `Alle, die den Link haben, können „${title}“ (${count === 1 ? '1 Nachricht' : `${count} Nachrichten`}) ohne Anmeldung lesen.`,
    note: 'Die Seite enthält, was der Agent getan hat, und die Ausgaben seiner Werkzeuge. Bekannte Zugangsdaten sind unkenntlich. Spätere Nachrichten kommen nicht dazu.',
    preview: 'Vorschau der Seite',
    share: 'Teilen',
    doneTitle: 'Dieser Chat ist geteilt',
    kept: 'Kopiere den Link jetzt: Er wird nicht noch einmal angezeigt.',
    all: 'Alle geteilten Seiten',
    copy: 'Link kopieren',
    revoke: 'Nicht mehr teilen',
    revoked: 'Die Seite wird nicht mehr geteilt.'
  },
  yoloStep: {
    title: 'Alles ohne Rückfrage ausführen?',
    means: 'In diesem Chat handelt der Agent nach eigenem Ermessen, ohne auf dich zu warten:',
    facts: [
      'Er führt Befehle aus, ändert und löscht Dateien und sendet Anfragen.', 'Was gerade auf dich wartet, wird sofort erlaubt.',
      'Es gilt, bis du es ausschaltest oder der Dienst neu startet.'
    ],
    back: 'Weiterhin fragen',
    confirm: 'Ohne Rückfrage ausführen'
  },
  otherFolder: 'Ordner wechseln',
  undoExchange: 'Letzten Austausch rückgängig machen',
  exchangeUndone: 'Letzter Austausch rückgängig gemacht.',
  openKept: 'Frühere Fassung öffnen',
  delete: 'Löschen',
  temporary: {
    name: 'Temporärer Chat',
    note: 'Steht in keiner Liste, wird nicht gemerkt und beim Verlassen gelöscht.',
    keep: 'Chat behalten',
    kept: 'Chat behalten. Er steht jetzt in der Liste.',
    left: 'Temporärer Chat gelöscht.'
  },
  yolo: 'Alles ohne Rückfrage ausführen…',
  side: {
    question: 'Zwischenfrage',
    task: 'Hintergrundaufgabe',
    lost: 'Die Antwort ist nicht mehr verfügbar.',
    states: {
      running: 'arbeitet', stopping: 'stoppt', done: 'fertig', elsewhere: 'Das Ergebnis wurde in einem anderen Fenster angezeigt.',
      gone: 'Den Chat dazu gibt es nicht mehr.'
    }
  },
  noEffort: 'Bei diesem Modell lässt sich der Denkaufwand nicht einstellen.',
  noPersonalities: 'Noch keine Persönlichkeiten. Lege eine an: Einstellungen, Verhalten.',
  usage: {
    title: 'Verbrauch dieses Chats',
    window: (percent) => `${percent} % des Kontexts sind belegt`,
    held: (held, length) => `${held} von ${length} Tokens`,
    threshold: (tokens) => `wird bei ${tokens} zusammengefasst`,
    model: 'Modell',
    input: 'Eingabe-Tokens',
    output: 'Ausgabe-Tokens',
    cache: 'Aus dem Cache',
    cost: 'Kosten',
    unpriced: 'Preis unbekannt',
    last: 'Letzter Durchgang',
    speed: (tokensPerSecond) => `${tokensPerSecond} Tokens pro Sekunde`,
    compress: 'Frühere Nachrichten jetzt zusammenfassen',
    all: 'Gesamter Verbrauch und Budgets'
  }
}
