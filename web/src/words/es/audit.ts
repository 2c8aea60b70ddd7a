import { type Words } from '../en/index.js'

export const audit: Words['audit'] = {
  note:
    'Quién inició sesión y qué se permitió, cambió, eliminó, exportó y compartió. Las entradas no se pueden cambiar; se conservan un año, ' +
    'salvo que el administrador haya fijado otro plazo.',
  search: 'Buscar en detalles, nombres y direcciones',
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
  find: 'Buscar',
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
