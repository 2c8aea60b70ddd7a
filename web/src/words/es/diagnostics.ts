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
  parts: { program: 'programa', author: 'autor', 'default workspace': 'carpeta predeterminada', logins: 'credenciales', 'state folder': 'carpeta de estado' },
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
    not_openable_own: ({ path }) => [`El servicio no puede abrir ${path}.`, 'Como el usuario del servicio:']
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
