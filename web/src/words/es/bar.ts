import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const compact = formatter(() => new Intl.NumberFormat('es', { notation: 'compact', maximumFractionDigits: 1 }))

export const bar: Words['bar'] = {
  more: {
    label: 'Añadir archivos y más',
    goal: { text: 'Perseguir un objetivo', note: 'El agente encadena turnos hasta alcanzar el objetivo.' },
    btw: { text: 'Hacer una pregunta aparte', note: 'La respuesta rápida no pasa a formar parte del chat.' },
    background: { text: 'Ejecutar en segundo plano', note: 'Una tarea separada. Mientras tanto puedes seguir aquí.' },
    attempts: { text: 'Intentar varias veces…', note: 'La misma tarea en varios worktrees; te quedas con el mejor resultado.' },
    worktree: { text: 'Trabajar en un worktree de git', note: 'El chat nuevo recibe su propia copia del repositorio, en una rama nueva.' },
    all: 'Todos los comandos'
  },
  getKey: 'Obtener una clave…',
  effortTitle: 'Esfuerzo de razonamiento',
  effort: (effort) => ({
    '': 'Esfuerzo normal', none: 'Sin razonamiento', minimal: 'Mínimo', low: 'Bajo', medium: 'Medio', high: 'Alto', xhigh: 'Muy alto',
    max: 'Máximo'
  }[effort] ?? effort),
  effortBrief: (effort) => ({
    '': 'normal', none: 'no', minimal: 'mínimo', low: 'bajo', medium: 'medio', high: 'alto', xhigh: 'muy alto', max: 'máximo'
  }[effort] ?? effort),
  effortSet: (effort) => `Esfuerzo de razonamiento: ${effort}`,
  personality: 'Personalidad',
  noPersonality: 'Sin personalidad',
  scopes: { turn: 'Por turno', session: 'Por chat', day: 'Por día' },
  usd: dollarsIn('es'),
  demo: 'Demo sin conexión',
  short: (count) => compact.format(count)
}
