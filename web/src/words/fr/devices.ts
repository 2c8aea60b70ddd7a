import { type Words } from '../en/index.js'

export const devices: Words['devices'] = {
  note:
    'Scripts, apps, éditeurs et autres navigateurs qui ont accès sans votre mot de passe. Chacun ne peut faire que ce que permet sa portée, ' +
    'jusqu’à sa révocation.',
  none: 'Aucun appareil pour l’instant.',
  pair: 'Associer un appareil',
  showCode: 'Afficher le code',
  pairNote: 'L’appareil obtient son jeton avec un code à usage unique. Rien de secret ne reste à l’écran.',
  make: 'Créer un jeton',
  makeNote: 'Pour les scripts et apps qui utilisent un jeton. Il n’est affiché qu’une fois.',
  name: 'Nom',
  nameHint: 'Par exemple « téléphone » ou « script de sauvegarde ».',
  noName: 'Donnez-lui un nom, pour le reconnaître quand vous voudrez le révoquer.',
  scope: 'Ce qu’il peut faire',
  scopes: { read: 'Lire', chat: 'Discuter', approve: 'Autoriser', admin: 'Administrer' },
  scopeNotes: {
    read: 'Lit les discussions, les fichiers et les réglages. Ne modifie rien.',
    chat: 'Démarre et arrête aussi des tours, et organise les discussions. Ce que l’agent demande vous attend.',
    approve: 'Répond aussi aux demandes de l’agent, et modifie fichiers et dépôts des espaces de travail. Qui autorise des commandes les exécute.',
    admin: 'Modifie aussi les réglages, clés, tâches, la mémoire et les autres appareils : tout, sauf la manière de se connecter.'
  },
  ends: 'Expire',
  ending: { never: 'À sa révocation', month: 'Après 30 jours', quarter: 'Après 90 jours', year: 'Après un an' },
  token: 'Le jeton',
  tokenNote: 'Copiez-le maintenant : il ne sera plus affiché. Envoyez-le dans l’en-tête Authorization: Bearer …',
  copy: 'Copier le jeton',
  scan: 'Scannez ceci avec l’appareil photo de l’appareil, ou ouvrez-y son lien.',
  local:
    'Seul cet ordinateur peut atteindre l’adresse de cette page ; un autre appareil ne peut donc pas ouvrir le lien. Saisissez plutôt le code ' +
    'sur la page /pair de l’autre appareil.',
  code: 'Code',
  waiting: (until) => `En attente de l’appareil. Le code sert une seule fois, jusqu’à ${until}.`,
  codeOver: 'Le code a expiré. Recommencez.',
  paired: (name) => `« ${name} » est associé.`,
  browser: 'Navigateur',
  here: 'Cet appareil',
  made: (when) => `Créé : ${when}`,
  madeBy: (name) => `par « ${name} »`,
  used: (when) => `Dernière utilisation : ${when}`,
  unused: 'Jamais utilisé',
  until: (when) => `Expire : ${when}`,
  over: 'Expiré',
  rename: 'Renommer',
  renamed: (name) => `Renommé en « ${name} ».`,
  revoke: 'Révoquer',
  revokeTitle: (name) => `Révoquer « ${name} » ?`,
  revokeNote:
    'Il perd l’accès aussitôt, comme tous les appareils qu’il a associés. Les tours, objectifs et tâches qu’il a lancés continuent. ' +
    'C’est irréversible.',
  revoked: (count) => count === 1 ? 'Il est révoqué.' : `${count} sont révoqués : lui et ceux qu’il a associés.`
}
