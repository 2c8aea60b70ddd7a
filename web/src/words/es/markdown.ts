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
    tookTooLong: 'La última vez no terminó, así que no se dibuja automáticamente.',
    drawAnyway: 'Dibujar de todos modos',
    stuck: 'Esta página no responde.',
    blocked: (count) =>
      `${count === 1 ? 'Se bloqueó 1 petición de red' : `Se bloquearon ${count} peticiones de red`} de esta página: las páginas de las respuestas no tienen red.`
  },
  view: {
    of: (tool, server) => `${tool} de ${server}`,
    gone: (server) => `La vista de esta llamada de ${server} ya no se conserva. Su resultado está en los pasos de arriba.`,
    reaches: 'Esta vista quiere conectarse a estas direcciones:',
    show: 'Mostrar vista',
    close: 'Cerrar vista',
    closed: 'La vista está cerrada.',
    held: 'La última vez esta vista no terminó de iniciarse, así que no se inicia automáticamente.',
    asksTool: (tool, server) => `¿Usar ${tool} de ${server}?`,
    asksLink: (server) => `¿Abrir una página para ${server}?`,
    asksResource: (server) => `¿Leer de ${server}?`,
    full: 'Pantalla completa',
    leaveFull: 'Salir de pantalla completa',
    calls: (n) => n === 1 ? 'La vista hizo 1 llamada' : `La vista hizo ${n} llamadas`,
    states: {
      running: 'En curso',
      failed: 'Falló',
      refused: 'No realizada',
      lost: 'El servicio terminó durante esta llamada. No se sabe si tuvo efecto.'
    },
    fromView: 'Lo pide la vista, no el agente.',
    once: 'Permitir una vez',
    inChat: 'Permitir en este chat',
    deny: 'Denegar',
    openLink: 'Abrir'
  }
}
