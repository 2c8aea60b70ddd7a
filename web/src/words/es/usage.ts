import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'
import { bar } from './bar.js'

const number = formatter(() => new Intl.NumberFormat('es'))
const days = formatter(() => new Intl.DateTimeFormat('es', { day: 'numeric', month: 'short' }))

export const usage: Words['usage'] = {
  period: 'Periodo',
  days: (count) => count === 365 ? '1 año' : `${count} días`,
  export: 'Exportar',
  empty: 'No se usó nada en este periodo',
  emptyText: 'Aquí se cuenta lo que usan tus chats y tareas, en tokens y dinero, por día, modelo, proyecto y tarea.',
  emptyAction: 'Empezar un chat',
  tokenCount: (tokens) => `${tokens} tokens`,
  chatCount: (count) => count === 1 ? '1 chat' : `${number.format(count)} chats`,
  cachedShare: (percent) => `${percent} % de la caché`,
  cost: 'Coste',
  tokens: 'Tokens',
  input: 'Entrada',
  output: 'Salida',
  chats: 'Chats',
  inOut: (read, written) => `${read} de entrada, ${written} de salida`,
  messages: (count) => count === 1 ? '1 mensaje' : `${number.format(count)} mensajes`,
  usd: bar.usd,
  short: bar.short,
  count: (count) => number.format(count),
  seconds: (seconds) => seconds >= 120
    ? `${number.format(Math.round(seconds / 60))} min`
    : `${seconds.toFixed(seconds < 10 ? 1 : 0).replace('.', ',')} s`,
  day: (date) => days.format(date),
  perDay: 'Por día',
  perWeek: 'Por semana',
  measure: 'Medida',
  breakdown: 'Desglose',
  by: { model: 'Modelo', kind: 'Tipo', project: 'Proyecto', job: 'Tarea', tool: 'Herramienta', prompt: 'Permisos y preguntas' },
  share: 'Proporción',
  turns: 'Turnos',
  runs: 'Ejecuciones',
  calls: 'Llamadas',
  failures: 'Con error',
  mean: 'Media',
  total: 'Total',
  asked: 'Preguntado',
  allowed: 'Permitido',
  denied: 'Denegado',
  answered: 'Respondido',
  expired: 'Caducado',
  cancelled: 'Turno terminado',
  open: 'Abierto',
  promptKinds: { approval: 'Permisos', clarify: 'Preguntas' },
  kinds: {
    chat: 'Chat', goal: 'Objetivo', btw: 'Pregunta aparte', background: 'Tarea en segundo plano', delegate: 'Subagente', cron: 'Tarea',
    deleted: 'Chats eliminados', retracted: 'Respuestas deshechas',
    vision: 'Describir imágenes', web_extract: 'Leer páginas', session_search: 'Buscar en chats', mcp_sampling: 'Servidores MCP',
    title: 'Títulos', judge: 'Juzgar objetivos',
    compress: 'Resúmenes', commit_message: 'Mensajes de commit', pull_request: 'Pull Requests', curate: 'Ordenar la memoria',
    probe: 'Pruebas de proveedores', compare_attempts: 'Comparar intentos', review_attempt: 'Revisar intentos'
  },
  noProject: 'Sin proyecto',
  unknownModel: 'Modelo desconocido',
  gone: (id) => `Eliminado (${id})`,
  nothing: 'Nada en este periodo.',
  since: (at) => `Se cuenta desde el ${days.format(at)}.`,
  budgets: 'Presupuestos',
  budgetsText: 'Un límite de aviso solo te lo dice. En un límite de parada, el turno espera a que permitas más.',
  scopes: { ...bar.scopes, attempts: 'Por grupo de intentos', job: 'Por ejecución de tarea' },
  limit: {
    soft_usd: (amount) => `avisa al llegar a ${amount}`,
    hard_usd: (amount) => `para al llegar a ${amount}`,
    soft_tokens: (count) => `avisa al llegar a ${count} tokens`,
    hard_tokens: (count) => `para al llegar a ${count} tokens`
  },
  noLimit: 'sin límite',
  change: 'Cambiar',
  changeLimits: (scope) => `Cambiar los límites: ${scope}`,
  today: (amount, tokens) => `Hoy: ${amount}, ${tokens} tokens`,
  ofLimit: (percent) => `${percent} % del límite de hoy`,
  unpriced: (model) => `No se conoce el precio de ${model}.`,
  resets: (at) => `Un nuevo día empieza ${at}.`
}
