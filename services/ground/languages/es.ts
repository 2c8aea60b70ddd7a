import { type PageWords } from './page-words.js'

export const es: PageWords = {
  tag: 'es',
  signIn: {
    title: (name) => `Iniciar sesión – ${name}`,
    password: 'Contraseña',
    signIn: 'Iniciar sesión',
    withPasskey: 'Iniciar sesión con una clave de acceso',
    with: (name) => `Iniciar sesión con ${name}`,
    passkeyNeedsScript: 'Para iniciar sesión con una clave de acceso hace falta JavaScript.',
    enterPassword: 'Escribe la contraseña.',
    wrongPassword: 'La contraseña no es correcta. Si la has perdido, ejecuta agent-web-service reset-password en la máquina del servicio.',
    tooMany: (seconds) => `Demasiados intentos. Vuelve a intentarlo en ${seconds} s.`,
    unreachable: 'No se puede conectar con el servicio. Vuelve a intentarlo.',
    noPasskeyUsed: 'No se usó ninguna clave de acceso. Vuelve a intentarlo.',
    passkeyRefused: 'Esta clave de acceso no se aceptó.',
    proxyOnly: 'Este servicio no tiene contraseña. Ábrelo a través de su proxy.',
    passkeysElsewhere: 'Las claves de acceso son de otra dirección de este servicio: ábrelo allí.',
    oidc: {
      oidc_unavailable: (name) => `No se puede conectar con ${name} en este momento. Vuelve a intentarlo o inicia sesión de otra forma.`,
      oidc_refused: (name) => `${name} te conoce, pero este servicio no admite tu cuenta.`,
      oidc_unverified: (name) => `${name} no ha verificado tu correo electrónico, así que aquí no cuenta.`,
      oidc_cancelled: (name) => `${name} no te dejó pasar, o volviste atrás. Vuelve a intentarlo.`,
      oidc_expired: () => 'Este inicio de sesión ha caducado, ya se usó o se empezó en otro navegador. Vuelve a intentarlo.',
      oidc_failed: (name) => `La respuesta de ${name} no es de fiar. Vuelve a intentarlo.`,
      oidc_busy: () => 'Demasiados intentos. Vuelve a intentarlo dentro de un minuto.'
    }
  },
  pairing: {
    title: (name) => `Vincular este navegador – ${name}`,
    code: 'Código de vinculación',
    use: 'Usar este navegador',
    note: 'Un navegador con la sesión iniciada muestra el código en los ajustes, en «Dispositivos y tokens». Sirve una sola vez.',
    needsScript: 'Para vincular hace falta JavaScript.'
  },
  error: {
    missing: 'Página no encontrada',
    unknown: 'Puede que la dirección esté mal escrita o que la página se haya eliminado.',
    unshared: 'Esta página no existe o ya no se comparte. Pregunta a quien te envió el enlace.',
    failed: 'Esta página no se puede mostrar',
    broken: 'Algo ha fallado en el servicio. Su registro tiene los detalles.',
    again: 'Reintentar',
    home: 'Ir a la página de inicio'
  },
  app: {
    unstarted:
      'La app no se ha iniciado. Con una red lenta tarda más; si no, recarga la página. ' +
      'Si no ayuda, actualiza el navegador o permite los scripts de esta dirección.',
    noScript: 'Esta app necesita JavaScript.',
    box: 'Mensaje',
    ask: 'Pregunta algo o describe una tarea'
  },
  shared: (day) => `${day} · Solo lectura`,
  page: {
    you: 'Tú',
    assistant: 'Asistente',
    message: 'Mensaje',
    error: 'Error',
    reasoning: 'Razonamiento',
    partial: 'Detenido aquí: la respuesta no está completa',
    steer: 'Añadido durante el trabajo',
    goal: 'Objetivo',
    scheduled: 'Programado',
    woken: 'Despertado por un proceso',
    summarised: 'Los mensajes anteriores se resumieron para el modelo',
    summary: 'Resumen',
    shortened: 'Acortado: el resto de este mensaje no está en esta página.',
    tool: 'Herramienta',
    result: 'Resultado',
    arguments: 'Argumentos',
    nothing: '(nada)',
    noResult: 'sin resultado',
    failed: 'fallido',
    done: 'hecho',
    empty: 'Esta conversación no tiene mensajes.'
  },
  upgrading: 'El servicio está actualizando su base de datos. No se pierde nada, y esta página continúa sola.',
  shortcuts: { newChat: 'Chat nuevo', home: 'Inicio' },
  notifications: {
    approval: 'Necesita tu permiso',
    question: 'Te hace una pregunta',
    turn: 'Ha respondido',
    resumed: 'Continúa: el límite ha terminado',
    atLimit: 'En el límite de su proveedor: decide cómo continúa',
    failed: 'No terminó',
    job: 'Se ejecutó una tarea programada',
    pull: {
      checks_failed: 'Comprobaciones fallidas', checks_passed: 'Comprobaciones superadas', approved: 'Aprobada', commented: 'Comentario nuevo',
      merged: 'Fusionada', closed: 'Cerrada sin fusionar'
    },
    other: 'Hay novedades',
    counted: {
      waiting: '{count} en espera de ti', ended: 'terminados: {count}', failed: '{count} con error', running: '{count} en curso', queued: '{count} en cola'
    },
    comma: ', '
  }
}
