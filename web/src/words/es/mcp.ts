import { type Words } from '../en/index.js'

const counted = (count: number): string => count === 1 ? '1 herramienta' : `${count} herramientas`

export const mcp: Words['mcp'] = {
  note: 'Los servidores del Model Context Protocol dan más herramientas al agente. Se inician cuando hacen falta.',
  none: 'Aún no hay servidores MCP.',
  add: 'Añadir un servidor',
  edit: 'Editar',
  remove: 'Quitar',
  removed: (name) => `«${name}» se ha quitado.`,
  removeTitle: (name) => `¿Quitar «${name}»?`,
  removeNote: 'También se quita lo que no se muestra aquí: los valores de sus variables y cabeceras, y su inicio de sesión. No se puede deshacer.',
  taken: (name) => `Ya existe un servidor llamado «${name}».`,
  saved: (name) => `«${name}» se ha guardado.`,
  restart: 'Reiniciar',
  test: 'Probar',
  works: (name, tools) => `«${name}» funciona: ${counted(tools)}.`,
  reload: 'Recargar',
  signIn: 'Iniciar sesión',
  signOut: 'Cerrar sesión',
  signedOut: (name) => `Sesión cerrada en «${name}».`,
  waits: 'Esperando el inicio de sesión en otra pestaña.',
  signInHere: 'Abrir la página de inicio de sesión',
  enabled: 'Activado',
  status: {
    disabled: 'Desactivado', idle: 'Inactivo', starting: 'Iniciando', ready: 'Listo', needs_sign_in: 'Falta iniciar sesión', failed: 'Con error'
  },
  tools: counted,
  leftOut: (tool, reason) => `${tool} se omite: ${reason}`,
  log: 'Salida',
  kind: 'Conexión',
  kinds: { stdio: 'Un programa en el servidor', http: 'Una dirección' },
  name: 'Nombre',
  command: 'Programa',
  commandHint: 'Se ejecuta como el usuario del servicio.',
  args: 'Argumentos, uno por línea',
  url: 'Dirección',
  variables: 'Variables',
  headers: 'Cabeceras',
  valuesHint: 'NOMBRE=valor, uno por línea. Un nombre solo conserva el valor actual. Los valores nunca se muestran.',
  headersHint: 'Nombre: valor, uno por línea. Un nombre solo conserva el valor actual. Los valores nunca se muestran.',
  sandbox: 'En un sandbox: sin red y solo con su propia carpeta',
  cwd: 'Carpeta',
  sampling: 'Puede preguntar al modelo; antes ves cada petición',
  wrong: {
    name: () => 'Ponle un nombre.',
    target: () => 'Escribe un programa o una dirección.',
    noValue: (name) => `«${name}» aún no tiene valor: escríbelo después del nombre.`,
    noName: (value) => `Un valor no tiene nombre: ${value}`
  }
}
