import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { sayInSpanish } from '../../../../schedules/spanish.js'
import { type ZonedTime } from '../../tasks/zoned-time.js'
import { type Words } from '../en/index.js'
import { times } from './times.js'

const number = formatter(() => new Intl.NumberFormat('es'))
const day = (date: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('es', { ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00Z`))
const dayMonth = (date: string): string => day(date, { weekday: 'short', day: 'numeric', month: 'short' }).replace(',', '')
const dollars = dollarsIn('es', 0.01)
const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} y ${names.at(-1) ?? ''}`

export const tasks: Words['tasks'] = {
  create: 'Tarea nueva',
  isNew: 'nueva',
  edited: 'sin guardar',
  ways: { label: 'Qué inicia el trabajo', times: 'A horas fijas', calls: 'Con una llamada' },
  list: 'Tareas',
  paused: 'En pausa',
  finished: 'Terminadas',
  back: 'Todas las tareas',
  gone: 'Esta tarea ya no existe. Elige otra.',
  allProfiles: 'Mostrar las tareas de todos los perfiles',
  empty: 'Aún no hay nada programado',
  emptyText: 'Una tarea es un mensaje que el agente recibe a horas fijas, también cuando no estás.',
  exampleButton: (name) => `Prueba una: ${name}`,
  example: {
    name: 'Repaso matinal',
    prompt: 'Revisa la carpeta. ¿Qué ha cambiado desde ayer y qué es lo próximo que hay que hacer? Diez líneas como máximo.',
    schedule: 'cada día laborable por la mañana'
  },
  states: {
    running: 'en curso', queued: 'en cola', paused: 'en pausa', completed: 'terminada', failed: 'con error', undelivered: 'sin entregar',
    blocked: 'ajustes no válidos', scheduled: 'activa'
  },
  runNow: 'Ejecutar ahora',
  runsAlready: 'Ya está en curso.',
  actionsOf: (name) => `Acciones de ${name}`,
  pause: 'Pausar',
  resume: 'Reanudar',
  pausedToast: (name) => `«${name}» está en pausa.`,
  deleted: (name) => `«${name}» se ha eliminado.`,
  deleteTitle: '¿Eliminar esta tarea?',
  deleteText: (name) => `Sus resultados también se eliminan y no se pueden restaurar: «${name}».`,
  skipped: (at) => `Omitida: ${at}.`,
  told: {
    ended: (name) => `«${name}» se ha ejecutado.`,
    failed: (name) => `«${name}» ha fallado.`,
    skipped: (name) => `«${name}» se ha omitido.`,
    open: 'Mostrar'
  },
  times: (done, times) => `${done} de ${times} ejecuciones`,
  streak: (runs) => runs === 1 ? '1 vez.' : `${runs} veces seguidas.`,
  toChat: 'Abrir el último chat',
  runs: 'Resultados',
  noRuns: 'Aún no hay resultados. Cada ejecución añade aquí su respuesta.',
  moreRuns: (count) => `Mostrar anteriores (${count})`,
  went: 'hecho',
  used: (tokens, cost) => cost === null || cost === 0 ? `${number.format(tokens)} tokens` : dollars(cost),
  cost: (run, month) => `unos ${dollars(run)} por ejecución${month === null ? '' : `, ${dollars(month)} al mes`}`,
  name: 'Nombre',
  prompt: '¿Qué debe pasar?',
  promptPlaceholder: 'Revisa la carpeta y di qué es lo próximo que hay que hacer.',
  promptHint: 'En el mensaje, {{last_output}} representa la respuesta de la última ejecución.',
  schedule: '¿Cuándo?',
  hour: 'Hora',
  meant: '¿Querías decir…?',
  inZone: (zone) => zone === 'UTC' ? 'en UTC' : `hora de ${zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone}`,
  once: (at) => `Una vez, ${at}`,
  weekday: (date) => day(date, { weekday: 'short' }),
  daysLabel: (dates) =>
    dates.length === 0 ? 'No se ejecuta en las próximas dos semanas' : `Se ejecuta en las próximas dos semanas: ${dates.map(dayMonth).join(', ')}`,
  nextRuns: (next, [first, ...rest]: readonly ZonedTime[]) => {
    const others = rest.map(({ date, time }) => date === first?.date ? time : time === first?.time ? dayMonth(date) : times.on(dayMonth(date), time))
    return `Próxima: ${next}${others.length === 0 ? '' : `; después, ${listed(others)}`}`
  },
  fiveMore: 'Cinco más',
  fewer: 'Menos',
  scheduleRefused: {
    schedule_unclear: 'Este horario aún no se entiende. Indica días y una hora, o un intervalo: «cada día laborable por la mañana», «cada 2 horas».',
    schedule_cron: 'Esta expresión cron no se puede leer. Tiene cinco partes: minuto, hora, día, mes y día de la semana.',
    schedule_never: 'Ninguna fecha coincide con esto.',
    schedule_past: 'Este momento ya ha pasado. Elige uno futuro.'
  },
  say: sayInSpanish,
  examples: 'Ejemplos',
  scheduleExamples: [
    'cada día laborable por la mañana', 'cada día a las 18:30', 'cada dos martes a las 7', 'el día 1 de cada mes', 'dentro de dos horas'
  ],
  delivery: '¿Adónde va la respuesta?',
  deliveries: { local: 'Inicio', origin: 'Un chat', push: 'Mis dispositivos', webhook: 'Webhook' },
  deliveryNotes: {
    local: 'Se queda aquí, en Resultados.',
    origin: 'Al chat en el que creaste esta tarea.',
    push: 'Como notificación a cada navegador que las tenga activadas.'
  },
  webhook: 'Dirección del webhook',
  webhookHint: 'Cada resultado se envía allí como JSON firmado.',
  model: 'Modelo',
  usualModel: 'Modelo predeterminado',
  otherModel: 'Otro modelo…',
  profile: 'Perfil',
  thisProfile: 'Este',
  workspace: 'Carpeta',
  folderTitle: 'Carpeta de la tarea',
  usualFolder: 'Carpeta predeterminada',
  otherFolder: 'Otra carpeta…',
  addSkill: 'Añadir una skill',
  removeSkill: (name) => `Quitar la skill ${name}`,
  advanced: 'Avanzado',
  cron: 'Expresión cron',
  cronHint: 'Minuto, hora, día, mes, día de la semana. Sustituye a las palabras de arriba.',
  repeat: 'Cuántas veces',
  forever: 'Sin límite',
  ask: 'Si necesita un permiso',
  asks: { wait: 'Esperarme', deny: 'Seguir sin él' },
  toast: 'Avisarme cuando termine una ejecución',
  save: 'Guardar la tarea',
  tryNow: 'Probar ahora',
  saveAndTry: 'Guardar y probar ahora',
  discard: 'Descartar los cambios',
  saved: (name) => `«${name}» se ha guardado.`,
  savedNext: (name, at) => `«${name}» se ha guardado. Próxima ejecución: ${at}.`
}
