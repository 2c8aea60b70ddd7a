import { type Words } from '../en/index.js'

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count < 2 ? one : many}`

export const queue: Words['queue'] = {
  title: (count) => `${counted(count, 'message')} en file d’attente`,
  list: 'Messages en file d’attente',
  held: {
    failed: 'Le dernier tour a échoué : la file vous attend.',
    cancelled: 'Vous avez arrêté le dernier tour : la file vous attend.',
    budget: 'Un budget est épuisé : la file vous attend.',
    restored: 'Une sauvegarde a été restaurée : la file vous attend.'
  },
  waiting: 'La file reprendra quand vous aurez répondu.',
  limit: 'La file reprendra après le tour qui attend son fournisseur.',
  goOn: 'Reprendre',
  drop: 'Tout abandonner',
  dropped: (count) => counted(count, 'message en file abandonné', 'messages en file abandonnés'),
  move: (text) => `Déplacer « ${text} »`,
  moveHint: 'Faites glisser, ou utilisez les flèches.',
  moveUp: 'Monter',
  moveDown: 'Descendre',
  moved: (place, of) => `Déplacé en position ${place} sur ${of}`,
  more: (text) => `Actions pour « ${text} »`,
  sendNow: 'Envoyer maintenant',
  addNow: 'Ajouter au tour en cours',
  steered: 'L’agent l’a reçu et le lira à sa prochaine étape.',
  next: 'Le tour en cours ne peut pas le prendre. Il sera le suivant.',
  edit: 'Modifier',
  editing: 'Message en file d’attente',
  save: 'Enregistrer',
  remove: 'Retirer',
  removed: 'Retiré de la file',
  files: (count) => counted(count, 'fichier'),
  from: (time) => `Pas avant ${time}`,
  changedElsewhere: 'Un autre appareil a modifié ce message. Enregistrez à nouveau pour remplacer son texte.',
  begun: 'Ce message a quitté la file. Votre texte est dans la zone de message.'
}
