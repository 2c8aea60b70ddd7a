import { type Words } from '../en/index.js'

export const inbox: Words['inbox'] = {
  keys: (down, up) => ['Passez de l’un à l’autre avec ', down, ' et ', up, '.'],
  limits: 'Limite atteinte',
  empty: 'Rien ne vous attend',
  emptyText: 'Quand l’agent a besoin de votre autorisation ou a une question, dans n’importe quelle discussion, cela apparaît ici jusqu’à votre réponse.',
  example: 'Laisser l’agent me poser une question',
  exampleMessage: 'ask me Thé ou café ? thé | café'
}
