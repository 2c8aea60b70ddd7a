import { type Words } from '../en/index.js'

const counted = (count: number): string => `${count} ${count === 1 ? 'paso' : 'pasos'}`

export const plan: Words['plan'] = {
  mode: 'Modo plan',
  modeNote: 'El agente lee y pregunta. No cambia nada hasta que inicies su plan.',
  steps: (title, count) => `${title === '' ? 'El plan' : title} · ${counted(count)}`,
  open: 'Abrir el plan',
  go: 'Adelante',
  noSteps: 'El plan no tiene pasos. Escríbelos como lista de tareas: - [ ] …',
  none: 'Aún no hay plan.',
  noneNote: 'Activa el modo plan debajo del cuadro de mensaje y describe la tarea. O escribe el plan tú.',
  write: 'Escribir un plan',
  edit: 'Editar',
  text: 'El plan en Markdown',
  version: (version, author) => `Versión ${version}, ${author === 'agent' ? 'del agente' : 'editada por ti'}`,
  started: 'Iniciado',
  comment: (line) => `Comentar la línea ${line}`,
  changedMeanwhile: 'El plan ha cambiado desde que empezaste. Tu texto sigue aquí.',
  refused: {
    plan_changed: 'El plan ha cambiado mientras tanto. Tu texto sigue aquí.',
    plan_started: 'El plan ya se inició en otro dispositivo.',
    agent_running: 'El agente está trabajando. Inicia el plan cuando termine.'
  }
}
