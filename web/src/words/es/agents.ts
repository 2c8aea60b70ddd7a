import { type Words } from '../en/index.js'

export const agents: Words['agents'] = {
  none: 'No hay ningún agente configurado ni se encontró ninguno en este equipo. La documentación, en «Agents», explica cómo configurar uno.',
  installable: (count) => count === 1 ? 'Se puede instalar 1 agente' : `Se pueden instalar ${count} agentes`,
  installableNote:
    'Del registro público de agentes. Ejecuta una línea en el equipo de este servicio, con su usuario; el servicio no instala nada. Las líneas debajo de un agente van en config.yaml.',
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
  deed: 'Dejar que actúe sin preguntar',
  allowed: (agent, mode) => `${agent} puede trabajar en «${mode}» sin preguntar desde su próximo turno.`,
  anyAllowed: (agent) => `${agent} puede trabajar en cualquier modo sin preguntar desde su próximo turno.`,
  takenBack: (agent) => `Revocado para ${agent} desde su próximo turno.`,
  sandbox: 'Sandbox',
  inside: 'Usar el sandbox',
  outside: 'Ejecutar fuera del sandbox',
  outsideTitle: (agent) => `¿Ejecutar ${agent} fuera del sandbox?`,
  outsideNote:
    'Podrá leer y cambiar todo lo que puede el usuario de este servicio: claves, otras carpetas, programas en ejecución y lo que escuche ' +
    'en este equipo y en sus redes. Sigue preguntando antes de actuar en los modos en los que consta que lo hace.',
  isInside: (agent) => `${agent} usa el sandbox desde su próximo turno.`,
  isOutside: (agent) => `${agent} se ejecuta fuera del sandbox desde su próximo turno.`
}
