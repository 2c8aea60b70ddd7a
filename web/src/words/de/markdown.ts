import { type Words } from '../en/index.js'

export const markdown: Words['markdown'] = {
  code: 'Code',
  codeIn: (language) => `Code: ${language}`,
  download: 'Herunterladen',
  wrap: 'Zeilen umbrechen',
  table: 'Tabelle',
  footnotes: 'Fußnoten',
  footnote: (label) => `Fußnote ${label}`,
  backToText: 'Zurück zum Text',
  done: 'Erledigt',
  notDone: 'Nicht erledigt',
  image: (name) => `Bild: ${name}`,
  artifact: {
    drawn: { diagram: 'Diagramm', picture: 'Bild', page: 'Seite' },
    asCode: 'Code',
    shownAs: 'Ansicht',
    open: 'Groß öffnen',
    stop: 'Anhalten',
    run: 'Seite anzeigen',
    versions: 'Fassungen',
    version: (at, of) => `Fassung ${at} von ${of}`,
    drawing: 'Wird gezeichnet …',
    noDiagram: 'Dieses Diagramm lässt sich nicht zeichnen. Hier ist der Code.',
    noPicture: 'Dieses Bild lässt sich nicht anzeigen. Hier ist der Code.',
    notLoaded: 'Der Teil, der Diagramme zeichnet, konnte nicht geladen werden. Hier ist der Code.',
    tookTooLong: 'Das wurde beim letzten Mal nicht fertig, deshalb wird es nicht automatisch gezeichnet.',
    drawAnyway: 'Trotzdem zeichnen',
    stuck: 'Diese Seite antwortet nicht.',
    blocked: (count) => `${count === 1 ? '1 Netzwerkanfrage' : `${count} Netzwerkanfragen`} dieser Seite ${count === 1 ? 'wurde' : 'wurden'} blockiert: Seiten in Antworten haben kein Netz.`
  },
  view: {
    of: (tool, server) => `${tool} von ${server}`,
    gone: (server) => `Die Ansicht dieses Aufrufs von ${server} ist nicht mehr gespeichert. Das Ergebnis steht in den Schritten darüber.`,
    reaches: 'Diese Ansicht möchte sich mit diesen Adressen verbinden:',
    show: 'Ansicht anzeigen',
    close: 'Ansicht schließen',
    closed: 'Die Ansicht ist geschlossen.',
    held: 'Diese Ansicht wurde beim letzten Mal nicht fertig geladen, deshalb startet sie nicht automatisch.',
    asksTool: (tool, server) => `${tool} von ${server} verwenden?`,
    asksLink: (server) => `Eine Seite für ${server} öffnen?`,
    asksResource: (server) => `Von ${server} lesen?`,
    full: 'Vollbild',
    leaveFull: 'Vollbild verlassen',
    calls: (n) => n === 1 ? 'Die Ansicht hat 1 Aufruf gemacht' : `Die Ansicht hat ${n} Aufrufe gemacht`,
    states: {
      running: 'Läuft',
      failed: 'Fehlgeschlagen',
      refused: 'Nicht ausgeführt',
      lost: 'Der Dienst endete während dieses Aufrufs. Ob er etwas bewirkt hat, ist nicht bekannt.'
    },
    fromView: 'Darum bittet die Ansicht, nicht der Agent.',
    once: 'Einmal erlauben',
    inChat: 'In diesem Chat erlauben',
    deny: 'Ablehnen',
    openLink: 'Öffnen'
  }
}
