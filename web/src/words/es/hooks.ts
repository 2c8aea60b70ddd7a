import { type Words } from '../en/index.js'

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`
const issue = 'Investiga la issue {{issue.title}} de {{repository.full_name}}. Encuentra la causa y escribe qué cambiarías.'

export const hooks: Words['hooks'] = {
  create: 'Hook nuevo',
  createIt: 'Crear el hook',
  isNew: 'nuevo',
  edited: 'sin guardar',
  list: 'Hooks',
  back: 'Todos los hooks',
  gone: 'Este hook ya no existe. Elige otro.',
  empty: 'Aún no hay hooks',
  emptyText: 'Un hook es una dirección a la que llama GitHub, GitLab o cualquier programa para que el agente empiece a trabajar: se etiquetó una issue, falló una comprobación, se envió un formulario.',
  first: 'Su dirección y su secreto se muestran cuando lo hayas creado.',
  paused: 'En pausa',
  lastFailed: 'La última ejecución falló',
  neverCalled: 'Aún sin llamadas',
  calls: (count) => counted(count, 'llamada', 'llamadas'),
  name: 'Nombre',
  sender: '¿Quién llama?',
  senders: { github: 'GitHub', gitea: 'Gitea', gitlab: 'GitLab', json: 'Cualquier programa' },
  address: 'Dirección',
  secret: 'Secreto',
  copy: 'Copiar',
  near: 'Solo los programas de este equipo llegan a esta dirección. Para ver la de otros equipos, abre la app en la dirección que usan.',
  once: 'El secreto se muestra una sola vez. Cópialo ahora; si se pierde, genera uno nuevo.',
  kept: 'Lo he copiado',
  howTo: (name) => `Qué hay que introducir: ${name}`,
  steps: {
    github: [
      'En el repositorio, abre Settings, Webhooks, Add webhook.', 'Payload URL: la dirección. Content type: application/json. Secret: el secreto.',
      'Elige «Let me select individual events» y marca los eventos que elegiste aquí. GitHub envía entonces un ping, que aparece abajo.'
    ],
    gitea: [
      'En el repositorio, abre Settings, Webhooks, Add webhook, Gitea (o Forgejo).',
      'Target URL: la dirección. POST content type: application/json. Secret: el secreto.', 'Elige los eventos, añádelo y pulsa «Test delivery».'
    ],
    gitlab: [
      'En el proyecto, abre Settings, Webhooks, Add new webhook.', 'URL: la dirección. Secret token: el secreto.',
      'Marca los disparadores que elegiste aquí, añádelo y pulsa «Test».'
    ],
    json: [
      'Envía JSON por POST a la dirección, con Content-Type: application/json.',
      'Firma el cuerpo: X-Hub-Signature-256 es «sha256=» y el HMAC del cuerpo con el secreto, en hexadecimal. O envía el propio secreto como X-Gitlab-Token.',
      'El evento es el valor de «event» o «type» en el cuerpo.'
    ]
  },
  command: 'Una llamada desde un terminal',
  when: '¿Qué eventos inician una ejecución?',
  otherEvent: 'Otro evento…',
  everyEvent: 'Ninguno elegido: cualquier evento inicia una ejecución.',
  onlyEvents: 'Los demás eventos se aceptan y no inician nada.',
  match: 'Solo si la llamada dice',
  path: 'Ruta en el cuerpo',
  value: 'Valor',
  addMatch: 'Añadir una condición',
  removeMatch: (path) => `Quitar la condición ${path}`,
  matchHint: 'Deben cumplirse todas las condiciones. En una lista, basta una entrada.',
  what: '¿Qué debe pasar?',
  examples: {
    github: issue,
    gitea: issue,
    gitlab: 'Investiga {{object_attributes.title}} de {{project.path_with_namespace}}. Encuentra la causa y escribe qué cambiarías.',
    json: '{{name}} escribió: {{message}}. Redacta una respuesta.'
  },
  useExample: 'Usar el ejemplo',
  addPlace: (name) => `Añadir el valor ${name}`,
  templateHint: 'Los valores de la llamada llegan entrecomillados, para que nada en ellos se lea como una instrucción tuya. Si no pones ninguno, se añade la llamada entera.',
  preview: 'Vista previa',
  previewOf: 'Vista previa de',
  lastCall: 'La última llamada',
  example: 'Un ejemplo',
  asked: 'Lo que se le pide al agente',
  wouldStart: 'Una llamada así inicia una ejecución.',
  wouldNot: { event: 'Una llamada así no inicia nada: su evento es otro.', match: 'Una llamada así no inicia nada: una condición no se cumple.' },
  ask: 'Si necesita un permiso',
  asks: { deny: 'Seguir sin él', wait: 'Esperarme' },
  more: 'Presupuesto y entrega',
  budget: 'Presupuesto por día, US$',
  noBudget: 'Como en las tareas',
  budgetHint: 'Lo que pueden costar en un día todas las ejecuciones de este hook.',
  badBudget: 'Escribe un importe mayor que 0, o déjalo vacío.',
  save: 'Guardar el hook',
  saved: (name) => `«${name}» se ha guardado.`,
  discard: 'Descartar los cambios',
  actionsOf: (name) => `Acciones de ${name}`,
  pause: 'Pausar',
  resume: 'Reanudar',
  pausedToast: (name) => `«${name}» está en pausa. Las llamadas se aceptan y no inician nada.`,
  rotate: 'Generar un secreto nuevo',
  deleted: (name) => `«${name}» y sus resultados se han eliminado.`,
  lastCalls: 'Últimas llamadas',
  refresh: 'Actualizar',
  noCalls: 'Nadie lo ha llamado todavía.',
  outcomes: {
    duplicate: 'la misma llamada llegó antes', event: 'no inició nada: otro evento', match: 'no inició nada: una condición no se cumple',
    paused: 'no inició nada: el hook estaba en pausa', ping: 'ping: la conexión funciona', refused: 'rechazada: no está firmada con el secreto',
    invalid: 'rechazada: el cuerpo no es JSON válido o es demasiado grande', busy: 'rechazada: había demasiadas llamadas en espera'
  },
  runs: {
    queued: 'ejecución en cola', running: 'ejecución en curso', done: 'ejecución hecha', failed: 'ejecución fallida', unknown: 'inició una ejecución'
  },
  times: (count) => count === 1 ? '(1 vez)' : `(${count} veces)`,
  openRun: 'Abrir el chat'
}
