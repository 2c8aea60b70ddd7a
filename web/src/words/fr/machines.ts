import { type Words } from '../en/index.js'

export const machines: Words['machines'] = {
  here: 'Cette machine',
  where: 'Machine',
  named: (name, state) => `${name} (${state === 'away' ? 'hors ligne' : 'inutilisable'})`,
  unread: (why) => `L’état des autres machines n’a pas pu être chargé. ${why}`,
  brief: {
    away: (when) => `hors ligne depuis ${when}`,
    refused: 'inutilisable',
    unknown: 'non rattachée',
    off: 'non configurée',
    cut: 'injoignable'
  },
  absent: {
    away: (name, when) => `${name} est hors ligne depuis ${when}. Les messages ici restent sans réponse jusqu’à son retour.`,
    awayRunning: (name, when) => `${name} est hors ligne depuis ${when}. La réponse continue si elle revient bientôt.`,
    refused: (name) => `${name} est inutilisable. Réglages, Machines en indique la raison.`,
    refusedFor: (name, why) => `${name} est inutilisable : ${why}`,
    unknown: (name) => `Aucune machine nommée ${name} n’est rattachée. Les messages ici restent sans réponse tant qu’il n’y en a pas.`,
    off: (name) => `Cette discussion travaille sur la machine ${name}, et les autres machines ne sont pas configurées ici.`,
    cut: (name) => `Le service n’atteint pas ses autres machines, dont ${name}. Il continue d’essayer.`,
    folderAway: (name, when) => `${name} est hors ligne depuis ${when}.`,
    folderNote: 'Le dossier réapparaîtra ici dès que la machine sera joignable. D’ici là, vous pouvez lire la discussion.'
  },
  note: 'Vos autres ordinateurs peuvent faire le travail, chacun avec ses dossiers, profils et clés. Les discussions restent ici.',
  off: 'Pas encore configuré. En quatre étapes, un autre ordinateur travaille pour vous :',
  steps: [
    'Créez les clés sur l’ordinateur où tournera un serveur NATS, par lequel les machines se rejoignent :',
    'Placez un certificat à côté des clés (le guide dit comment), puis démarrez le serveur :',
    'Indiquez-le dans l’environnement de ce service, avec les chemins complets des fichiers, puis redémarrez le service :',
    'Installez ce service sur l’autre ordinateur, copiez sa clé et ca.crt dans le dossier, et exécutez-y, avec les dossiers à ouvrir :'
  ],
  cut: 'Le service n’atteint pas le serveur NATS. Il continue d’essayer.',
  none: 'Aucune machine rattachée pour l’instant.',
  join: 'Rattacher une machine',
  joinNote:
    'Créez sa clé (voir le guide), installez-y ce service, copiez la clé et ca.crt dans son dossier, puis exécutez avec vos valeurs :',
  copyCommand: 'Copier la commande',
  guide: 'Guide : clés, certificats et démarrage automatique',
  states: { ready: 'Prête', away: 'Hors ligne', refused: 'Inutilisable' },
  since: (when) => `depuis ${when}`,
  version: 'Version',
  otherVersion: (its, ours) => `${its} ; le service a ${ours}. Mettez à jour la plus ancienne des deux.`,
  platform: 'Système',
  profiles: 'Profils',
  models: 'Modèles',
  sandbox: 'Sandbox',
  load: 'Charge',
  folders: 'Dossiers',
  some: (names, more) => `${names.join(', ')}${more === 0 ? '' : ` et ${more} de plus`}`,
  confined: 'Les commandes sont confinées',
  unconfined: (why) => why === '' ? 'Les commandes ne sont pas confinées' : `Les commandes ne sont pas confinées : ${why}`,
  loadOf: ({ busy, cores, freeMb, turns }) =>
    `${busy.toFixed(1).replace('.', ',')} sur ${cores} ${cores === 1 ? 'cœur' : 'cœurs'}, ${(freeMb / 1_024).toFixed(1).replace('.', ',')} Gio libres, ` +
    `${turns} ${turns < 2 ? 'tour' : 'tours'} en cours`,
  forget: 'Oublier',
  forgetNamed: (name) => `Oublier ${name}`,
  forgetTitle: (name) => `Oublier ${name} ?`,
  forgetNote: 'Elle quitte cette liste jusqu’à ce qu’elle se rattache. Ses discussions restent, et fonctionnent de nouveau dès qu’une machine de ce nom se rattache.',
  forgotten: (name) => `${name} est oubliée.`
}
