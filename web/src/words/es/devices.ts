import { type Words } from '../en/index.js'

export const devices: Words['devices'] = {
  note:
    'Scripts, apps, editores y otros navegadores que tienen acceso sin tu contraseña. Cada uno solo puede hacer lo que permite su alcance, ' +
    'hasta que se revoque.',
  none: 'Aún no hay dispositivos.',
  pair: 'Vincular un dispositivo',
  showCode: 'Mostrar el código',
  pairNote: 'El dispositivo obtiene su token con un código de un solo uso. Nada secreto queda en la pantalla.',
  make: 'Crear un token',
  makeNote: 'Para scripts y apps que usan un token. Se muestra una sola vez.',
  name: 'Nombre',
  nameHint: 'Como «teléfono» o «script de copias».',
  noName: 'Ponle un nombre para reconocerlo cuando quieras revocarlo.',
  scope: 'Qué puede hacer',
  scopes: { read: 'Leer', chat: 'Chatear', approve: 'Aprobar', admin: 'Administrar' },
  scopeNotes: {
    read: 'Lee chats, archivos y ajustes. No cambia nada.',
    chat: 'También inicia y detiene turnos y organiza chats. Lo que pregunte el agente te espera a ti.',
    approve: 'También responde a lo que pregunta el agente y cambia archivos y repositorios en los espacios de trabajo. Quien aprueba comandos los ejecuta.',
    admin: 'También cambia ajustes, claves, tareas, memoria y otros dispositivos: todo menos la forma de iniciar sesión.'
  },
  ends: 'Caduca',
  ending: { never: 'Cuando se revoque', month: 'A los 30 días', quarter: 'A los 90 días', year: 'Al cabo de un año' },
  token: 'El token',
  tokenNote: 'Cópialo ahora: no se volverá a mostrar. Envíalo en la cabecera Authorization: Bearer …',
  copy: 'Copiar el token',
  scan: 'Escanea esto con la cámara del dispositivo, o abre allí su enlace.',
  local:
    'Solo este ordenador puede abrir la dirección de esta página, así que otro dispositivo no puede abrir el enlace. Escribe allí el código ' +
    'en la página /pair.',
  code: 'Código',
  waiting: (until) => `Esperando al dispositivo. El código sirve una vez (hasta: ${until}).`,
  codeOver: 'El código ha caducado. Empieza de nuevo.',
  paired: (name) => `«${name}» está vinculado.`,
  browser: 'Navegador',
  here: 'Este dispositivo',
  made: (when) => `Creado: ${when}`,
  madeBy: (name) => `por «${name}»`,
  used: (when) => `Último uso: ${when}`,
  unused: 'Nunca usado',
  until: (when) => `Caduca: ${when}`,
  over: 'Caducado',
  rename: 'Renombrar',
  renamed: (name) => `Ahora se llama «${name}».`,
  revoke: 'Revocar',
  revokeTitle: (name) => `¿Revocar «${name}»?`,
  revokeNote:
    'Pierde el acceso de inmediato, y también todos los dispositivos que vinculó. Los turnos, objetivos y tareas que inició continúan. ' +
    'Esto no se puede deshacer.',
  revoked: (count) => count === 1 ? 'Se ha revocado.' : `Se han revocado ${count}: este y los que vinculó.`
}
