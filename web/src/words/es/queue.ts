import { type Words } from '../en/index.js'

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const queue: Words['queue'] = {
  title: (count) => `${counted(count, 'mensaje', 'mensajes')} en cola`,
  list: 'Mensajes en cola',
  held: {
    failed: 'El último turno falló, así que la cola te espera.',
    cancelled: 'Detuviste el último turno, así que la cola te espera.',
    budget: 'Se agotó un presupuesto, así que la cola te espera.',
    restored: 'Se restauró una copia de seguridad, así que la cola te espera.'
  },
  waiting: 'La cola sigue cuando hayas respondido.',
  limit: 'La cola sigue después del turno que espera a su proveedor.',
  goOn: 'Continuar',
  drop: 'Descartar todo',
  dropped: (count) => counted(count, 'mensaje en cola descartado', 'mensajes en cola descartados'),
  move: (text) => `Mover «${text}»`,
  moveHint: 'Arrastra o usa las teclas de flecha.',
  moveUp: 'Subir',
  moveDown: 'Bajar',
  moved: (place, of) => `Movido al puesto ${place} de ${of}`,
  more: (text) => `Acciones de «${text}»`,
  sendNow: 'Enviar ahora',
  addNow: 'Añadir al turno en curso',
  steered: 'El agente lo tiene y lo lee en su próximo paso.',
  next: 'El turno en curso no puede recibirlo. Será el siguiente.',
  edit: 'Editar',
  editing: 'Mensaje en cola',
  save: 'Guardar',
  remove: 'Quitar',
  removed: 'Quitado de la cola',
  files: (count) => counted(count, 'archivo', 'archivos'),
  from: (time) => `No antes de: ${time}`,
  changedElsewhere: 'Otro dispositivo ha cambiado este mensaje. Guarda otra vez para sustituir su texto.',
  begun: 'Este mensaje ya salió de la cola. Tu texto está en el cuadro de mensaje.'
}
