import { type Words } from '../en/index.js'

export const audit: Words['audit'] = {
  note:
    'Quién inició sesión y qué se permitió, cambió, eliminó, exportó y compartió. Las entradas no se pueden cambiar; se conservan un año, ' +
    'salvo que el administrador haya fijado otro plazo.',
  search: 'Buscar en el registro',
  kind: 'Tipo',
  all: 'Todo',
  groups: {
    attempts: 'Intentos', check: 'Comprobaciones', pull: 'Pull Requests', hook: 'Hooks', plan: 'Planes', mode: 'Modo plan',
    auth: 'Inicios de sesión y contraseñas', passkey: 'Claves de acceso', device: 'Dispositivos y tokens', pairing: 'Vinculación',
    approval: 'Permisos', question: 'Preguntas', grant: 'Reglas permanentes', yolo: 'Ejecución sin preguntar', settings: 'Ajustes',
    config: 'Configuración', key: 'Claves', mcp: 'Servidores MCP', plugin: 'Plugins', skill: 'Skills', memory: 'Memoria', profile: 'Perfiles',
    job: 'Tareas', session: 'Chats', project: 'Proyectos', share: 'Páginas compartidas', file: 'Archivos', trash: 'Papelera',
    checkpoint: 'Puntos de control', git: 'Git', backup: 'Copias de seguridad', update: 'Actualizaciones', machine: 'Equipos',
    audit: 'Este registro'
  },
  actions: {
    switchedOn: 'activación', switchedOff: 'desactivación',
    sign_in: 'inicio de sesión', sign_out: 'cierre de sesión', password: 'contraseña establecida o eliminada',
    passwordless: 'acceso sin contraseña activado o desactivado', open_acknowledged: 'acceso abierto confirmado',
    registered: 'registro', renamed: 'cambio de nombre', deleted: 'eliminación', created: 'creación', revoked: 'revocación',
    begun: 'código creado', ended: 'cancelación', completed: 'finalización', answered: 'respuesta', added: 'alta', removed: 'retirada',
    switched: 'activación o desactivación', started: 'inicio', changed: 'cambio', set: 'definición', server: 'alta, cambio o retirada',
    saved: 'guardado', imported: 'importación', import_undone: 'importación deshecha', cut: 'últimos mensajes eliminados',
    exported: 'exportación', attached: 'continuación aquí', restored: 'restauración', discarded: 'cambios descartados',
    pushed: 'envío al remoto', taken: 'aplicación', taken_back: 'aplicación deshecha', stopped: 'detención', opened: 'apertura',
    ready: 'lista para revisión', commented: 'comentario', resolved: 'hilo resuelto o reabierto', merged: 'fusión', closed: 'cierre',
    applied: 'instalación', joined: 'incorporación', left: 'desconexión', forgotten: 'retirada de la lista',
    trimmed: 'entradas antiguas eliminadas'
  },
  said: (group, action) => `${group}: ${action}`,
  when: 'Cuándo',
  who: 'Quién',
  none: 'No hay entradas.',
  older: 'Mostrar entradas anteriores',
  csv: 'Exportar como CSV',
  ndjson: 'Exportar como NDJSON',
  open: 'Cualquiera que llegue al servicio',
  actors: {
    person: 'Sesión iniciada', device: 'Un dispositivo', nobody: 'Sin sesión', agent: 'El agente', service: 'El servicio',
    console: 'La línea de comandos'
  },
  outcomes: { failed: 'con error', throttled: 'demasiados intentos' }
}
