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
  tooDeep: 'Zu lang oder zu tief, um gesetzt zu werden: so gezeigt, wie es ist.',
  artifact: {
    drawn: { diagram: 'Diagramm', picture: 'Bild', page: 'Seite' },
    asCode: 'Code',
    shownAs: 'Ansicht',
    open: 'Groß öffnen',
    stop: 'Anhalten',
    run: 'Seite zeigen',
    versions: 'Fassungen',
    version: (at, of) => `Fassung ${at} von ${of}`,
    drawing: 'Wird gezeichnet …',
    noDiagram: 'Dieses Diagramm lässt sich nicht zeichnen. Hier ist der Code.',
    noPicture: 'Dieses Bild lässt sich nicht zeigen. Hier ist der Code.',
    notLoaded: 'Der Teil, der Diagramme zeichnet, konnte nicht geladen werden. Hier ist der Code.',
    tookTooLong: 'Das wurde beim letzten Mal nicht fertig, deshalb wird es nicht von selbst gezeichnet.',
    drawAnyway: 'Trotzdem zeichnen',
    stuck: 'Diese Seite antwortet nicht.',
    blocked: (count) => `${count === 1 ? 'Eine Sache' : `${count} Dinge`} aus dem Netz ${count === 1 ? 'wurde' : 'wurden'} nicht geladen: Seiten in Antworten haben kein Netz.`
  }
}
