import { type Words } from '../en/index.js'

export const agents: Words['agents'] = {
  none: 'No hay ningún agente configurado ni se encontró ninguno en este equipo. La documentación, en «Agents», explica cómo configurar uno.',
  installable: (count) => count === 1 ? 'Se puede instalar 1 agente' : `Se pueden instalar ${count} agentes`,
  installableNote:
    'Del registro público de agentes. Ejecuta una línea en el equipo de este servicio, con su usuario; el servicio no instala nada. Las líneas debajo de un agente van en config.yaml.',
  asOf: (registry, versions) => `El registro es del ${registry}; las versiones, del ${versions}.`,
  proprietary: 'Propietario',
  page: 'Más información',
  copyInstall: 'Copiar la línea de instalación',
  copySetup: 'Copiar las líneas para config.yaml',
  asks: 'Pregunta antes de actuar',
  mayAct: 'Puede actuar sin preguntar',
  blocked: 'Aún no funciona',
  unreached: 'Inícialo una vez para ver sus modos.',
  look: 'Iniciar',
  noModes: 'No tiene modos.',
  modeAsks: 'Pregunta antes de actuar.',
  modeOff: 'Desactivado, porque quizá actúe sin preguntar.',
  modeOn: 'Permitido: puede actuar sin preguntar.',
  any: 'Cualquier modo',
  anyNote: 'También los modos que reciba después, y cuando no tenga ninguno.',
  allow: 'Permitir',
  takeBack: 'Revocar',
  allowTitle: (agent, mode) => `¿Dejar que ${agent} trabaje en «${mode}» sin preguntar?`,
  anyTitle: (agent) => `¿Dejar que ${agent} trabaje en cualquier modo sin preguntar?`,
  allowNote:
    'Podrá cambiar y eliminar archivos, ejecutar programas y enviar datos a cualquier sitio: dentro de su sandbox o, si no tiene, con los ' +
    'permisos del usuario que ejecuta este servicio. Antes no se pregunta ni se muestra nada a nadie. Vale para todos los chats de este perfil hasta que lo revoques.',
  action: 'Dejar que actúe sin preguntar',
  allowed: (agent, mode) => `${agent} puede trabajar en «${mode}» sin preguntar desde su próximo turno.`,
  anyAllowed: (agent) => `${agent} puede trabajar en cualquier modo sin preguntar desde su próximo turno.`,
  takenBack: (agent) => `Revocado para ${agent} desde su próximo turno.`,
  sandbox: 'Sandbox',
  runsWhere: (agent) => `Dónde se ejecuta ${agent}`,
  places: { auto: 'En el sandbox, si lo hay', sandbox: 'Solo en el sandbox', none: 'Fuera del sandbox' },
  outside: 'Ejecutar fuera del sandbox',
  outsideTitle: (agent) => `¿Ejecutar ${agent} fuera del sandbox?`,
  outsideNote:
    'Podrá leer y cambiar todo lo que puede el usuario de este servicio: claves, otras carpetas, programas en ejecución y lo que escuche ' +
    'en este equipo y en sus redes. Sigue preguntando antes de actuar en los modos en los que consta que lo hace.',
  isInside: (agent) => `${agent} usa el sandbox desde su próximo turno.`,
  isOnlyInside: (agent) => `${agent} se ejecuta solo en el sandbox desde su próximo turno.`,
  isOutside: (agent) => `${agent} se ejecuta fuera del sandbox desde su próximo turno.`,
  isolation: {
    outside: 'Se ejecuta fuera del sandbox, con los permisos del usuario que ejecuta este servicio.',
    outside_for_lack: (reason) =>
      `Se ejecuta fuera del sandbox, con los permisos del usuario que ejecuta este servicio: ${reason}.`,
    no_sandbox: (reason) =>
      `Debe ejecutarse solo en el sandbox, y no hay ninguno: ${reason}.`,
    container: 'Se ejecuta dentro de los límites del contenedor y tiene su red.',
    offline: 'Se ejecuta en el sandbox, sin red.',
    whole_network: 'Se ejecuta en el sandbox y tiene la red de este equipo, con todo lo que escucha en ella.',
    whole_network_open:
      'Se ejecuta en el sandbox y tiene la red de este equipo, con todo lo que escucha en ella. Este servicio no pide iniciar sesión, así que el agente podría usarlo: establece una contraseña.',
    internet: (places) =>
      `Se ejecuta en el sandbox. Llega a internet, pero en este equipo y en redes privadas solo a ${places === '' ? '' : `${places}, `}las direcciones de sus variables y sus servidores MCP.`,
    places: (places) =>
      `Se ejecuta en el sandbox. Solo llega a ${places === '' ? '' : `${places}, `}las direcciones de sus variables y sus servidores MCP.`
  },
  isolationSees: 'Solo puede escribir en la carpeta de su chat y en sus propias carpetas. El resto de la carpeta personal queda oculto.'
}
