import { type Words } from '../en/index.js'

export const chat: Words['chat'] = {
  goals: {
    active: (used, most) => `Objetivo · turno ${used} de ${most}`,
    paused: 'Objetivo en pausa',
    done: 'Objetivo alcanzado',
    checking: 'Comprobando el objetivo',
    pause: 'Pausar',
    resume: 'Reanudar',
    giveUp: 'Abandonar el objetivo',
    pauses: {
      person: 'lo pausaste',
      turns: 'se han usado todos los turnos',
      budget: 'el presupuesto está agotado',
      cancelled: 'el turno se detuvo',
      failed: 'el turno falló',
      cut_off: 'el servicio se detuvo en mitad de un turno',
      not_started: 'el siguiente turno no pudo empezar',
      judge_silent: 'el juez no respondió',
      judge_unclear: 'el veredicto del juez no fue claro'
    }
  },
  events: {
    retry: 'El modelo no respondió. Nuevo intento.',
    compression_failed: 'No se pudo resumir la parte anterior del chat.',
    compressing: 'El chat se ha alargado. Se está resumiendo la parte anterior.',
    compressed: 'Se resumió la parte anterior del chat.',
    cut_short: 'La respuesta alcanzó la longitud máxima del modelo.',
    budget: 'Un presupuesto está agotado.',
    fallback: 'Otro modelo toma el relevo.'
  },
  readOnly: {
    why: 'Este chat es de solo lectura.',
    branch: 'Bifurcar para continuar',
    goOn: 'Continuar aquí',
    inPlace: (m: string): string => `Continúa el mismo chat con ${m}. Después, el terminal muestra lo que añadas.`,
    notInPlace: (why: string): string => `No se puede continuar aquí: ${why}`,
    subAgent: 'Un subagente trabaja en este chat, así que es de solo lectura.',
    toParent: 'Abrir el chat principal'
  },
  parked: {
    name: 'Proveedor en su límite',
    until: (provider, time) => `${provider} está en su límite (hasta: ${time}). Después el turno continúa automáticamente.`,
    asks: (provider) => `${provider} está en su límite. El turno espera a que decidas cómo continúa.`,
    cannot: (provider) => `El turno no pudo continuar con ${provider} y espera a que decidas cómo continúa.`,
    now: 'Continuar ahora',
    wait: 'Esperar',
    withAnother: 'Usar otro modelo…',
    another: 'Continuar con otro modelo',
    stop: 'Detener'
  },
  rename: 'Renombrar',
  pin: 'Fijar',
  unpin: 'Dejar de fijar',
  move: 'Mover a un proyecto',
  archive: 'Archivar',
  unarchive: 'Sacar del archivo',
  worktree: 'Worktree',
  duplicate: 'Duplicar',
  export: 'Exportar',
  share: 'Compartir',
  sharing: {
    title: '¿Compartir este chat?',
    what: (title, count) => `Cualquiera que tenga el enlace puede leer «${title}» (${count === 1 ? '1 mensaje' : `${count} mensajes`}) sin iniciar sesión.`,
    note: 'La página incluye lo que hizo el agente y la salida de sus herramientas. Las credenciales conocidas se ocultan. Los mensajes posteriores no se añaden.',
    preview: 'Vista previa de la página',
    share: 'Compartir',
    doneTitle: 'Este chat está compartido',
    kept: 'Copia el enlace ahora: no se volverá a mostrar.',
    all: 'Todas las páginas compartidas',
    copy: 'Copiar el enlace',
    revoke: 'Dejar de compartir',
    revoked: 'La página ya no se comparte.'
  },
  yoloStep: {
    title: '¿Ejecutar todo sin preguntar?',
    means: 'En este chat, el agente hace lo que decida, sin esperarte:',
    facts: [
      'Ejecuta comandos, cambia y elimina archivos y envía peticiones.', 'Lo que ahora te espera se permite de inmediato.',
      'Sigue activo hasta que lo desactives o se reinicie el servicio.'
    ],
    back: 'Seguir preguntando',
    confirm: 'Ejecutar sin preguntar'
  },
  otherFolder: 'Cambiar de carpeta',
  undoExchange: 'Deshacer el último intercambio',
  exchangeUndone: 'Último intercambio deshecho.',
  openKept: 'Abrir la versión anterior',
  delete: 'Eliminar',
  temporary: {
    name: 'Chat temporal',
    note: 'No se lista ni se recuerda, y se elimina al salir.',
    keep: 'Conservar este chat',
    kept: 'Chat conservado. Ya está en la lista.',
    left: 'Chat temporal eliminado.'
  },
  yolo: 'Ejecutar todo sin preguntar…',
  side: {
    question: 'Pregunta aparte',
    task: 'Tarea en segundo plano',
    lost: 'La respuesta ya no está disponible.',
    states: {
      running: 'trabajando', stopping: 'deteniéndose', done: 'hecho', elsewhere: 'Su resultado se mostró en otra ventana.',
      gone: 'Su chat ya no existe.'
    }
  },
  noEffort: 'Este modelo no permite ajustar el esfuerzo.',
  noPersonalities: 'Aún no hay personalidades. Crea una en Ajustes, Comportamiento.',
  usage: {
    title: 'Uso de este chat',
    window: (percent) => `Se usa el ${percent} % del contexto`,
    held: (held, length) => `${held} de ${length} tokens`,
    threshold: (tokens) => `se resume al llegar a ${tokens}`,
    model: 'Modelo',
    input: 'Tokens de entrada',
    output: 'Tokens de salida',
    cache: 'En caché',
    cost: 'Coste',
    unpriced: 'precio desconocido',
    last: 'Último turno',
    speed: (tokensPerSecond) => `${tokensPerSecond} tokens por segundo`,
    compress: 'Resumir ahora los mensajes anteriores',
    all: 'Todo el uso y los presupuestos'
  }
}
