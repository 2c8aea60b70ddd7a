import { type Words } from '../en/index.js'

const action = (count: number, done: string): string => count === 1 ? `Discussion ${done}` : `${count} discussions ${done}s`

/** Texts for actions on chats and projects in the list of chats. */
export const rail: Words['rail'] = {
  pin: 'Épingler',
  unpin: 'Désépingler',
  rename: 'Renommer',
  move: 'Déplacer vers un projet',
  newProject: 'Nouveau projet…',
  noProject: 'Aucun projet',
  branch: 'Créer une branche',
  share: 'Partager',
  choose: 'Sélectionner',
  archive: 'Archiver',
  delete: 'Supprimer',
  export: 'Exporter',
  newChatHere: 'Nouvelle discussion ici',
  colour: 'Couleur',
  setUp: 'Dossier et instructions…',
  project: {
    title: (name) => `Projet « ${name} »`,
    folder: 'Dossier',
    folderHint: 'Les nouvelles discussions commencent ici. Vide : le dossier par défaut.',
    instructions: 'Instructions',
    instructionsHint: 'L’agent les reçoit dans chaque discussion de ce projet.',
    saved: (name) => `« ${name} » enregistré.`
  },
  removeProject: 'Retirer',
  removeProjectNote: 'Ses discussions restent.',
  colours: { green: 'Vert', blue: 'Bleu', purple: 'Violet', olive: 'Olive', brown: 'Brun', grey: 'Gris' },
  chosen: (count) => count < 2 ? `${count} sélectionnée` : `${count} sélectionnées`,
  endChoosing: 'Terminer la sélection',
  archived: (count) => `${action(count, 'archivée')}.`,
  deleted: (count) => `${action(count, 'supprimée')}.`,
  moved: (count, project) => `${action(count, 'déplacée')} vers « ${project} ».`,
  movedOut: (count) => `${action(count, 'sortie')} du projet.`,
  projectRemoved: (name) => `« ${name} » retiré. Ses discussions sont dans la liste par jour.`
}
