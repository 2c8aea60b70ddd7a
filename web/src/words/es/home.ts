import { type Words } from '../en/index.js'

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const home: Words['home'] = {
  greeting: (hour) => hour < 5 ? 'Buenas noches.' : hour < 12 ? 'Buenos días.' : hour < 20 ? 'Buenas tardes.' : 'Buenas noches.',
  since: 'Mientras no estabas:',
  waiting: (count) => `${count} en espera`,
  finished: (count) => counted(count, 'terminado', 'terminados'),
  filesChanged: (count) => counted(count, 'archivo cambiado', 'archivos cambiados'),
  between: ', ',
  end: '.',
  quiet: 'Todo tranquilo. ¿En qué trabajamos?',
  ask: '¿En qué trabajamos?',
  temporary: 'Chat temporal'
}

/** Texts below the composer on the start page. */
export const homeRows: Words['homeRows'] = {
  waiting: 'Te espera',
  finished: 'Terminado',
  now: 'En curso',
  markSeen: 'Marcar todo como visto',
  showAll: (count) => `Mostrar los ${count}`,
  states: { done: 'terminado', failed: 'con error', stopped: 'detenido' },
  failedTask: 'La tarea falló',
  files: (count) => counted(count, 'archivo', 'archivos'),
  queued: (count) => `${counted(count, 'ejecución', 'ejecuciones')} en cola`,
  review: 'Revisar',
  answer: 'Responder',
  open: 'Abrir',
  tryOne: 'Por ejemplo',
  examples: [
    'Muéstrame qué hay en esta carpeta y para qué sirve cada parte.',
    'Busca aquí algo que pueda ser más sencillo y enséñame el cambio antes de hacerlo.',
    'Cada día laborable por la mañana, dime en diez líneas qué ha cambiado desde ayer.'
  ]
}
