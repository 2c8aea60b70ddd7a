import { type Words } from '../en/index.js'

export const machines: Words['machines'] = {
  here: 'Dieser Rechner',
  where: 'Rechner',
  named: (name, state) => `${name} (${state === 'away' ? 'offline' : 'nicht verwendbar'})`,
  unread: (why) => `Der Stand der anderen Rechner konnte nicht geladen werden. ${why}`,
  brief: {
    away: (when) => `offline seit ${when}`,
    refused: 'nicht verwendbar',
    unknown: 'nicht beigetreten',
    off: 'nicht eingerichtet',
    cut: 'nicht erreichbar'
  },
  absent: {
    away: (name, when) => `${name} ist seit ${when} offline. Nachrichten hier bekommen keine Antwort, bis der Rechner zurück ist.`,
    awayRunning: (name, when) => `${name} ist seit ${when} offline. Die Antwort geht weiter, wenn der Rechner bald zurück ist.`,
    refused: (name) => `${name} ist nicht verwendbar. Der Grund steht in den Einstellungen unter „Rechner“.`,
    refusedFor: (name, why) => `${name} ist nicht verwendbar: ${why}`,
    unknown: (name) => `Kein Rechner namens ${name} ist beigetreten. Nachrichten hier bekommen keine Antwort, bis das geschieht.`,
    off: (name) => `Dieser Chat arbeitet auf dem Rechner ${name}, und andere Rechner sind hier nicht eingerichtet.`,
    cut: (name) => `Der Dienst erreicht seine anderen Rechner nicht, darunter ${name}. Er versucht es weiter.`,
    folderAway: (name, when) => `${name} ist seit ${when} offline.`,
    folderNote: 'Der Ordner erscheint hier wieder, sobald der Rechner erreichbar ist. Den Chat kannst du bis dahin lesen.'
  },
  note: 'Deine anderen Computer können die Arbeit tun, jeder mit eigenen Ordnern, Profilen und Schlüsseln. Die Chats bleiben hier.',
  off: 'Noch nicht eingerichtet. In vier Schritten arbeitet ein anderer Computer für dich:',
  steps: [
    'Erzeuge Schlüssel auf dem Computer, auf dem ein NATS-Server laufen wird, über den die Rechner sich verbinden:',
    'Lege ein Zertifikat neben die Schlüssel (wie, sagt die Anleitung), und starte den Server:',
    'Nenne ihn in der Umgebung dieses Dienstes, mit den ganzen Pfaden der Dateien, und starte den Dienst neu:',
    'Installiere diesen Dienst auf dem anderen Computer, kopiere dessen Schlüssel und ca.crt in den Ordner, und führe dort aus:'
  ],
  cut: 'Der Dienst erreicht den NATS-Server nicht. Er versucht es weiter.',
  none: 'Noch ist kein Rechner beigetreten.',
  join: 'Einen Rechner beitreten lassen',
  joinNote:
    'Erzeuge seinen Schlüssel (siehe Anleitung), installiere dort diesen Dienst, kopiere Schlüssel und ca.crt in dessen Ordner, und starte dort:',
  copyCommand: 'Befehl kopieren',
  guide: 'Anleitung: Schlüssel, Zertifikate und automatischer Start',
  states: { ready: 'Bereit', away: 'Offline', refused: 'Nicht verwendbar' },
  since: (when) => `seit ${when}`,
  version: 'Version',
  otherVersion: (its, ours) => `${its}; der Dienst hat ${ours}. Aktualisiere den älteren von beiden.`,
  platform: 'System',
  profiles: 'Profile',
  models: 'Modelle',
  sandbox: 'Sandbox',
  load: 'Last',
  folders: 'Ordner',
  some: (names, more) => `${names.join(', ')}${more === 0 ? '' : ` und ${more} weitere`}`,
  confined: 'Befehle sind abgeschottet',
  unconfined: (why) => why === '' ? 'Befehle sind nicht abgeschottet' : `Befehle sind nicht abgeschottet: ${why}`,
  loadOf: ({ busy, cores, freeMb, turns }) =>
    `${busy.toFixed(1).replace('.', ',')} auf ${cores} ${cores === 1 ? 'Kern' : 'Kernen'}, ${(freeMb / 1_024).toFixed(1).replace('.', ',')} GiB frei, ` +
    `${turns} ${turns === 1 ? 'laufender Durchgang' : 'laufende Durchgänge'}`,
  forget: 'Vergessen',
  forgetNamed: (name) => `${name} vergessen`,
  forgetTitle: (name) => `${name} vergessen?`,
  forgetNote: 'Er verschwindet aus dieser Liste, bis er wieder beitritt. Seine Chats bleiben und gehen wieder, sobald ein Rechner dieses Namens beitritt.',
  forgotten: (name) => `${name} ist vergessen.`
}
