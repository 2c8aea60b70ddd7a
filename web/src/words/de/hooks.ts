import { type Words } from '../en/index.js'

const issue = 'Sieh dir das Issue {{issue.title}} in {{repository.full_name}} an. Finde die Ursache und schreibe, was du ändern würdest.'

export const hooks: Words['hooks'] = {
  create: 'Neuer Hook',
  createIt: 'Hook anlegen',
  isNew: 'neu',
  edited: 'nicht gespeichert',
  list: 'Hooks',
  back: 'Alle Hooks',
  gone: 'Diesen Hook gibt es nicht mehr. Wähle einen anderen.',
  empty: 'Noch keine Hooks',
  emptyText: 'Ein Hook ist eine Adresse, die GitHub, GitLab oder irgendein Programm aufruft, damit der Agent zu arbeiten beginnt: Ein Issue bekam ein Label, ein Check schlug fehl, ein Formular wurde abgeschickt.',
  first: 'Adresse und Geheimnis siehst du, wenn du ihn angelegt hast.',
  paused: 'Pausiert',
  lastFailed: 'Der letzte Lauf ist fehlgeschlagen',
  neverCalled: 'Noch nicht aufgerufen',
  calls: (count) => `${count} ${count === 1 ? 'Aufruf' : 'Aufrufe'}`,
  name: 'Name',
  sender: 'Wer ruft ihn auf?',
  senders: { github: 'GitHub', gitea: 'Gitea', gitlab: 'GitLab', json: 'Irgendein Programm' },
  address: 'Adresse',
  secret: 'Geheimnis',
  copy: 'Kopieren',
  near: 'Nur Programme auf diesem Rechner erreichen diese Adresse. Um die Adresse für andere Rechner zu sehen, öffne die App unter der Adresse, die diese benutzen.',
  once: 'Das Geheimnis wird nur einmal angezeigt. Kopiere es jetzt; geht es verloren, erzeuge ein neues.',
  kept: 'Ich habe es kopiert',
  howTo: (name) => `Was einzutragen ist: ${name}`,
  steps: {
    github: [
      'Öffne im Repository Settings, Webhooks, Add webhook.', 'Payload URL: die Adresse. Content type: application/json. Secret: das Geheimnis.',
      'Wähle „Let me select individual events“ und kreuze die Ereignisse an, die du hier gewählt hast. GitHub sendet dann einen Ping, den du unten siehst.'
    ],
    gitea: [
      'Öffne im Repository Settings, Webhooks, Add webhook, Gitea (oder Forgejo).',
      'Target URL: die Adresse. POST content type: application/json. Secret: das Geheimnis.', 'Wähle die Ereignisse, füge ihn hinzu und drücke „Test delivery“.'
    ],
    gitlab: [
      'Öffne im Projekt Settings, Webhooks, Add new webhook.', 'URL: die Adresse. Secret token: das Geheimnis.',
      'Kreuze die Auslöser an, die du hier gewählt hast, füge ihn hinzu und drücke Test.'
    ],
    json: [
      'Sende JSON per POST an die Adresse, mit Content-Type: application/json.',
      'Signiere den Inhalt: X-Hub-Signature-256 ist „sha256=“ und der HMAC des Inhalts mit dem Geheimnis, hexadezimal. Oder sende das Geheimnis selbst als X-Gitlab-Token.',
      'Das Ereignis ist der Wert von „event“ oder „type“ im Inhalt.'
    ]
  },
  command: 'Ein Aufruf aus dem Terminal',
  when: 'Welche Ereignisse starten einen Lauf?',
  otherEvent: 'Anderes Ereignis…',
  everyEvent: 'Keines gewählt: Jedes Ereignis startet einen Lauf.',
  onlyEvents: 'Andere Ereignisse werden angenommen und starten nichts.',
  match: 'Nur wenn der Aufruf sagt',
  path: 'Pfad im Inhalt',
  value: 'Wert',
  addMatch: 'Bedingung hinzufügen',
  removeMatch: (path) => `Bedingung ${path} entfernen`,
  matchHint: 'Alle Bedingungen müssen erfüllt sein. Bei einer Liste genügt ein passender Eintrag.',
  what: 'Was soll geschehen?',
  examples: {
    github: issue,
    gitea: issue,
    gitlab: 'Sieh dir {{object_attributes.title}} in {{project.path_with_namespace}} an. Finde die Ursache und schreibe, was du ändern würdest.',
    json: '{{name}} schrieb: {{message}}. Entwirf eine Antwort.'
  },
  useExample: 'Beispiel verwenden',
  addPlace: (name) => `Wert ${name} einfügen`,
  templateHint: 'Werte des Aufrufs werden als Zitat eingesetzt, damit nichts darin wie eine Anweisung von dir wirkt. Ohne Werte wird der ganze Aufruf angefügt.',
  preview: 'Vorschau',
  previewOf: 'Vorschau von',
  lastCall: 'Der letzte Aufruf',
  example: 'Ein Beispiel',
  asked: 'Was der Agent gefragt wird',
  wouldStart: 'Ein solcher Aufruf startet einen Lauf.',
  wouldNot: {
    event: 'Ein solcher Aufruf startet nichts: Sein Ereignis ist ein anderes.', match: 'Ein solcher Aufruf startet nichts: Eine Bedingung ist nicht erfüllt.'
  },
  ask: 'Wenn er eine Freigabe braucht',
  asks: { deny: 'Ohne sie weitermachen', wait: 'Auf mich warten' },
  more: 'Budget und Zustellung',
  budget: 'Budget pro Tag, US$',
  noBudget: 'Wie bei Aufgaben',
  budgetHint: 'Was alle Läufe dieses Hooks an einem Tag kosten dürfen.',
  badBudget: 'Gib einen Betrag über 0 ein, oder lass das leer.',
  save: 'Hook speichern',
  saved: (name) => `„${name}“ ist gespeichert.`,
  discard: 'Änderungen verwerfen',
  actionsOf: (name) => `Aktionen für ${name}`,
  pause: 'Pausieren',
  resume: 'Fortsetzen',
  pausedToast: (name) => `„${name}“ ist pausiert. Aufrufe werden angenommen und starten nichts.`,
  rotate: 'Neues Geheimnis erzeugen',
  deleted: (name) => `„${name}“ und seine Ergebnisse sind gelöscht.`,
  lastCalls: 'Letzte Aufrufe',
  refresh: 'Aktualisieren',
  noCalls: 'Noch hat ihn niemand aufgerufen.',
  outcomes: {
    duplicate: 'derselbe Aufruf kam schon', event: 'startete nichts: anderes Ereignis', match: 'startete nichts: eine Bedingung ist nicht erfüllt',
    paused: 'startete nichts: der Hook war pausiert', ping: 'Ping: die Verbindung funktioniert', refused: 'abgelehnt: nicht mit dem Geheimnis signiert',
    invalid: 'abgelehnt: der Inhalt ist kein gültiges JSON oder zu groß', busy: 'abgelehnt: zu viele Aufrufe warteten'
  },
  runs: { queued: 'Lauf in der Warteschlange', running: 'Lauf in Arbeit', done: 'Lauf fertig', failed: 'Lauf fehlgeschlagen', unknown: 'startete einen Lauf' },
  times: (count) => `(${count}-mal)`,
  openRun: 'Chat öffnen'
}
