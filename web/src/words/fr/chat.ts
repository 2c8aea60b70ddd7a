import { type Words } from '../en/index.js'

export const chat: Words['chat'] = {
  goals: {
    active: (used, most) => `Objectif · tour ${used} sur ${most}`,
    paused: 'Objectif en pause',
    done: 'Objectif atteint',
    checking: 'Vérification de l’objectif',
    pause: 'Suspendre',
    resume: 'Reprendre',
    giveUp: 'Abandonner l’objectif',
    pauses: {
      person: 'mis en pause par vous',
      turns: 'tous les tours sont utilisés',
      budget: 'le budget est épuisé',
      cancelled: 'le tour a été arrêté',
      failed: 'le tour a échoué',
      cut_off: 'le service a été arrêté au milieu d’un tour',
      not_started: 'le tour suivant n’a pas pu commencer',
      judge_silent: 'le juge n’a pas répondu',
      judge_unclear: 'le verdict du juge n’était pas clair'
    }
  },
  events: {
    retry: 'Le modèle n’a pas répondu. Nouvel essai.',
    compression_failed: 'Le début de la discussion n’a pas pu être résumé.',
    compressing: 'La discussion est devenue longue. Son début est en cours de résumé.',
    compressed: 'Le début de la discussion a été résumé.',
    cut_short: 'La réponse a atteint la longueur maximale du modèle.',
    budget: 'Un budget est épuisé.',
    fallback: 'Un autre modèle prend la suite.'
  },
  readOnly: {
    why: 'Cette discussion est en lecture seule.',
    branch: 'Créer une branche pour continuer',
    goOn: 'Continuer ici',
    inPlace: (m: string): string => `Continue la même discussion avec ${m}. Le terminal affiche ensuite vos ajouts.`,
    notInPlace: (why: string): string => `Impossible de continuer sur place : ${why}`,
    subAgent: 'Un sous-agent travaille dans cette discussion : elle est en lecture seule.',
    toParent: 'Ouvrir la discussion parente'
  },
  parked: {
    name: 'Fournisseur à sa limite',
    until: (provider, time) => `${provider} a atteint sa limite, jusqu’à ${time}. Le tour reprendra ensuite automatiquement.`,
    asks: (provider) => `${provider} a atteint sa limite. Le tour attend que vous décidiez de la suite.`,
    cannot: (provider) => `Le tour n’a pas pu continuer avec ${provider} et attend que vous décidiez de la suite.`,
    now: 'Reprendre',
    wait: 'Attendre',
    withAnother: 'Autre modèle…',
    another: 'Continuer avec un autre modèle',
    stop: 'Arrêter'
  },
  rename: 'Renommer',
  pin: 'Épingler',
  unpin: 'Désépingler',
  move: 'Déplacer vers un projet',
  archive: 'Archiver',
  unarchive: 'Sortir des archives',
  worktree: 'Worktree',
  duplicate: 'Dupliquer',
  export: 'Exporter',
  share: 'Partager',
  sharing: {
    title: 'Partager cette discussion ?',
    what: (title, count) => `Toute personne qui a le lien peut lire « ${title} » (${count < 2 ? `${count} message` : `${count} messages`}) sans se connecter.`,
    note: 'La page contient ce que l’agent a fait et la sortie de ses outils. Les identifiants connus sont masqués. Les messages suivants n’y sont pas ajoutés.',
    preview: 'Aperçu de la page',
    share: 'Partager',
    doneTitle: 'Cette discussion est partagée',
    kept: 'Copiez le lien maintenant : il ne sera plus affiché.',
    all: 'Toutes les pages partagées',
    copy: 'Copier le lien',
    revoke: 'Ne plus partager',
    revoked: 'La page n’est plus partagée.'
  },
  yoloStep: {
    title: 'Tout exécuter sans demander ?',
    means: 'Dans cette discussion, l’agent fait tout ce qu’il décide, sans vous attendre :',
    facts: [
      'Il exécute des commandes, modifie et supprime des fichiers, et envoie des requêtes.', 'Les demandes qui vous attendent sont autorisées aussitôt.',
      'Cela dure jusqu’à ce que vous le désactiviez ou que le service redémarre.'
    ],
    back: 'Continuer à demander',
    confirm: 'Exécuter sans demander'
  },
  otherFolder: 'Changer de dossier',
  undoExchange: 'Annuler le dernier échange',
  exchangeUndone: 'Dernier échange annulé.',
  openKept: 'Ouvrir la version précédente',
  delete: 'Supprimer',
  temporary: {
    name: 'Discussion temporaire',
    note: 'Ni listée ni mémorisée, et supprimée quand vous la quittez.',
    keep: 'Conserver cette discussion',
    kept: 'Discussion conservée. Elle est maintenant dans la liste.',
    left: 'Discussion temporaire supprimée.'
  },
  yolo: 'Tout exécuter sans demander…',
  side: {
    question: 'Question à part',
    task: 'Tâche en arrière-plan',
    lost: 'La réponse n’est plus disponible.',
    states: {
      running: 'en cours', stopping: 'arrêt en cours', done: 'terminé', elsewhere: 'Son résultat s’est affiché dans une autre fenêtre.',
      gone: 'Sa discussion n’existe plus.'
    }
  },
  noEffort: 'Ce modèle n’a pas de réglage d’effort.',
  noPersonalities: 'Aucune personnalité. Créez-en une dans Réglages, Comportement.',
  usage: {
    title: 'Consommation de cette discussion',
    window: (percent) => `${percent} % du contexte est utilisé`,
    held: (held, length) => `${held} tokens sur ${length}`,
    threshold: (tokens) => `résumé à ${tokens}`,
    model: 'Modèle',
    input: 'Tokens en entrée',
    output: 'Tokens en sortie',
    cache: 'En cache',
    cost: 'Coût',
    unpriced: 'prix inconnu',
    last: 'Dernier tour',
    speed: (tokensPerSecond) => `${tokensPerSecond} tokens par seconde`,
    compress: 'Résumer maintenant les messages antérieurs',
    all: 'Consommation et budgets'
  }
}
