import { type Words } from '../en/index.js'

const counted = (count: number): string => `${count} ${count < 2 ? 'étape' : 'étapes'}`

export const plan: Words['plan'] = {
  mode: 'Mode plan',
  modeNote: 'L’agent lit et demande. Il ne modifie rien avant que vous ne lanciez son plan.',
  steps: (title, count) => `${title === '' ? 'Le plan' : title} · ${counted(count)}`,
  open: 'Ouvrir le plan',
  go: 'Lancer',
  noSteps: 'Le plan n’a pas d’étapes. Écrivez-les sous forme de liste de tâches : - [ ] …',
  none: 'Aucun plan pour l’instant.',
  noneNote: 'Activez le mode plan sous la zone de message, et dites ce qu’il faut faire. Ou écrivez le plan vous-même.',
  write: 'Écrire un plan',
  edit: 'Modifier',
  text: 'Le plan en Markdown',
  version: (version, author) => `Version ${version}, ${author === 'agent' ? 'par l’agent' : 'modifiée par vous'}`,
  started: 'Lancé',
  comment: (line) => `Commenter la ligne ${line}`,
  changedMeanwhile: 'Le plan a changé depuis que vous avez commencé. Votre texte est toujours là.',
  refused: {
    plan_changed: 'Le plan a changé entre-temps. Votre texte est toujours là.',
    plan_started: 'Le plan a déjà été lancé, sur un autre appareil.',
    agent_running: 'L’agent travaille. Lancez le plan quand il aura terminé.'
  }
}
