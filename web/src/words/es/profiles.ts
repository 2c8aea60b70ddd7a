import { type Words } from '../en/index.js'

export const profiles: Words['profiles'] = {
  note: 'Un perfil tiene sus propios modelos, claves, memoria y ajustes. El que elijas vale para este navegador.',
  toMemory: 'Persona y notas del perfil actual',
  single: 'Este servicio solo tiene un perfil.',
  active: 'En uso',
  usual: 'Predeterminado',
  hidden: 'Oculto',
  running: 'El agente está en marcha',
  facts: (model, skills, all) => `${model} · ${skills} de ${all} skills`,
  noModel: 'Sin modelo',
  keys: 'Tiene sus propias claves',
  switch: 'Cambiar a este',
  create: 'Crear un perfil',
  name: 'Nombre',
  nameHint: 'Minúsculas, cifras, - y _; empieza por letra o cifra.',
  wrongName: 'Minúsculas, cifras, - y _, como máximo 64; empieza por letra o cifra.',
  from: 'Partir de',
  nothing: 'Nada',
  copyOf: (name) => `Una copia de «${name}» (ajustes, claves, persona)`,
  created: (name) => `«${name}» se ha creado.`,
  clone: 'Copiar',
  remove: 'Eliminar',
  removeTitle: (name) => `Eliminar «${name}»`,
  removeNote: 'Su carpeta se conserva 30 días, sin sus claves. Sus chats se quedan. Escribe su nombre para continuar.',
  removed: (name) => `«${name}» se ha eliminado. Su carpeta se conserva 30 días.`
}
