import { type Words } from '../en/index.js'

export const machines: Words['machines'] = {
  here: 'Este equipo',
  where: 'Equipo',
  named: (name, state) => `${name} (${state === 'away' ? 'sin conexión' : 'no se puede usar'})`,
  unread: (why) => `No se pudo cargar el estado de los otros equipos. ${why}`,
  brief: {
    away: (when) => `sin conexión (desde: ${when})`,
    refused: 'no se puede usar',
    unknown: 'no se ha unido',
    off: 'sin configurar',
    cut: 'inaccesible'
  },
  absent: {
    away: (name, when) => `${name} está sin conexión (desde: ${when}). Los mensajes aquí no tendrán respuesta hasta que vuelva.`,
    awayRunning: (name, when) => `${name} está sin conexión (desde: ${when}). La respuesta continúa si vuelve pronto.`,
    refused: (name) => `${name} no se puede usar. El motivo está en Ajustes, Equipos.`,
    refusedFor: (name, why) => `${name} no se puede usar: ${why}`,
    unknown: (name) => `No se ha unido ningún equipo llamado ${name}. Los mensajes aquí no tendrán respuesta hasta que se una.`,
    off: (name) => `Este chat trabaja en el equipo ${name}, y aquí no hay otros equipos configurados.`,
    cut: (name) => `El servicio no puede conectar con sus otros equipos, entre ellos ${name}. Sigue intentándolo.`,
    folderAway: (name, when) => `${name} está sin conexión (desde: ${when}).`,
    folderNote: 'La carpeta volverá a aparecer aquí en cuanto se pueda conectar con el equipo. Hasta entonces, puedes leer el chat.'
  },
  note: 'Tus otros ordenadores pueden hacer el trabajo, cada uno con sus carpetas, perfiles y claves. Los chats se quedan aquí.',
  off: 'Aún sin configurar. En cuatro pasos, otro ordenador trabaja para ti:',
  steps: [
    'Crea las claves en el ordenador donde funcionará un servidor NATS, por el que se conectan los equipos:',
    'Pon un certificado junto a las claves (la guía explica cómo) e inicia el servidor:',
    'Indícalo en el entorno de este servicio, con las rutas completas de los archivos, y reinicia el servicio:',
    'Instala este servicio en el otro ordenador, copia su clave y ca.crt en la carpeta y ejecuta allí, con las carpetas que se abrirán:'
  ],
  cut: 'El servicio no puede conectar con el servidor NATS. Sigue intentándolo.',
  none: 'Aún no se ha unido ningún equipo.',
  join: 'Unir un equipo',
  joinNote:
    'Crea su clave (consulta la guía), instala allí este servicio, copia la clave y ca.crt en su carpeta y ejecuta con tus valores:',
  copyCommand: 'Copiar el comando',
  guide: 'Guía: claves, certificados e inicio automático',
  states: { ready: 'Listo', away: 'Sin conexión', refused: 'No se puede usar' },
  since: (when) => `desde: ${when}`,
  version: 'Versión',
  otherVersion: (its, ours) => `${its}; el servicio tiene ${ours}. Actualiza la más antigua.`,
  platform: 'Sistema',
  profiles: 'Perfiles',
  models: 'Modelos',
  sandbox: 'Sandbox',
  load: 'Carga',
  folders: 'Carpetas',
  some: (names, more) => `${names.join(', ')}${more === 0 ? '' : ` y ${more} más`}`,
  confined: 'Los comandos están confinados',
  unconfined: (why) => why === '' ? 'Los comandos no están confinados' : `Los comandos no están confinados: ${why}`,
  loadOf: ({ busy, cores, freeMb, turns }) =>
    `${busy.toFixed(1).replace('.', ',')} en ${cores} ${cores === 1 ? 'núcleo' : 'núcleos'}, ` +
    `${(freeMb / 1_024).toFixed(1).replace('.', ',')} GiB libres, ${turns} ${turns === 1 ? 'turno' : 'turnos'} en curso`,
  forget: 'Olvidar',
  forgetNamed: (name) => `Olvidar ${name}`,
  forgetTitle: (name) => `¿Olvidar ${name}?`,
  forgetNote: 'Sale de esta lista hasta que vuelva a unirse. Sus chats se quedan y vuelven a funcionar cuando se una un equipo con este nombre.',
  forgotten: (name) => `${name} se ha olvidado.`
}
