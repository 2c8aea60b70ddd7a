import { type Words } from '../en/index.js'

const counted = (count: number): string => `${count} ${count === 1 ? 'comentario' : 'comentarios'}`

export const review: Words['review'] = {
  title: 'Revisión',
  sentTitle: (count) => `Revisión con ${count === 1 ? '1 comentario' : `${count} comentarios`}`,
  asSent: 'Como lo lee el agente',
  label: (line, end) => line === end ? `Comentario a la línea ${line}` : `Comentario a las líneas ${line} a ${end}`,
  hint: '¿Qué debe cambiar o explicar el agente?',
  add: 'Añadir a la revisión',
  count: counted,
  send: (count) => `Enviar ${counted(count)}`,
  sent: 'Revisión enviada.',
  queued: 'Revisión en cola. El agente la recibe después de este turno.',
  commentOn: (name, line) => `Comentario a ${name}, línea ${line}`,
  actions: 'Acciones de este comentario',
  show: 'Mostrar las líneas',
  edit: 'Editar',
  resolve: 'Resolver',
  reopen: 'Reabrir',
  remove: 'Quitar',
  removed: 'Comentario quitado.',
  answer: 'Respuesta del agente',
  gone: 'líneas no encontradas',
  found: { moved: 'movido', changed: 'líneas cambiadas', deleted: 'líneas eliminadas' },
  states: { draft: 'Borrador', sent: 'Enviado', changed: 'Cambiado', answered: 'Respondido', open: 'Sigue abierto', resolved: 'Resuelto' },
  see: 'Marcar como visto',
  unsee: 'Marcar como no visto',
  seen: 'Visto'
}
