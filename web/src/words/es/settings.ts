import { dollarsIn } from '../dollars.js'
import { type Words } from '../en/index.js'

const dollars = dollarsIn('es', 0)

/** The label and note of each setting and part of a page. */
const keys: Words['settings']['keys'] = {
  theme: ['Tema', 'En este dispositivo.'],
  density: ['Densidad', 'En este dispositivo, con ratón. «Compacta» muestra más filas.'],
  own_language: ['Idioma', 'En este dispositivo.'],
  language: ['Idioma predeterminado', 'Para los dispositivos en los que no elegiste idioma.'],
  font_size: ['Tamaño del texto', 'En todos los dispositivos, además de su propio zoom.'],
  rtl: ['De derecha a izquierda', 'Refleja el diseño; cada texto conserva su dirección.'],
  pinned_sessions_limit: ['Número máximo de chats fijados', 'Los chats fijados se quedan al principio de la lista.'],
  show_cron_sessions: ['Chats de tareas programadas', 'Muestra las ejecuciones de las tareas entre los chats.'],
  show_cli_sessions: ['Chats de otros programas', 'Muestra chats de agentes de línea de comandos de este equipo, para leerlos y bifurcarlos.'],
  show_claude_code_sessions: ['Chats de Claude Code', 'Muestra del mismo modo los chats de Claude Code.'],
  send_key: ['Enviar con', 'La otra tecla empieza una línea nueva. Ctrl o ⌘ con Enter envía siempre.'],
  hide_empty_state_suggestions: ['Ocultar los ejemplos en chats vacíos', 'La página de inicio muestra entonces solo el cuadro de mensaje.'],
  onboarding_completed: ['Primeros pasos hechos', 'Desactivado: un chat vacío muestra cómo conectar un modelo.'],
  single_keys: ['Atajos de una tecla', 'J y K cambian de chat mientras no escribes. En este dispositivo.'],
  shortcuts: ['Todos los atajos', 'Cada tecla y lo que hace.'],
  push: ['Notificaciones push', 'Este dispositivo te avisa de lo que te espera y lo que terminó, aunque no haya ninguna ventana abierta.'],
  push_quiet_from: ['Horas de silencio desde', 'A partir de entonces se retienen las notificaciones. Vacío: sin horas de silencio.'],
  push_quiet_until: ['Horas de silencio hasta', 'Entonces llega lo retenido; todo lo terminado, en una sola notificación.'],
  push_quiet_waiting: ['Dejar pasar permisos y preguntas', 'Te avisan también en las horas de silencio.'],
  push_digest_at: ['Resumen diario a las', 'Una notificación al día dice lo que terminó bien, en lugar de una por cada cosa. Vacío: sin resumen.'],
  push_time_zone: ['Zona horaria de estas horas', 'Como Europe/Berlin. Vacío: la del servidor.'],
  tts_enabled: ['Leer respuestas en voz alta', 'Un botón en cada respuesta.'],
  tts_auto_read: ['Leer cada respuesta automáticamente', 'Empieza cuando la respuesta está completa.'],
  voice_mode_button: ['Modo de voz', 'Un botón para una conversación hablada.'],
  voice_continuous: ['Seguir escuchando', 'Tras una respuesta, el modo de voz vuelve a escuchar.'],
  tts_engine: ['Motor de voz', 'Este dispositivo o el servidor.'],
  tts_rate: ['Velocidad', '1 es lo normal.'],
  tts_pitch: ['Tono', '1 es lo normal.'],
  voice_silence_ms: ['Silencio que termina una grabación', 'Una pausa más larga te deja pensar.'],
  bot_name: ['Nombre del asistente', 'Aparece encima de la lista y al iniciar sesión. Vacío: el nombre que fijó el administrador.'],
  default_workspace: [
    'Carpeta de los chats nuevos', 'Una carpeta existente, aquí o en otro equipo (nombre:/ruta). Vacío: la carpeta que fijó el administrador.'
  ],
  max_tokens: ['Respuesta más larga', 'Vacío: el límite del propio proveedor.'],
  auto_title_refresh_every: ['Actualizar los títulos de los chats', 'Un título que no pusiste tú sigue el tema del chat.'],
  personalities: ['Personalidades', 'Formas de hablar del agente. Elige una en un chat, junto a su modelo.'],
  default_model: ['Modelo predeterminado', 'Responde en los chats nuevos. Las alternativas y los modelos de tareas pequeñas están en el mismo lugar.'],
  provider_keys: ['Claves de proveedores', 'Las claves de OpenAI, Anthropic y otros se quedan en tu servidor.'],
  rules: ['Reglas permanentes', 'En todos los chats de este perfil, el agente hace esto sin preguntar. Si revocas una regla, vuelve a preguntar de inmediato.'],
  agents: [
    'Agentes de otros fabricantes',
    'Pueden ejecutar turnos en lugar del agente incluido. Cada uno usa solo modos en los que pregunta antes de actuar, salvo que permitas otro.'
  ],
  budget_turn: ['Presupuesto por turno', 'Avisa o para dentro de una respuesta.'],
  budget_session: ['Presupuesto por chat', 'Avisa o para cuando un chat ha usado esta cantidad.'],
  budget_attempts: ['Presupuesto por grupo de intentos', 'Para a la vez todos los intentos de una tarea.'],
  budget_job: ['Presupuesto por ejecución de tarea', 'Avisa o para una ejecución de una tarea programada.'],
  budget_day: ['Presupuesto por día', 'Avisa o para todo en este perfil hasta medianoche.'],
  profiles: ['Perfiles', 'Cada uno tiene sus propios modelos, claves, memoria y ajustes.'],
  password: ['Contraseña', 'Protege este servicio. Al cambiarla se cierran todas las demás sesiones.'],
  passkeys: ['Claves de acceso', 'Inicia sesión con la huella, la cara o una llave de seguridad.'],
  oidc: ['Inicio de sesión único', 'Inicia sesión con una cuenta que tienes en otro sitio (OpenID Connect).'],
  session_ttl_seconds: ['Mantener la sesión durante', 'Las sesiones más antiguas se cierran de inmediato.'],
  sign_out: ['Cerrar sesión', 'Cierra la sesión de este navegador. Para cerrar todas las demás, cambia la contraseña.'],
  pairing: ['Vincular un dispositivo', 'Un teléfono u otro navegador obtiene acceso con un código que sirve una vez.'],
  tokens: ['Tokens para programas', 'En otros sitios se llaman claves de API. Cada uno puede hacer solo lo que permite su alcance, hasta que lo revoques.'],
  shares: ['Páginas compartidas', 'Cualquiera que tenga el enlace puede leerlas. Aquí dejas de compartirlas.'],
  tool_servers: ['Servidores MCP', 'Dan más herramientas al agente, como un calendario o una base de datos.'],
  machines: ['Equipos', 'Otros ordenadores en los que puede trabajar el agente.'],
  plugins: ['Plugins', 'Carpetas con comandos, skills y servidores MCP, desactivadas hasta que las revises.'],
  api_redact_enabled: [
    'Ocultar credenciales', 'Las claves y contraseñas se ocultan siempre que sale texto del servidor. En páginas compartidas y errores se ocultan siempre.'
  ],
  import: ['Importar un chat', 'Una exportación JSON, o mensajes en formato chat-completions.'],
  export: ['Exportar un chat', 'El JSON se puede volver a importar; la página es un solo archivo para leer.'],
  backups: ['Copias de seguridad', 'Copias de la base de datos, hechas automáticamente.'],
  archive: ['Chats archivados', 'Fuera de la lista, y conservados. Aquí los sacas del archivo.'],
  audit: ['Registro de auditoría', 'Quién cambió o permitió qué, quién inició sesión y cuándo.'],
  diagnostics: ['Diagnóstico', 'Encuentra qué falla en el servicio y la conexión, y dice cómo arreglarlo.'],
  version: ['Versión', 'Qué se ejecuta aquí, qué hay de nuevo y la licencia.'],
  check_for_updates: ['Buscar actualizaciones automáticamente', 'Desactivado: solo las busca cuando lo pides aquí.'],
  update_channel: ['Canal', 'Estable: versiones publicadas. Experimental: el estado más reciente.'],
  network: ['Red', 'La dirección, el puerto, el proxy y los orígenes permitidos del servicio.']
}

const number = (count: number): string => count.toLocaleString('es')

export const settings: Words['settings'] = {
  title: 'Ajustes',
  search: 'Buscar ajustes',
  clearSearch: 'Borrar la búsqueda',
  hits: (count, text) => `${count === 0 ? 'Ningún ajuste' : count === 1 ? '1 ajuste' : `${count} ajustes`} para «${text}»`,
  toMove: 'para moverte',
  toChange: 'para cambiar',
  notMeant: '¿No es lo que buscabas?',
  ask: (text) => `Preguntar al agente por «${text}»`,
  question: (text) => `¿Qué ajuste de esta app tiene que ver con «${text}» y qué hace?`,
  open: 'Abrir',
  all: 'Todos los ajustes',
  inGroup: (group, page) => `${group}, ${page}`,
  byAdministrator: 'Fijado por el administrador.',
  keys,
  units: { session_ttl_seconds: 'días', voice_silence_ms: 'segundos', max_tokens: 'tokens' },
  choice: (value) => ({
    0: 'Nunca', 5: 'Cada 5 turnos', 10: 'Cada 10 turnos', 20: 'Cada 20 turnos', small: 'Pequeño', default: 'Normal', large: 'Grande',
    xlarge: 'Muy grande', enter: 'Enter', 'ctrl+enter': 'Ctrl Enter', 'shift+enter': 'Mayús Enter', browser: 'Este dispositivo',
    engine_default: 'El servidor: espeak-ng', engine_keyed_a: 'El servidor: ElevenLabs',
    engine_keyed_b: 'El servidor: OpenAI', stable: 'Estable', experimental: 'Experimental', light: 'Claro', dark: 'Oscuro',
    system: 'Como el dispositivo', comfortable: 'Cómoda', compact: 'Compacta'
  }[value] ?? value),
  groups: { you: 'Tú', agent: 'Agente', access: 'Acceso', connections: 'Conexiones', data: 'Datos' },
  pages: {
    appearance: 'Apariencia', writing: 'Escritura', shortcuts: 'Atajos', notifications: 'Notificaciones', voice: 'Voz',
    behaviour: 'Comportamiento', models: 'Modelos', permissions: 'Permisos', budgets: 'Presupuestos', profiles: 'Perfiles',
    'sign-in': 'Inicio de sesión', devices: 'Dispositivos y tokens', shares: 'Páginas compartidas',
    'tool-servers': 'Servidores MCP', machines: 'Equipos', plugins: 'Plugins', privacy: 'Privacidad',
    transfer: 'Importar y exportar', archive: 'Archivo', audit: 'Auditoría', diagnostics: 'Diagnóstico', about: 'Acerca de'
  },
  olderChats: 'Mostrar también los chats más antiguos',
  asService: 'Igual que el predeterminado',
  saved: (name) => `${name}: guardado`,
  needsNumber: (min, max) => `Escribe un número de ${number(min)} a ${number(max)}.`,
  broken: 'La configuración no se puede leer. Los ajustes anteriores siguen en uso.',
  problems: 'Problemas en la configuración',
  problem: (level, said) => `${level === 'error' ? 'Este valor no es válido y se ignora.' : 'Esta clave no se conoce y no tiene efecto.'} (${said})`,
  line: (line) => `Línea ${line}`,
  budgetsNote: '«Avisar» solo te lo advierte; «Parar» detiene el trabajo y te pregunta. Vacío significa sin límite.',
  needsMoney: 'Escribe un importe mayor que 0, o déjalo vacío.',
  needsTokens: 'Escribe un número entero mayor que 0, o déjalo vacío.',
  toUsage: 'Abrir el uso',
  usedToday: (tokens, usd) => `Usado hoy: ${number(tokens)} tokens, ${dollars(usd)}`,
  limits: { soft_usd: 'Avisar, US$', hard_usd: 'Parar, US$', soft_tokens: 'Avisar, tokens', hard_tokens: 'Parar, tokens' },
  gate: {
    open: 'No hace falta iniciar sesión: cualquiera que llegue a esta dirección puede usar el servicio.',
    closed: 'Hace falta iniciar sesión.',
    set: 'Definir una contraseña',
    change: 'Cambiar la contraseña',
    clear: 'Quitar la contraseña',
    clearNote: 'Cierra todas las sesiones, elimina todas las claves de acceso y deja el servicio abierto.',
    current: 'Contraseña actual',
    next: 'Contraseña nueva',
    again: 'Repite la contraseña nueva',
    differ: 'Las dos no coinciden.',
    empty: 'No puede estar vacía.',
    changed: 'La contraseña se ha cambiado. Todas las demás sesiones se han cerrado.',
    cleared: 'La contraseña se ha quitado. El servicio está abierto.',
    reveal: 'Mostrar la contraseña',
    acknowledge: 'Sé que este servicio está abierto',
    signOut: 'Cerrar sesión'
  },
  passkeys: {
    off: 'Las claves de acceso están desactivadas en este servicio. El administrador puede activarlas.',
    needsGate: 'Define primero una contraseña: las claves de acceso la complementan.',
    unsafe: 'Este navegador admite claves de acceso solo por https o en localhost.',
    none: 'Aún no hay claves de acceso.',
    add: 'Añadir una clave de acceso',
    nameOf: 'Nombre de la clave de acceso',
    usual: 'Este dispositivo',
    added: (name) => `La clave de acceso «${name}» se ha añadido.`,
    cancelled: 'No se creó ninguna clave de acceso. Puede que este dispositivo ya tenga una.',
    rename: 'Renombrar',
    renamed: (name) => `Ahora se llama «${name}».`,
    remove: 'Eliminar',
    removeTitle: (name) => `¿Eliminar la clave de acceso «${name}»?`,
    removeNote: 'Ya no servirá para iniciar sesión y sus sesiones se cierran. Esto no se puede deshacer.',
    removed: (name) => `La clave de acceso «${name}» se ha eliminado.`,
    used: (when) => `Último uso: ${when}`,
    unused: 'Nunca usada',
    made: (when) => `Creada: ${when}`,
    passwordless: 'Solo claves de acceso',
    passwordlessNote: 'Ya no se aceptan contraseñas.'
  },
  oidc: {
    title: 'OpenID Connect',
    on: (name) => `Se puede iniciar sesión con ${name}. Fijado por el administrador.`,
    off: 'Sin configurar. El administrador puede añadir un proveedor.'
  },
  push: {
    obstacles: {
      insecure: 'Esta página se cargó por http sin cifrar. Los navegadores aceptan notificaciones push solo por https o en localhost.',
      'install-first': 'En un iPhone o iPad, añade primero la app a la pantalla de inicio y ábrela desde allí.',
      unsupported: 'Este navegador no admite notificaciones push.',
      blocked: 'El navegador bloquea las notificaciones de esta página. Permítelas en su configuración para esta página y actívalas aquí.'
    },
    elsewhere: 'Elige sus notificaciones en ese navegador.',
    unavailable: {
      no_contact: 'Los servicios push quieren saber a quién dirigirse por este servicio. Abre la app una vez en su dirección https pública, o define SVC_WEBUI_PUSH_CONTACT en el entorno del servicio y reinícialo.',
      no_keys: 'Las claves de las notificaciones aún no se han podido guardar. Revisa el disco del servicio y reinícialo.'
    },
    guide: 'Cómo llegan las notificaciones a tu móvil',
    subscribe: 'Notificar a este navegador',
    unsubscribe: 'Parar',
    here: 'Este navegador',
    added: 'Este navegador recibe notificaciones desde ahora.',
    lastError: (reason) => `La última no llegó: ${reason}`,
    wishes: {
      approvals: 'Permisos', questions: 'Preguntas', finished_turns: 'Turnos terminados', finished_jobs: 'Tareas terminadas',
      pull_requests: 'Pull Requests'
    }
  },
  updates: {
    byHand: 'Para el servicio, ejecuta esta línea en un terminal y vuelve a iniciarlo.',
    look: 'Buscar actualizaciones',
    unknown: 'Aún sin comprobar.',
    newest: 'Esta es la versión más reciente.',
    behind: (count) => count === 1 ? 'Hay una versión más nueva, con 1 cambio más.' : `Hay una versión más nueva, con ${count} cambios más.`,
    whatIsNew: 'Novedades',
    apply: 'Actualizar y reiniciar',
    applyNow: (turns) => `Actualizar ahora y terminar ${turns === 1 ? 'el turno en curso' : `${turns} turnos en curso`}`,
    wait: 'Actualizar cuando terminen',
    waits: (turns) => turns === 0 ? 'La actualización empieza ahora.' : `La actualización espera a que ${turns === 1 ? 'termine un turno en curso' : `terminen ${turns} turnos en curso`} y después empieza automáticamente.`,
    cancel: 'Cancelar la actualización',
    applying: 'El servicio se está actualizando. Puede tardar unos minutos.',
    restarting: 'El servicio se está reiniciando. Esta página se reconecta automáticamente.',
    newer: (to, from) => from === null ? `La versión ${to} está disponible.` : `La versión ${to} está disponible; esta es la ${from}.`,
    off: 'La búsqueda de actualizaciones está desactivada abajo. Aquí puedes buscar una vez.',
    otherChannel: 'Ese era el resultado del otro canal. Vuelve a buscar.',
    lost: 'Se perdió la conexión mientras se actualizaba el servicio. El resultado aparecerá aquí en cuanto responda.',
    reload: 'Recarga esta página para usar la versión nueva.',
    slow: 'El servicio aún no ha vuelto. Mira su registro.',
    dirty: 'Los archivos del servicio tienen cambios locales. Se guardan en el stash durante la actualización y se restauran después.',
    last: (message) => `Última actualización: ${message}`,
    checkedAt: (when) => `Comprobado: ${when}`
  },
  transfer: {
    choose: 'Elegir un archivo',
    tooLarge: (mebibytes) => `Este archivo supera los ${mebibytes} MiB, lo máximo que el servicio acepta de una vez.`,
    unreadable: 'El navegador no pudo leer este archivo.',
    notJson: 'Este archivo no es una exportación: no es JSON con mensajes.',
    leftOut: (system, context) => `Omitidos: ${system} mensajes de sistema, ${context} textos para el modelo que el chat no muestra.`,
    imported: (title) => `«${title}» se ha importado.`,
    chat: 'Chat',
    json: 'JSON',
    html: 'Página (HTML)',
    chooseChat: 'Elige un chat…',
    noChats: 'Aún no hay chats.',
    every: (hours) =>
      hours === 0
        ? 'Sin copias automáticas.'
        : hours === 24 ? 'Una vez al día.' : hours % 24 === 0 ? `Cada ${hours / 24} días.` : hours === 1 ? 'Cada hora.' : `Cada ${hours} horas.`,
    lastBackup: (when) => `Última: ${when}.`,
    noBackup: 'Aún no hay copias de seguridad.',
    kept: (count) => count === 1 ? '1 conservada.' : `${count} conservadas.`
  },
  shares: {
    note: 'Páginas que cualquiera que tenga el enlace puede leer sin iniciar sesión. Comparte un chat desde su menú.',
    none: 'No se comparte nada.', revoke: 'Dejar de compartir', revoked: 'La página ya no se comparte.', made: (when) => `Compartida: ${when}`
  },
  grants: {
    none: 'No hay reglas permanentes. «Siempre», en una tarjeta de permiso, añade una aquí.',
    groups: { command: 'Comandos, con cualquier argumento', net: 'Direcciones de la red', mcp: 'Herramientas de servidores MCP', other: 'Otras acciones' },
    revoke: 'Revocar',
    revoked: (rule) => `Desde ahora el agente vuelve a preguntar: ${rule}`
  },
  personalities: {
    none: 'Aún no hay personalidades. Prueba una:',
    example: {
      name: 'Profesor paciente',
      prompt:
        'Explica como un profesor paciente: primero la idea en una frase, luego un ejemplo y después los detalles. Pregunta si se ha entendido.',
      description: 'Explica paso a paso'
    },
    create: 'Personalidad nueva',
    edit: 'Editar',
    editTitle: (name) => `Editar «${name}»`,
    delete: 'Eliminar',
    deleteTitle: (name) => `¿Eliminar «${name}»?`,
    deleteNote: 'Los chats que la usan continúan sin ninguna desde su próximo turno.',
    deleted: (name) => `«${name}» se ha eliminado.`,
    saved: (name) => `«${name}» se ha guardado. Vale desde el próximo turno.`,
    name: 'Nombre',
    prompt: 'Cómo habla',
    promptHint: 'El modelo lee esto antes de cada turno.',
    description: 'Descripción para las listas',
    tone: 'Tono',
    style: 'Estilo'
  },
  archive: {
    none: 'No hay ningún chat archivado.', back: 'Sacar del archivo', brought: (title) => `«${title}» ha salido del archivo.`, more: 'Mostrar más'
  },
  shortcuts: {
    send: 'Enviar', line: 'Línea nueva', stop: 'Cerrar el panel superior, o detener',
    approve: 'Permitir una vez, en la tarjeta con el foco', session: 'Permitir en este chat, en la tarjeta con el foco',
    deny: 'Denegar, en la tarjeta con el foco', keys: { approve: 'Enter', session: 'S', deny: 'Esc', stop: 'Esc' }
  },
  about: {
    backups: { failed: 'La última falló', running: 'En curso', none: 'Todavía ninguna' },
    sandboxes: {
      bwrap: 'Los comandos se ejecutan en ella, sin red', container: 'El contenedor: los comandos se ejecutan en él sin preguntar',
      none: 'Ninguna: cada comando pregunta antes'
    },
    node: 'Node', sqlite: 'SQLite', uptime: 'En marcha desde', memory: 'Memoria', database: 'Base de datos', backup: 'Copia de seguridad',
    agent: 'Agente', sandbox: 'Sandbox', git: 'Git', state: 'Estado', ok: 'Todo va bien', degraded: 'Algo requiere atención',
    running: 'En marcha', resting: 'Inactivo: se inicia cuando hace falta', help: 'Documentación',
    docs: 'Interfaz del servicio, para programas', licence: 'El servicio tiene licencia MIT.', licences: 'Licencias de lo que contiene',
    writable: 'se puede escribir', readOnly: 'solo lectura'
  }
}
