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
    cut: (name) => `Der Dienst erreicht seine anderen Rechner nicht, darunter ${name}. Er versucht es weiter.`
  },
  note: 'Deine anderen Computer können die Arbeit tun, jeder mit eigenen Ordnern, Profilen und Schlüsseln. Die Chats bleiben hier.',
  off: 'Noch nicht eingerichtet. In drei Schritten arbeitet ein anderer Computer für dich:',
  steps: [
    'Starte einen NATS-Server, über den die Rechner sich verbinden. Zum Ausprobieren hier:',
    'Nenne ihn in der Umgebung dieses Dienstes, und starte den Dienst neu:',
    'Installiere diesen Dienst auf dem anderen Computer, und führe dort aus, mit einem Namen und den Ordnern, die offen sein sollen:'
  ],
  cut: 'Der Dienst erreicht den NATS-Server nicht. Er versucht es weiter.',
  none: 'Noch ist kein Rechner beigetreten.',
  join: 'Einen Rechner beitreten lassen',
  joinNote:
    'Installiere diesen Dienst auf dem anderen Rechner und führe dort das hier aus, mit der Adresse deines NATS-Servers, einem Namen und den ' +
    'Ordnern, die offen sein sollen:',
  copyCommand: 'Befehl kopieren',
  guide: 'Anleitung: Schlüssel und automatischer Start',
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
    `${busy.toFixed(1)} auf ${cores} ${cores === 1 ? 'Kern' : 'Kernen'}, ${(freeMb / 1_024).toFixed(1)} GiB frei, ` +
    `${turns} ${turns === 1 ? 'laufender Durchgang' : 'laufende Durchgänge'}`,
  forget: 'Vergessen',
  forgetNamed: (name) => `${name} vergessen`,
  forgetTitle: (name) => `${name} vergessen?`,
  forgetNote: 'Er verschwindet aus dieser Liste, bis er wieder beitritt. Seine Chats bleiben und gehen wieder, sobald ein Rechner dieses Namens beitritt.',
  forgotten: (name) => `${name} ist vergessen.`
}
