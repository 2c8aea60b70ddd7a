import { type Words } from '../en/index.js'

export const setup: Words['setup'] = {
  title: 'Ein Modell verbinden',
  note: 'Bis dahin antwortet die eingebaute Demo. Sie folgt festen Regeln und ist kein KI-Modell.',
  key: 'Schlüssel einfügen',
  keyHint: 'OpenAI, Anthropic, Google oder OpenRouter. Er bleibt auf diesem Server.',
  recognised: (name) => `Ein Schlüssel von ${name}. Er bleibt auf diesem Server.`,
  keyTooShort: 'Ein Schlüssel ist eine Zeile mit mindestens 8 Zeichen.',
  provider: 'Von wem ist der Schlüssel?',
  choose: 'Wählen …',
  noProvider: 'Wähle, von wem der Schlüssel ist.',
  asEndpoint: (name) => `Das sieht nach einem Schlüssel von ${name} aus. Füge ${name} unter „Modelle“ als Endpunkt hinzu.`,
  connect: 'Schlüssel prüfen',
  saveAnyway: 'Trotzdem speichern',
  getKey: 'Noch kein Schlüssel? Hier gibt es einen:',
  opensPage: (name) => `Schlüssel bei ${name} holen (öffnet dessen Seite)`,
  refused: {
    invalid_key: (name) => `${name} hat diesen Schlüssel abgelehnt. Kopiere ihn noch einmal ganz, oder erzeuge dort einen neuen.`,
    no_quota: (name) => `${name} kennt diesen Schlüssel, aber das Konto hat kein Guthaben. Lade es dort auf, oder nimm einen anderen Schlüssel.`,
    rate_limited: (name) => `${name} nimmt gerade keine Anfragen an. Versuche es in einer Minute noch einmal.`,
    tls: (name) => `Die Verbindung zu ${name} ist nicht sicher, deshalb wurde der Schlüssel nicht gesendet. Prüfe die Zertifikate dieses Servers.`,
    name_not_found: (name) => `Dieser Server findet ${name} nicht. Prüfe seine Internetverbindung.`,
    no_answer: (name) => `${name} hat nicht geantwortet. Prüfe die Internetverbindung dieses Servers und versuche es noch einmal.`,
    provider_failed: (name) => `${name} hat gerade eine Störung. Versuche es später noch einmal.`
  },
  connected: (name) => `${name} ist verbunden.`,
  answersNow: (model) => `Ab jetzt antwortet ${model}.`,
  greet: 'Hallo sagen',
  greetNote: (name) => `Sendet eine kurze Nachricht an ${name}.`,
  greeting: 'Hallo! Sag in drei kurzen Sätzen, wer du bist und was du hier für mich tun kannst.',
  another: 'Anderes Modell wählen',
  found: (name) => `${name} läuft auf diesem Rechner`,
  model: 'Modell',
  noModels: 'Es hat noch keine Modelle. Lade dort zuerst eines.',
  agentFound: (name) => `${name} ist auf diesem Rechner installiert`,
  agentNote: 'Er arbeitet auf seine eigene Weise und fragt dich vorher.',
  agentFailed: {
    invalid_key: (name) => `${name} ist nicht angemeldet. Melde dich in einem Terminal auf diesem Rechner an und versuche es dann noch einmal.`,
    no_quota: (name) => `Das Konto von ${name} hat kein Guthaben mehr. Lade es auf und versuche es dann noch einmal.`,
    timed_out: (name) => `${name} ist nicht rechtzeitig gestartet. Vielleicht lädt er noch, was er braucht. Versuche es noch einmal.`,
    other: (name) => `${name} ist nicht bereit. Starte ihn in einem Terminal auf diesem Rechner, um zu sehen, warum.`
  },
  use: 'Verwenden',
  others: 'Alle Anbieter',
  later: 'Später',
  put: 'Später. Es steht unter „Modelle“.',
  tour: 'Ohne Modell ausprobieren',
  tourNote: 'Die Demo folgt einem Skript. Die Werkzeuge, die Karten und die Dateien sind echt.',
  tourMore: 'Die Demo kann dir mehr zeigen',
  tourTurns: [
    'Zeig mir eine Änderung, die ich erlaube', 'Zeig mir eine Frage', 'Zeig mir eine lange Antwort mit Tabelle und Code',
    'Zeig mir eine Aufgabe jeden Morgen'
  ],
  examplesName: 'Beispiele',
  examples: [
    'Zeig mir, was in diesem Ordner ist und wozu es da ist.', 'Schreibe einen kurzen Plan für eine kleine Webseite, dann frag mich, was ich ändern will.',
    'Was kannst du hier tun, und wobei fragst du mich vorher?'
  ]
}
