import { type Words } from '../en/index.js'

export const markdown: Words['markdown'] = {
  code: 'Código',
  codeIn: (language) => `Código: ${language}`,
  download: 'Descargar',
  wrap: 'Ajustar líneas',
  table: 'Tabla',
  footnotes: 'Notas al pie',
  footnote: (label) => `Nota al pie ${label}`,
  backToText: 'Volver al texto',
  done: 'Hecho',
  notDone: 'Sin hacer',
  image: (name) => `Imagen: ${name}`,
  tooDeep: 'Demasiado largo o profundo para darle formato: se muestra tal cual.',
  artifact: {
    drawn: { diagram: 'Diagrama', picture: 'Imagen', page: 'Página' },
    asCode: 'Código',
    shownAs: 'Vista',
    open: 'Abrir en grande',
    stop: 'Detener',
    run: 'Mostrar página',
    versions: 'Versiones',
    version: (at, of) => `Versión ${at} de ${of}`,
    drawing: 'Dibujando…',
    noDiagram: 'Este diagrama no se puede dibujar. Aquí está su código.',
    noPicture: 'Esta imagen no se puede mostrar. Aquí está su código.',
    notLoaded: 'No se pudo cargar la parte que dibuja diagramas. Aquí está el código.',
    tookTooLong: 'La última vez no terminó, así que no se dibuja por sí solo.',
    drawAnyway: 'Dibujar de todos modos',
    stuck: 'Esta página no responde.',
    blocked: (count) => `${count === 1 ? 'Un elemento' : `${count} elementos`} de la red no se ${count === 1 ? 'ha' : 'han'} cargado: las páginas de las respuestas no tienen red.`
  }
}
