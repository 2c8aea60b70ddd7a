import { type PageWords } from './page-words.js'

export const fr: PageWords = {
  tag: 'fr',
  signIn: {
    title: (name) => `Connexion – ${name}`,
    password: 'Mot de passe',
    signIn: 'Se connecter',
    withPasskey: 'Se connecter avec une clé d’accès',
    with: (name) => `Se connecter avec ${name}`,
    passkeyNeedsScript: 'La connexion avec une clé d’accès nécessite JavaScript.',
    enterPassword: 'Saisissez le mot de passe.',
    wrongPassword: 'Ce n’est pas le bon mot de passe. S’il est perdu, exécutez agent-web-service reset-password sur la machine du service.',
    tooMany: (seconds) => `Trop de tentatives. Réessayez dans ${seconds} s.`,
    unreachable: 'Le service est injoignable. Réessayez.',
    noPasskeyUsed: 'Aucune clé d’accès n’a été utilisée. Réessayez.',
    passkeyRefused: 'Cette clé d’accès n’a pas été acceptée.',
    proxyOnly: 'Ce service n’a pas de mot de passe. Ouvrez-le par son proxy.',
    passkeysElsewhere: 'Les clés d’accès valent pour une autre adresse de ce service : ouvrez-le à cette adresse.',
    oidc: {
      oidc_unavailable: (name) => `${name} est injoignable pour le moment. Réessayez, ou connectez-vous autrement.`,
      oidc_refused: (name) => `${name} vous connaît, mais ce service n’accepte pas votre compte.`,
      oidc_unverified: (name) => `${name} n’a pas vérifié votre adresse e-mail ; elle ne compte donc pas ici.`,
      oidc_cancelled: (name) => `${name} a refusé l’accès, ou vous avez fait marche arrière. Réessayez.`,
      oidc_expired: () => 'Cette connexion a expiré, a déjà servi ou a été commencée dans un autre navigateur. Réessayez.',
      oidc_failed: (name) => `La réponse de ${name} n’est pas digne de confiance. Réessayez.`,
      oidc_busy: () => 'Trop de tentatives. Réessayez dans une minute.'
    }
  },
  pairing: {
    title: (name) => `Associer ce navigateur – ${name}`,
    code: 'Code d’association',
    use: 'Utiliser ce navigateur',
    note: 'Un navigateur connecté affiche le code dans les réglages, sous « Appareils et jetons ». Il ne sert qu’une fois.',
    needsScript: 'L’association nécessite JavaScript.'
  },
  error: {
    missing: 'Page introuvable',
    unknown: 'L’adresse est peut-être mal saisie, ou la page a été supprimée.',
    unshared: 'Cette page n’existe pas, ou n’est plus partagée. Demandez à la personne qui vous a envoyé le lien.',
    failed: 'Impossible d’afficher cette page',
    broken: 'Le service a rencontré une erreur. Son journal en donne les détails.',
    again: 'Réessayer',
    home: 'Aller à l’accueil'
  },
  app: {
    unstarted:
      'L’app n’a pas démarré. Un réseau lent demande plus de temps ; sinon, rechargez la page. ' +
      'Si cela n’aide pas, mettez le navigateur à jour, ou autorisez les scripts de cette adresse.',
    noScript: 'Cette app a besoin de JavaScript.',
    box: 'Message',
    ask: 'Posez une question ou décrivez une tâche'
  },
  shared: (day) => `${day} · Lecture seule`,
  page: {
    you: 'Vous',
    assistant: 'Assistant',
    message: 'Message',
    error: 'Erreur',
    reasoning: 'Raisonnement',
    partial: 'Arrêté ici : la réponse est incomplète',
    steer: 'Ajouté pendant le travail',
    goal: 'Objectif',
    scheduled: 'Planifié',
    woken: 'Réveillé par un processus',
    summarised: 'Les messages précédents ont été résumés pour le modèle',
    summary: 'Résumé',
    shortened: 'Raccourci : la suite de ce message n’est pas sur cette page.',
    tool: 'Outil',
    result: 'Résultat',
    arguments: 'Arguments',
    nothing: '(rien)',
    noResult: 'aucun résultat',
    failed: 'échec',
    done: 'terminé',
    empty: 'Cette conversation ne contient aucun message.'
  },
  upgrading: 'Le service met à jour sa base de données. Rien n’est perdu, et cette page continue d’elle-même.',
  shortcuts: { newChat: 'Nouvelle discussion', home: 'Accueil' },
  notifications: {
    approval: 'Demande votre autorisation',
    question: 'Vous pose une question',
    turn: 'A répondu',
    resumed: 'Reprend : la limite est levée',
    atLimit: 'À la limite de son fournisseur : décidez de la suite',
    failed: 'N’a pas abouti',
    job: 'Une tâche planifiée s’est exécutée',
    pull: {
      checks_failed: 'Vérifications en échec', checks_passed: 'Vérifications réussies', approved: 'Approuvée', commented: 'Nouveau commentaire',
      merged: 'Fusionnée', closed: 'Fermée sans fusion'
    },
    other: 'Il y a du nouveau',
    counted: {
      waiting: '{count} en attente de vous', ended: '{count} terminé(s)', failed: 'dont {count} en échec', running: '{count} en cours',
      queued: '{count} en file d’attente'
    },
    comma: ', '
  }
}
