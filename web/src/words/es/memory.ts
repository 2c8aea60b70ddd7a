import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('es'))

export const memory: Words['memory'] = {
  names: { memory: 'Notas', user: 'Sobre ti', soul: 'Persona', project: 'Instrucciones del espacio' },
  about: {
    memory: 'Lo que el agente ha anotado para sí. Lo lee al empezar cada chat y puede cambiarlo cuando se lo permites.',
    user: 'Lo que el agente sabe de ti. Lo lee al empezar cada chat y puede cambiarlo cuando se lo permites.',
    soul: 'Quién es el agente y cómo habla. Solo lo cambian las personas.',
    project: 'Estos archivos están en el espacio de trabajo y solo valen allí. Edita los archivos para cambiarlos.'
  },
  examples: {
    memory: '- Las pruebas del sitio se ejecutan con `npm test`.\n- Las versiones se publican los viernes.',
    user: '- Llámame Kim.\n- Respuestas cortas, unidades métricas.',
    soul: 'Eres un compañero tranquilo. Dices lo que no sabes.'
  },
  useExample: 'Empezar con un ejemplo',
  off: 'Este perfil no usa este documento.',
  problem: (problem) => `Este documento no se puede leer: ${problem}`,
  masked: 'Las claves y contraseñas se muestran como [redacted]. Deja esas líneas como están y conservarán sus valores.',
  plain: 'Ahora no se oculta nada: se pueden leer claves y contraseñas.',
  showValues: 'Mostrar los valores',
  hideValues: 'Ocultar los valores',
  tooLong: (bytes, most) => `Es demasiado largo: ${number.format(bytes)} de ${number.format(most)} bytes.`,
  discard: 'Descartar los cambios',
  saved: 'Guardado. Los chats nuevos lo usan.',
  conflict: 'Alguien más cambió este documento. Tus ediciones siguen aquí.',
  keepMine: 'Guardar la mía',
  takeTheirs: 'Usar la otra',
  theirs: 'Versión actual',
  view: 'Vista',
  views: { facts: 'Datos', text: 'Texto completo' },
  fact: 'Dato',
  factPlaceholder: 'Las versiones se publican los viernes.',
  noFacts: 'Aún no hay nada anotado. Dile al agente algo que recordar o añádelo aquí.',
  moreFacts: (count) => `Mostrar ${number.format(count)} más`,
  addFact: 'Añadir un dato',
  editFact: 'Editar este dato',
  forget: 'Olvidar este dato',
  forgotten: 'Olvidado. Los chats nuevos ya no lo saben.',
  olderThan: (at) => `antes de: ${at}`,
  tidy: 'Ordenar',
  proposal: 'Una versión más ordenada',
  tidying: 'Un modelo busca entradas repetidas y anticuadas…',
  tidyAlready: 'No hay nada que ordenar.',
  accept: 'Aceptar',
  leave: 'Conservar la versión actual',
  tidied: 'Documento ordenado.',
  versions: 'Versiones',
  noVersions: 'Aún no hay versiones anteriores.',
  authors: { person: 'Tuya', agent: 'Del agente', disk: 'Cambiada en el disco' },
  bytes: (bytes) => `${number.format(bytes)} bytes`,
  missing: 'sin archivo',
  current: 'actual',
  currentNote: 'Esta es la versión actual.',
  since: 'Cambios desde entonces:',
  restore: 'Restaurar esta versión',
  restored: 'Versión restaurada.',
  shadowed: (count) => count === 1 ? 'Aquí se ignora 1 archivo' : `Aquí se ignoran ${count} archivos`
}
