import { type Words } from '../en/index.js'

export const problems: Words['problems'] = {
  cut: {
    length: 'La respuesta alcanzó su longitud máxima.',
    content_filter: 'El proveedor cortó esta respuesta. Pregunta con otras palabras o elige otro modelo.',
    budget_exhausted: 'El presupuesto se ha agotado. Envía «continue» para que se te vuelva a preguntar, o cámbialo en Uso.',
    other: 'La respuesta está incompleta.'
  },
  goOn: 'Continuar',
  toModels: 'Comprobarlo en Modelos',
  toAgents: 'Comprobarlo en Ajustes, Permisos',
  labelled: (label) => `${label}.`,
  label: {
    rate_limit: 'Límite de peticiones',
    quota_exhausted: 'Cuota agotada',
    auth_mismatch: 'Acceso denegado',
    model_not_found: 'Modelo no encontrado',
    mode_not_allowed: 'No permitido',
    no_response: 'Sin respuesta',
    answer_too_large: 'Respuesta demasiado larga',
    compression_exhausted: 'Chat demasiado largo',
    format_missed: 'Formato incorrecto',
    unsupported: 'No compatible',
    interrupted: 'Interrumpido',
    cancelled: 'Detenido',
    error: 'Error'
  },
  said: {
    auth_mismatch: (provider) => `${provider} rechazó la clave.`,
    quota_exhausted: (provider) => `La cuenta en ${provider} ya no tiene cuota.`,
    rate_limit: (provider) => `${provider} no acepta más peticiones por ahora.`,
    model_not_found: (provider, model) => `${provider} no conoce el modelo ${model}.`,
    no_response: (provider) => `${provider} no respondió, o se interrumpió a mitad de la respuesta.`
  },
  next: {
    rate_limit: 'Espera un momento e inténtalo de nuevo.',
    quota_exhausted: 'Añade saldo en el proveedor o elige otro.',
    auth_mismatch: 'Comprueba la clave de este proveedor.',
    model_not_found: 'Elige otro modelo.',
    mode_not_allowed: 'Elige otro modo o permite este.',
    no_response: 'Comprueba que el proveedor funciona y es accesible, e inténtalo de nuevo.',
    answer_too_large: 'Lo recibido se conserva. Pide menos de una vez.',
    compression_exhausted: 'Empieza un chat nuevo o elige un modelo con más contexto.',
    format_missed: 'Inténtalo de nuevo o elige otro modelo.',
    unsupported: 'Elige otro modelo.',
    interrupted: 'Lo escrito hasta ahí se conserva. Inténtalo de nuevo.',
    cancelled: 'Puedes intentarlo de nuevo.',
    error: 'Inténtalo de nuevo o elige otro modelo.'
  }
}
