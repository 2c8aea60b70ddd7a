import { type Words } from '../en/index.js'
import { spansIn } from '../spans.js'

const long = spansIn('es')

const counted = (count: number, one: string, many: string): string[] => count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]

export const diagnostics: Words['diagnostics'] = {
  note: 'Comprueba el servicio, su equipo y el camino desde este dispositivo hasta él. No se cambia nada.',
  again: 'Comprobar de nuevo',
  checking: 'Comprobando…',
  thorough: 'Comprobar a fondo',
  thoroughNote: 'La comprobación a fondo también pide una palabra a un modelo de cada proveedor, lo que puede costar algo, e inicia los agentes externos.',
  copyReport: 'Copiar el informe',
  reportCopied: 'Informe copiado.',
  statuses: { ok: 'Correcto', warning: 'Advertencia', error: 'Problema', skipped: 'Sin comprobar' },
  summary: (errors, warnings) => {
    const found = [...counted(errors, 'problema', 'problemas'), ...counted(warnings, 'advertencia', 'advertencias')]
    return found.length === 0 ? 'No se encontraron problemas.' : `${found.join(', ')}.`
  },
  checks: {
    program: 'Versiones', memory: 'Memoria', 'open-files': 'Archivos abiertos', log: 'Registro', updates: 'Actualizaciones',
    backups: 'Copias de seguridad', 'state-folder': 'Carpeta de estado', disk: 'Espacio libre', database: 'Base de datos',
    access: 'Dirección e inicio de sesión', address: 'Puerto', sandbox: 'Sandbox para comandos', git: 'Git',
    ripgrep: 'Búsqueda en archivos', agents: 'Otros agentes', schedules: 'Tareas programadas', configuration: 'config.yaml',
    providers: 'Proveedores de modelos', mcp: 'Servidores MCP', machines: 'Otros equipos', push: 'Notificaciones',
    proxy: 'Salida a internet', traces: 'Trazas', clock: 'Reloj'
  },
  parts: {
    program: 'programa', author: 'autor', 'default workspace': 'carpeta predeterminada', logins: 'credenciales', 'state folder': 'carpeta de estado',
    backups: 'copias de seguridad', 'temporary files': 'archivos temporales'
  },
  found: {
    sandbox_off: [
      'La sandbox está desactivada: cada comando del agente se ejecuta como el usuario del servicio y pide permiso.',
      'Quita SVC_WEBUI_SANDBOX del entorno, o terminal.sandbox de config.yaml.'
    ],
    sandbox_missing: [
      'Cada comando del agente pide permiso, porque bubblewrap (bwrap) no está instalado.',
      'Instala bubblewrap:'
    ],
    git_missing: [
      'git no está instalado. Lo sustituye uno integrado, que puede hacer menos.',
      'Instala git:'
    ],
    git_author_missing: [
      'Los commits no tienen autor, así que los repositorios que no fijan uno los rechazan.',
      'Como el usuario del servicio:'
    ],
    backup_to_come: [
      'Aún no hay ninguna copia. El servicio hace la primera unos minutos después de arrancar.',
      'Haz una ahora:'
    ],
    backups_off: [
      'No hay ninguna copia, y no se hace ninguna automáticamente.',
      'Haz una ahora:'
    ],
    provider_missing: [
      'No hay ningún proveedor de modelos configurado, así que responde la demo.',
      'Introduce en «Modelos» la clave de un proveedor o la dirección de un servidor de modelos.'
    ],
    sign_in_missing: [
      'No hace falta iniciar sesión: quien llegue a esta dirección puede usar el servicio.',
      'Pon una contraseña en Ajustes → Inicio de sesión, o en el entorno del servicio:'
    ],
    sign_in_missing_proxy: [
      'No hace falta iniciar sesión aunque hay un proxy inverso configurado: quien llegue al proxy puede usar el servicio.',
      'Pon una contraseña en Ajustes → Inicio de sesión, o en el entorno del servicio:'
    ],
    traffic_open: [
      'Otros equipos llegan al servicio sin cifrado: las contraseñas y los chats se pueden leer por el camino.',
      'Pon delante un proxy inverso con TLS e indica su dirección (docs/reverse-proxy.md):'
    ],
    state_folder_ok: ['Se puede escribir en la carpeta de estado, y solo su propietario puede leerla.'],
    state_folder_missing: ({ path }) => [`La carpeta de estado ${path} aún no existe.`, 'Inicia el servicio una vez; la creará.'],
    runs_as_root: ({ owner }) => [
      `El servicio se ejecuta como root, y sus archivos pertenecen al usuario ${owner}.`,
      'Ejecútalo como ese usuario: root puede hacerlo todo.'
    ],
    link_broken: ({ path, target }) => [
      `${path} es un enlace simbólico a ${target}, que no existe.`,
      'Monta o restaura la carpeta a la que lleva, o quita el enlace.'
    ],
    owner_differs: ({ path, owner, user }) => [
      `${path} pertenece al usuario ${owner}; el servicio se ejecuta como el usuario ${user}.`,
      'Asígnalo al usuario del servicio:'
    ],
    open_to_all: ({ path }) => [`Todos los usuarios de este equipo pueden abrir ${path}.`, 'Como el usuario del servicio:'],
    open_to_group: ({ path }) => [`Los usuarios del mismo grupo pueden abrir ${path}.`, 'Como el usuario del servicio:'],
    disk_full: ({ path }) => [`No se puede escribir en ${path}: el disco está lleno.`, 'Libera espacio en su disco:'],
    disk_read_only: ({ path, code }) => [`No se puede escribir en ${path} (${code}).`, 'Monta su disco con permiso de escritura:'],
    not_writable: ({ path, code }) => [`No se puede escribir en ${path} (${code}).`, 'Permite que el usuario del servicio escriba ahí:'],
    not_openable: ({ path }) => [`El servicio no puede abrir ${path}.`, 'Asígnalo al usuario del servicio:'],
    not_openable_own: ({ path }) => [`El servicio no puede abrir ${path}.`, 'Como el usuario del servicio:'],
    clock_right: ['El reloj coincide con el de un servidor de internet.'],
    clock_unasked: ['No se pudo preguntar la hora a ningún servidor. Desde el inicio, el reloj no se ha atrasado.'],
    clock_ahead: ({ seconds }) => [`El reloj va ${long(seconds)} adelantado.`, 'Sincroniza el reloj:'],
    clock_behind: ({ seconds }) => [`El reloj va ${long(seconds)} atrasado.`, 'Sincroniza el reloj:'],
    clock_far_ahead: ({ seconds }) => [
      `El reloj va ${long(seconds)} adelantado. Fallan los inicios de sesión, los webhooks y los certificados TLS.`,
      'Sincroniza el reloj:'
    ],
    clock_far_behind: ({ seconds }) => [
      `El reloj va ${long(seconds)} atrasado. Fallan los inicios de sesión, los webhooks y los certificados TLS.`,
      'Sincroniza el reloj:'
    ],
    clock_set_back: ({ seconds }) => [`El reloj se ha atrasado ${long(seconds)} desde el inicio del servicio.`, 'Sincroniza el reloj:'],
    clock_before_write: ({ seconds }) => [
      `El reloj va atrasado: la base de datos se escribió ${long(seconds)} después de la hora que marca.`,
      'Sincroniza el reloj:'
    ],
    disk_room: ({ free }) => [`${free} libres.`],
    disk_low: ({ free }) => [`Queda poco espacio: ${free} libres.`, 'Libera o añade espacio. Las carpetas más grandes de ese disco:'],
    disk_almost_full: ({ free }) => [
      `El disco está casi lleno: ${free} libres.`,
      'Libera o añade espacio. Las carpetas más grandes de ese disco:'
    ],
    disk_backup_room: ({ free, needed }) => [
      `No hay espacio para una copia de seguridad: ${free} libres, y necesita ${needed}.`,
      'Libera o añade espacio. Las carpetas más grandes de ese disco:'
    ],
    disk_few_files: ({ count }) => [
      `En el disco solo caben ${count} archivos más.`,
      'Elimina archivos pequeños que nadie necesite. Las carpetas que más tienen:'
    ],
    memory_use: ({ used, limit }) => [`En este equipo se usan ${used} de ${limit}.`, 'Cierra los programas que necesiten mucha memoria:'],
    memory_use_group: ({ used, limit }) => [
      `Se usan ${used} de ${limit}, el límite del grupo de control del servicio.`,
      'Aumenta el límite en la unidad de systemd o en docker-compose.yml:'
    ],
    open_files: ({ open, limit }) => [
      `Hay ${open} archivos y conexiones abiertos, de ${limit} como máximo.`,
      'Aumenta el límite en la unidad de systemd, en docker-compose.yml o en la shell que inicia el servicio:'
    ],
    git_ready: ({ version }) => [`git ${version} está instalado.`],
    git_author: ['Los commits tienen autor.'],
    git_workspace: ['git funciona en la carpeta predeterminada.'],
    git_workspace_plain: ['La carpeta predeterminada no es un repositorio de git.'],
    git_workspace_missing: ['La carpeta predeterminada aún no existe.'],
    git_workspace_owner: ['git rechaza la carpeta predeterminada porque pertenece a otro usuario.', 'Con el usuario del servicio:'],
    git_logins: ['git tiene un ayudante de credenciales.'],
    git_no_logins: [
      'git no tiene ayudante de credenciales: las claves ssh funcionan, los repositorios que piden credenciales por https no.',
      'Si necesitas esas credenciales, con el usuario del servicio:'
    ],
    push_works: ({ count, messages }) => [`Navegadores con notificaciones: ${count}. Mensajes en camino: ${messages}.`],
    push_none: ['Ningún navegador tiene activadas las notificaciones.'],
    push_no_keys: [
      'Las claves de Web Push aún no se han podido guardar.',
      'Haz que se pueda escribir en la base de datos y reinicia el servicio.'
    ],
    updates_off: ['La búsqueda de actualizaciones está desactivada.'],
    updates_unchecked: ['Aún no se han buscado actualizaciones.', 'Búscalas en Ajustes → Acerca de.'],
    updates_current: ['En la última búsqueda, esta era la versión más reciente.'],
    log_written: ['Se han escrito todas las líneas del registro.'],
    machines_off: ['No puede unirse ningún otro equipo: SVC_NATS_URL no está definida.'],
    nats_connected: ['El servidor NATS está conectado.'],
    machine_connected: ['Está conectado.'],
    machine_version: ({ version, own }) => [
      `Está conectado con la versión ${version}; el servicio tiene la ${own}.`,
      'Actualízalo a la versión del servicio.'
    ],
    machine_away: ({ seconds }) => [`Lleva ${long(seconds)} ausente.`, 'Inicia allí su programa:'],
    sandbox_works: ({ version }) => [`Un comando se ejecutó en una sandbox de bubblewrap ${version}.`],
    sandbox_unfiltered: ({ version }) => [
      `Un comando se ejecutó en una sandbox de bubblewrap ${version}, sin filtro de llamadas al sistema.`
    ],
    sandbox_container: [
      'El contenedor es el límite: un comando se ejecutó en él y no alcanzó los archivos, la memoria ni el depurador del servicio.'
    ],
    backup_nothing: ['Aún no hay nada que copiar.'],
    backup_age: ({ seconds }) => [`La última copia de seguridad se hizo hace ${long(seconds)}.`],
    backup_late: ({ seconds, hours }) => [
      `La última copia de seguridad se hizo hace ${long(seconds)}, y toca una cada ${hours === '1' ? 'hora' : `${hours} horas`}.`,
      'Haz una ahora:'
    ],
    backup_by_hand: ({ seconds }) => [
      `La última copia de seguridad se hizo hace ${long(seconds)}; no se hace ninguna automáticamente.`,
      'Para que se haga una cada día, en el entorno del servicio:'
    ],
    provider_agents: ['No hay ningún proveedor de modelos configurado; responden otros agentes.'],
    mcp_none: ['No hay ningún servidor MCP configurado.'],
    mcp_ready: ({ count }) => [`Está en marcha. Herramientas: ${count}.`],
    mcp_idle: ['Se inicia cuando se llama a una de sus herramientas.'],
    mcp_off: ['Está desactivado.'],
    mcp_sign_in: ['Pide iniciar sesión.', 'Inicia sesión en Ajustes → Servidores MCP.'],
    agents_none: ['No se ha encontrado ningún otro agente en este equipo.'],
    configuration_fine: ['config.yaml no tiene problemas.'],
    internet_direct: ['Las conexiones salen directamente de este equipo.'],
    ripgrep_works: ({ version }) => [`ripgrep ${version} funciona.`],
    database_intact: ({ size, version, log }) => [`La base de datos está intacta: ${size}, versión ${version}, registro ${log}.`],
    database_checking: ({ size }) => [`La comprobación tras el arranque aún no ha terminado (${size}).`, 'Vuelve a comprobarlo dentro de unos minutos.'],
    database_in_memory: ['La base de datos está en la memoria.'],
    program_version: ({ own, version }) => [`La versión ${own} funciona con Node.js ${version}.`],
    program_node_old: ({ version, needed }) => [
      `Node.js ${version} es demasiado antiguo: hace falta la versión ${needed} o una posterior.`,
      `Instala Node.js ${needed} o posterior y reinicia.`
    ],
    port_answers: ({ host, port }) => [`El servicio responde en ${host}, puerto ${port}.`],
    sign_in_needed: ({ host, port }) => [`Hay que iniciar sesión. El servicio escucha en ${host}, puerto ${port}.`],
    sign_in_needed_proxy: ({ host, port }) => [`Hay que iniciar sesión. El servicio escucha en ${host}, puerto ${port}, detrás de un proxy de confianza.`],
    sign_in_local: ['Solo esta máquina llega al servicio, y no hace falta iniciar sesión.'],
    provider_answers: ['Responde.'],
    provider_invalid_key: ['Rechazó la clave.', 'Introduce una clave válida en Modelos o en el archivo .env del perfil.'],
    provider_no_quota: ['La cuenta ha agotado su cuota.', 'Añade saldo en el proveedor o elige otro modelo.'],
    provider_rate_limited: ['Ahora no acepta más solicitudes.', 'Espera o aumenta el límite en el proveedor.'],
    provider_timed_out: ['No respondió a tiempo.', 'Vuelve a comprobarlo dentro de unos minutos, y mira la página de estado del proveedor.'],
    provider_no_answer: ['No respondió.', 'Vuelve a comprobarlo dentro de unos minutos, y mira la página de estado del proveedor.'],
    schedules_fine: ({ count }) => [`Tareas programadas: ${count}. Ninguna falló la última vez.`],
    schedule_failed: ({ reason }) => [`La última ejecución falló: ${reason}`, 'Abre la última ejecución en Tareas.'],
    schedule_undelivered: ({ reason }) => [`El último resultado no se entregó: ${reason}`, 'Comprueba en Tareas a dónde debe ir.'],
    schedule_ended: ({ reason }) => [`Ya no se ejecuta: ${reason}`, 'Corrige su horario en Tareas.'],
    traces_taken: ['El colector acepta trazas.'],
    proxy_answers: ({ target }) => [`Las conexiones pasan por el proxy ${target}, que responde.`],
    proxy_accepts_login: ({ target }) => [`Las conexiones pasan por el proxy ${target}, que responde y acepta las credenciales.`],
    configuration_broken: ({ profile, reason }) => [
      `El config.yaml del perfil «${profile}» tiene un error: ${reason}`, 'Corrígelo. Hasta entonces se aplica la última versión correcta.'
    ]
  },
  groups: {
    service: 'Servicio', storage: 'Almacenamiento', access: 'Acceso', agent: 'Agente', models: 'Modelos', connections: 'Conexiones'
  },
  connection: 'Desde este dispositivo',
  held: (seconds) => `Se mantiene abierta una conexión durante ${long(seconds)} para ver si algo la corta…`,
  environment: 'Entorno del servicio',
  titles: {
    reach: 'Flujos de eventos', encryption: 'Cifrado', buffering: 'Búfer', compression: 'Compresión', timeout: 'Conexiones abiertas',
    ids: 'Reanudación', scheme: 'Protocolo', host: 'Nombre del host', address: 'Dirección del cliente', cookies: 'Cookies', upload: 'Subidas',
    clock: 'Relojes'
  },
  verdicts: {
    reached: () => 'Los flujos de eventos llegan.',
    unreachable: (code) => `No se puede conectar con el servicio en esta dirección${code === '' ? '' : ` (${code})`}.`,
    refused: (status) => `El flujo de eventos se rechazó con el estado ${status}.`,
    noStream: (type) => `Algo respondió en lugar del servicio (${type || 'sin tipo'}).`,
    encrypted: () => 'La conexión está cifrada.',
    local: () => 'La conexión no sale de este equipo.',
    plain: () => 'La conexión no está cifrada: las contraseñas y los chats se pueden leer por el camino. Los navegadores no ofrecen notificaciones, claves de acceso ni micrófono.',
    delivered: () => 'Las respuestas llegan mientras se escriben.',
    buffered: (seconds) => `Un proxy retiene las respuestas, aquí ${long(seconds)}: aparecen a ráfagas o todas de golpe.`,
    undelivered: () => 'Un proxy retiene los flujos de eventos hasta que terminan.',
    uncompressed: () => 'Los flujos de eventos no se comprimen.',
    compressed: (encoding) => `Un proxy comprime los flujos de eventos (${encoding}), lo que retrasa las respuestas.`,
    stayedOpen: (seconds) => `Un flujo siguió abierto ${long(seconds)}.`,
    wasCut: (seconds) => `Un flujo se cortó al cabo de ${long(seconds)}, aunque el servicio envía algo cada 5 segundos.`,
    idsKept: () => 'Un flujo cortado continúa donde se quedó.',
    idsLost: () => 'Un proxy altera los flujos de eventos: faltan los id de las tramas, así que los flujos empiezan de nuevo.',
    lastIdLost: () => 'La cabecera Last-Event-ID no llega al servicio, así que los flujos empiezan de nuevo.',
    schemeRight: (scheme) => `El servicio sabe que se accede a él por ${scheme}.`,
    schemeNotBelieved: (scheme) => `El servicio toma la conexión por ${scheme} porque no confía en el proxy.`,
    schemeWrong: (scheme) => `El proxy no dice que la conexión está cifrada: el servicio la toma por ${scheme}.`,
    schemeClaimed: () => 'El proxy dice que la conexión está cifrada, y no lo está.',
    hostRight: (host) => `El servicio sabe que se accede a él en ${host}.`,
    hostWrong: (host) => `El servicio cree que su dirección es ${host}. Los cambios desde navegadores se rechazan y las claves de acceso no funcionan.`,
    addressRight: (address) => `El servicio ve la dirección de este dispositivo (${address}).`,
    addressMissing: (peer) => `El proxy no transmite las direcciones: todos los clientes parecen ser ${peer}, y las contraseñas erróneas de una persona bloquean a todas.`,
    addressNotBelieved: (peer) => `El servicio no confía en el proxy: todos los clientes parecen ser ${peer}, y las contraseñas erróneas de una persona bloquean a todas.`,
    addressForged: () => 'El proxy transmite una dirección inventada por un cliente, así que nunca se frena a quien adivina contraseñas.',
    cookiesRight: () => 'Las cookies encajan con la conexión.',
    cookiesOpen: () => 'Las cookies no llevan la marca Secure, aunque la conexión está cifrada.',
    cookiesLost: () => 'Las cookies llevan la marca Secure, pero la conexión no está cifrada, así que los navegadores no conservan la sesión.',
    uploadPassed: (mib) => `Una subida de ${mib} MiB llegó.`,
    uploadRefused: (mib) => `Una subida de ${mib} MiB se rechazó por ser demasiado grande.`,
    uploadCut: (mib) => `Una subida de ${mib} MiB se cortó.`,
    uploadUntried: () => 'La conexión es demasiado lenta para probar una subida grande.',
    uploadUnjudged: (status) => `Una subida grande recibió el estado ${status}, que no dice nada de su tamaño.`,
    clockRight: () => 'Los relojes de este dispositivo y del servicio coinciden.',
    clockWrong: (seconds) => `Los relojes de este dispositivo y del servicio difieren en ${long(seconds)}.`
  },
  advice: {
    reach: 'Comprueba que el servicio está en marcha, que el proxy lleva a su puerto y que has iniciado sesión.',
    tls: 'Pon delante un proxy inverso con certificado: «Behind a reverse proxy» en la ayuda (/help).',
    buffering: 'Desactiva el búfer en el proxy:',
    compression: 'No comprimas los flujos de eventos en el proxy; el servicio ya comprime todo lo demás:',
    timeout: 'Deja que las conexiones sigan abiertas en el proxy:',
    lastId: 'Transmite la cabecera en el proxy:',
    proto: 'Indica el protocolo en el proxy y confía en él con SVC_WEBUI_TRUSTED_PROXIES:',
    host: 'Transmite el host en el proxy, con el puerto:',
    forwardedFor: 'Sustituye la cabecera en el proxy por la dirección que se conectó a él:',
    trust: 'Confía en el proxy en el entorno del servicio y reinícialo:',
    secure: 'Accede al servicio por https o cambia el entorno del servicio:',
    upload: 'Permite en el proxy subidas de este tamaño:',
    clock: 'Sincroniza los relojes.'
  }
}
