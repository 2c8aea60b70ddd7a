import { type Words } from '../en/index.js'

export const inbox: Words['inbox'] = {
  keys: (down, up) => ['Mit ', down, ' und ', up, ' wechselst du zwischen ihnen.'],
  limits: 'Am Limit',
  empty: 'Nichts wartet auf dich',
  emptyText: 'Wenn der Agent in irgendeinem Chat deine Freigabe braucht oder eine Frage hat, erscheint es hier, bis du antwortest.',
  example: 'Lass den Agenten mich etwas fragen',
  exampleMessage: 'ask me Tee oder Kaffee? Tee | Kaffee'
}
