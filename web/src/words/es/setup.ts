import { type Words } from '../en/index.js'

export const setup: Words['setup'] = {
  title: 'Conectar un modelo',
  note: 'Hasta entonces responde la demo incluida. Sigue reglas fijas y no es un modelo de IA.',
  key: 'Pega una clave',
  keyHint: 'OpenAI, Anthropic, Google u OpenRouter. Se queda en este servidor.',
  recognised: (name) => `Una clave de ${name}. Se queda en este servidor.`,
  keyTooShort: 'Una clave es una sola línea de al menos 8 caracteres.',
  provider: '¿De quién es la clave?',
  choose: 'Elegir…',
  noProvider: 'Elige de quién es la clave.',
  asEndpoint: (name) => `Parece una clave de ${name}. Añade ${name} como endpoint en Modelos.`,
  connect: 'Comprobar la clave',
  saveAnyway: 'Guardar igualmente',
  getKey: '¿Aún no tienes clave? Consíguela en',
  opensPage: (name) => `Obtener una clave de ${name} (abre su sitio)`,
  refused: {
    invalid_key: (name) => `${name} rechazó esta clave. Vuelve a copiarla entera o crea una nueva allí.`,
    no_quota: (name) => `${name} conoce esta clave, pero a su cuenta no le queda saldo. Recárgala allí o usa otra clave.`,
    rate_limited: (name) => `${name} no acepta más peticiones por ahora. Vuelve a intentarlo dentro de un minuto.`,
    tls: (name) => `La conexión con ${name} no es segura, así que la clave no se envió. Comprueba los certificados de este servidor.`,
    name_not_found: (name) => `Este servidor no encuentra ${name}. Comprueba su conexión a internet.`,
    no_answer: (name) => `${name} no respondió. Comprueba la conexión a internet de este servidor y vuelve a intentarlo.`,
    provider_failed: (name) => `${name} tiene un problema. Vuelve a intentarlo más tarde.`
  },
  connected: (name) => `${name} está conectado.`,
  answersNow: (model) => `Desde ahora responde ${model}.`,
  greet: 'Saludar',
  greetNote: (name) => `Envía un mensaje corto a ${name}.`,
  greeting: '¡Hola! Di en tres frases cortas quién eres y qué puedes hacer por mí aquí.',
  another: 'Elegir otro modelo',
  found: (name) => `${name} está en marcha en este equipo`,
  model: 'Modelo',
  noModels: 'Aún no tiene modelos. Carga uno allí primero.',
  agentFound: (name) => `${name} está instalado en este equipo`,
  agentNote: 'Trabaja a su manera y te pregunta antes.',
  agentFailed: {
    invalid_key: (name) => `${name} no tiene la sesión iniciada. Iníciala en un terminal de este equipo y vuelve a intentarlo.`,
    no_quota: (name) => `La cuenta de ${name} no tiene saldo. Recárgala y vuelve a intentarlo.`,
    timed_out: (name) => `${name} no se inició a tiempo. Puede que aún esté descargando lo que necesita. Vuelve a intentarlo.`,
    other: (name) => `${name} no está listo. Inícialo en un terminal de este equipo para ver por qué.`
  },
  use: 'Usar',
  others: 'Todos los proveedores',
  later: 'Más tarde',
  put: 'Más tarde. Está en Modelos.',
  tour: 'Probar sin un modelo',
  tourNote: 'La demo sigue guiones. Las herramientas, las tarjetas y los archivos son reales.',
  tourMore: 'La demo puede mostrarte más',
  tourTurns: [
    'Muéstrame un cambio para aprobar', 'Muéstrame una pregunta', 'Muéstrame una respuesta larga con tabla y código',
    'Muéstrame una tarea cada mañana'
  ],
  examplesName: 'Ejemplos',
  examples: [
    'Muéstrame qué hay en esta carpeta y para qué sirve.', 'Escribe un plan corto para una página web pequeña y pregúntame qué cambiar.',
    '¿Qué puedes hacer aquí y sobre qué me preguntas antes?'
  ]
}
