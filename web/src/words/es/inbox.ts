import { type Words } from '../en/index.js'

export const inbox: Words['inbox'] = {
  keys: (down, up) => ['Muévete entre ellas con ', down, ' y ', up, '.'],
  limits: 'En el límite',
  empty: 'Nada te espera',
  emptyText: 'Cuando el agente necesite tu permiso o tenga una pregunta en cualquier chat, aparecerá aquí hasta que respondas.',
  example: 'Que el agente me pregunte algo',
  exampleMessage: 'ask me ¿Té o café? té | café'
}
