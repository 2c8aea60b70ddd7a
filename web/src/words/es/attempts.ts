import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const dollars = dollarsIn('es', 0.01)
const number = formatter(() => new Intl.NumberFormat('es', { notation: 'compact', maximumFractionDigits: 1 }))
const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`
const files = (count: number): string => counted(count, 'archivo', 'archivos')
const changed = (count: number): string => counted(count, 'archivo cambiado', 'archivos cambiados')

export const attempts: Words['attempts'] = {
  none: 'Aún no hay intentos',
  noneText: 'Escribe una tarea en el cuadro de un chat y elige «Intentar varias veces» en el menú de al lado. Cada intento trabaja en su propia copia.',
  all: 'Todos los intentos',
  gone: 'Estos intentos ya no existen.',
  count: (count) => counted(count, 'intento', 'intentos'),
  carried: 'Cada uno empezó con tus cambios sin commit.',
  begin: {
    title: 'Intentar varias veces',
    note: 'La misma tarea se hace varias veces, cada una en su propio worktree de git y su propio chat. Comparas los resultados y te quedas con uno.',
    noTask: 'Escribe primero la tarea en el cuadro.',
    count: 'Número de intentos',
    models: 'Modelos, por turnos',
    addModel: 'Añadir un modelo',
    removeModel: (name) => `Quitar ${name}`,
    more: 'Comprobación, revisor y presupuesto',
    check: 'Comprobación',
    checkHint: 'Un comando que se ejecuta en cada resultado, como npm test. Se ejecuta sin preguntarte, con las mismas restricciones que los comandos del agente; lo que git ignora, como los paquetes instalados, no está en el worktree.',
    reviewer: 'Revisor',
    noReviewer: 'Ninguno',
    budget: 'Presupuesto en dólares',
    budgetHint: 'Para todos los intentos juntos; cuando se agota, se detienen.',
    go: (count) => `Iniciar ${counted(count, 'intento', 'intentos')}`
  },
  columns: { attempt: 'Intento', state: 'Estado', check: 'Comprobación', changes: 'Cambios', cost: 'Coste', tokens: 'Tokens', time: 'Tiempo' },
  name: (position, model) => model === null ? `Intento ${position}` : `${position} · ${model}`,
  states: {
    waiting: 'En espera', running: 'Trabajando', checking: 'Comprobando', reviewing: 'En revisión', done: 'Hecho', failed: 'Con error',
    cancelled: 'Detenido', stopped: 'Presupuesto agotado'
  },
  waitsForYou: 'Te espera',
  passed: 'Superada',
  failed: 'Fallida',
  noCheck: '–',
  files,
  noChange: 'Sin cambios',
  cost: (amount) => amount === null || amount === 0 ? '–' : dollars(amount),
  tokens: (count) => number.format(count),
  tokensUsed: (count) => `${count} tokens`,
  best: 'Preferido por el juez',
  isTaken: 'Aplicado',
  judging: 'El juez los está comparando…',
  judge: 'Juez',
  review: 'Revisión',
  checkOutput: 'Salida de la comprobación',
  answer: 'Respuesta',
  changes: 'Cambios',
  openChat: 'Abrir el chat',
  take: 'Aplicar',
  takeTitle: '¿Aplicar este intento?',
  takeNote: (count, folder) => `Sus cambios en ${files(count)} se aplican a ${folder}. Lo que haya cambiado allí desde entonces se conserva. Puedes deshacerlo durante una semana.`,
  took: (count) => `Aplicado: ${changed(count)}.`,
  takeFile: 'Aplicar el archivo',
  takeHunk: 'Aplicar el fragmento',
  undo: 'Deshacer',
  undone: (count) => `Deshecho: ${changed(count)}.`,
  stop: 'Detener todos',
  remove: 'Quitar los worktrees',
  removeTitle: '¿Quitar los worktrees?',
  removeNote: 'Se pierden los cambios que no hayas aplicado y de los que nadie haya hecho commit. Los chats se conservan.',
  removed: 'Worktrees quitados.',
  noWorktree: 'Su worktree se ha quitado.',
  kept: (when) => `Los worktrees se quitan: ${when}.`,
  budget: (used, limit) => `${used} de ${limit} usados`,
  binary: 'Archivo binario'
}
