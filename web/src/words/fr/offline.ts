import { type Words } from '../en/index.js'

export const offline: Words['offline'] = {
  keptNote: (time) => `Enregistré sur cet appareil à ${time} ; chargement de l’état actuel`,
  cutOff: 'Le service est injoignable. Vous pouvez lire ce qui est enregistré sur cet appareil. Les messages sont mis en file et partent dès qu’il répond.',
  offline: 'Vous êtes hors ligne. Vous pouvez lire ce qui est enregistré sur cet appareil. Les messages sont mis en file et partent au retour de la connexion.',
  waiting: (count) => count < 2 ? `${count} message est en file d’attente.` : `${count} messages sont en file d’attente.`,
  unsent: 'Pas encore envoyé',
  waits: 'En attente de la connexion',
  unsure: 'Il est peut-être arrivé ; l’app vérifie avant de le renvoyer',
  onItsWay: 'Envoi en cours',
  sentLater: 'Un message en file a été envoyé.',
  open: 'Ouvrir',
  edit: 'Remettre dans la zone de message',
  remove: 'Abandonner',
  removed: 'Message abandonné.',
  refused: (why) => `Non envoyé : ${why}`,
  earlier: 'Écrit avant la dernière connexion : il n’est pas envoyé automatiquement',
  sendNow: 'Envoyer',
  gone: 'Il a déjà été envoyé.',
  filesWait: (count) => count === 1
    ? 'Le fichier partagé est enregistré sur cet appareil et sera joint quand le service répondra.'
    : `Les ${count} fichiers partagés sont enregistrés sur cet appareil et seront joints quand le service répondra.`,
  sharedLeftOut: (names, isLarge) =>
    `Laissé de côté : ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` et ${names.length - 3} de plus` : ''}. ` +
    (isLarge ? 'On peut partager 512 Mio au plus à la fois.' : 'Un message accepte 20 fichiers au plus.'),
  sharedWaits: 'Vous avez partagé quelque chose avec cette app.',
  shareFailed: 'Ce que vous avez partagé n’a pas pu être enregistré sur cet appareil. Partagez-le à nouveau, ou partagez moins à la fois.',
  newVersion: 'Une nouvelle version de l’app est disponible.',
  later: 'Plus tard',
  reload: 'Recharger'
}
