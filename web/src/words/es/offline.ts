import { type Words } from '../en/index.js'

export const offline: Words['offline'] = {
  keptNote: (time) => `Guardado en este dispositivo: ${time}; cargando el estado actual`,
  cutOff: 'No se puede conectar con el servicio. Puedes leer lo guardado en este dispositivo. Los mensajes quedan en cola y se envían cuando responda.',
  offline: 'No tienes conexión. Puedes leer lo guardado en este dispositivo. Los mensajes quedan en cola y se envían cuando vuelvas a tenerla.',
  waiting: (count) => count === 1 ? 'Hay 1 mensaje en cola.' : `Hay ${count} mensajes en cola.`,
  unsent: 'Aún sin enviar',
  waits: 'Esperando la conexión',
  unsure: 'Puede que haya llegado; la app lo comprueba antes de volver a enviarlo',
  onItsWay: 'Enviando',
  sentLater: 'Se envió un mensaje en cola.',
  open: 'Abrir',
  edit: 'Devolver al cuadro de mensaje',
  remove: 'Descartar',
  removed: 'Mensaje descartado.',
  refused: (why) => `Sin enviar: ${why}`,
  earlier: 'Escrito antes del último inicio de sesión, así que no se envía automáticamente',
  sendNow: 'Enviar',
  gone: 'Ya se ha enviado.',
  filesWait: (count) => count === 1
    ? 'El archivo compartido está guardado en este dispositivo y se adjuntará cuando el servicio responda.'
    : `Los ${count} archivos compartidos están guardados en este dispositivo y se adjuntarán cuando el servicio responda.`,
  sharedLeftOut: (names, isLarge) =>
    `Omitidos: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` y ${names.length - 3} más` : ''}. ` +
    (isLarge ? 'Se pueden compartir como máximo 512 MiB a la vez.' : 'Un mensaje admite como máximo 20 archivos.'),
  sharedWaits: 'Has compartido algo con esta app.',
  shareFailed: 'Lo que compartiste no se pudo guardar en este dispositivo. Vuelve a compartirlo, o comparte menos a la vez.',
  newVersion: 'Hay una nueva versión de la app.',
  later: 'Más tarde',
  reload: 'Recargar'
}
