import { type Words } from '../en/index.js'

export const agents: Words['agents'] = {
  none: 'Kein Agent ist eingerichtet, und auf diesem Rechner wurde keiner gefunden. Wie du einen einrichtest, steht in der Dokumentation unter „Agents“.',
  installable: (count) => count === 1 ? '1 Agent kann installiert werden' : `${count} Agenten können installiert werden`,
  installableNote:
    'Aus dem öffentlichen Verzeichnis der Agenten. Führe eine Zeile auf dem Rechner dieses Dienstes als dessen Benutzer aus; der Dienst installiert nichts. Zeilen unter einem Agenten gehören in config.yaml.',
  asOf: (registry, versions) => `Stand des Verzeichnisses: ${registry}, der Versionen: ${versions}.`,
  proprietary: 'Proprietär',
  page: 'Mehr erfahren',
  copyInstall: 'Installationszeile kopieren',
  copySetup: 'Zeilen für config.yaml kopieren',
  asks: 'Fragt, bevor er handelt',
  mayAct: 'Darf ohne Rückfrage handeln',
  blocked: 'Funktioniert noch nicht',
  unreached: 'Starte ihn einmal, um seine Modi zu sehen.',
  look: 'Starten',
  noModes: 'Er hat keine Modi.',
  modeAsks: 'Er fragt, bevor er handelt.',
  modeOff: 'Aus, weil er vielleicht ohne Rückfrage handelt.',
  modeOn: 'Erlaubt: Er darf ohne Rückfrage handeln.',
  any: 'Jeder Modus',
  anyNote: 'Auch Modi, die er später bekommt, und wenn er keine hat.',
  allow: 'Erlauben',
  takeBack: 'Widerrufen',
  allowTitle: (agent, mode) => `${agent} im Modus „${mode}“ ohne Rückfrage arbeiten lassen?`,
  anyTitle: (agent) => `${agent} in jedem Modus ohne Rückfrage arbeiten lassen?`,
  allowNote:
    'Er kann dann Dateien ändern und löschen, Programme ausführen und Daten überallhin senden: innerhalb seiner Sandbox oder, wenn er keine ' +
    'hat, mit den Rechten des Benutzers, unter dem dieser Dienst läuft. Niemand wird vorher gefragt oder sieht vorher etwas davon. Das gilt für jeden Chat dieses Profils, bis du es widerrufst.',
  action: 'Ohne Rückfrage handeln lassen',
  allowed: (agent, mode) => `${agent} darf ab dem nächsten Durchgang im Modus „${mode}“ ohne Rückfrage arbeiten.`,
  anyAllowed: (agent) => `${agent} darf ab dem nächsten Durchgang in jedem Modus ohne Rückfrage arbeiten.`,
  takenBack: (agent) => `Für ${agent} widerrufen, ab dem nächsten Durchgang.`,
  sandbox: 'Sandbox',
  runsWhere: (agent) => `Wo ${agent} läuft`,
  places: { auto: 'In der Sandbox, wenn es eine gibt', sandbox: 'Nur in der Sandbox', none: 'Außerhalb der Sandbox' },
  outside: 'Außerhalb der Sandbox ausführen',
  outsideTitle: (agent) => `${agent} außerhalb der Sandbox ausführen?`,
  outsideNote:
    'Er kann dann alles lesen und ändern, was der Benutzer dieses Dienstes kann: Schlüssel, andere Ordner, laufende Programme und was auf ' +
    'diesem Rechner und in seinen Netzen lauscht. In den Modi, von denen das bekannt ist, fragt er weiterhin, bevor er handelt.',
  isInside: (agent) => `${agent} verwendet ab dem nächsten Durchgang die Sandbox.`,
  isOnlyInside: (agent) => `${agent} läuft ab dem nächsten Durchgang nur in der Sandbox.`,
  isOutside: (agent) => `${agent} läuft ab dem nächsten Durchgang außerhalb der Sandbox.`,
  isolation: {
    outside: 'Läuft außerhalb der Sandbox, mit den Rechten des Benutzers, unter dem dieser Dienst läuft.',
    outside_for_lack: (reason) =>
      `Läuft außerhalb der Sandbox, mit den Rechten des Benutzers, unter dem dieser Dienst läuft: ${reason}.`,
    no_sandbox: (reason) =>
      `Soll nur in der Sandbox laufen, und es gibt keine: ${reason}.`,
    container: 'Läuft in den Grenzen des Containers und hat dessen Netz.',
    offline: 'Läuft in der Sandbox, ohne Netz.',
    whole_network: 'Läuft in der Sandbox und hat das Netz dieses Rechners, mit allem, was dort lauscht.',
    whole_network_open:
      'Läuft in der Sandbox und hat das Netz dieses Rechners, mit allem, was dort lauscht. Dieser Dienst verlangt keine Anmeldung, der Agent könnte ihn also benutzen: Vergib ein Passwort.',
    internet: (places) =>
      `Läuft in der Sandbox. Erreicht das Internet, auf diesem Rechner und in privaten Netzen aber nur ${places === '' ? '' : `${places}, `}die Adressen in seinen Variablen und seine MCP-Server.`,
    places: (places) =>
      `Läuft in der Sandbox. Erreicht nur ${places === '' ? '' : `${places}, `}die Adressen in seinen Variablen und seine MCP-Server.`
  },
  isolationSees: 'Er kann nur im Ordner seines Chats und in seinen eigenen Ordnern schreiben. Der übrige Home-Ordner ist verborgen.'
}
