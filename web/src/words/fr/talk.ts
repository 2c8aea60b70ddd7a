import { type Words } from '../en/index.js'

/** Texts for parts of a chat that are loaded on first use. */
export const talk: Words['talk'] = {
  commit: {
    writing: 'Rédaction d’un message de commit…',
    files: (count) => count < 2 ? `Commiter ${count} fichier` : `Commiter ${count} fichiers`
  },
  results: {
    gone: (path) => `${path} ne peut pas être affiché : il n’existe pas, ou ne peut pas être ouvert ici.`,
    open: (name) => `Afficher ${name} à côté de la discussion`,
    openInTab: (name) => `Ouvrir ${name} dans un nouvel onglet`,
    download: (name) => `Télécharger ${name}`,
    text: 'Afficher le texte',
    noText: 'Ce document n’a pas de texte lisible.'
  },
  outline: {
    title: 'Sommaire',
    search: 'Rechercher dans le sommaire',
    none: 'Aucun message pour l’instant',
    noMatches: (text) => `Aucun résultat pour « ${text} ».`,
    cut: 'Seule la dernière partie de cette longue discussion est affichée.',
    current: 'Vous êtes ici',
    goal: 'Objectif',
    cron: 'Tâche planifiée',
    note: 'Ajouté pendant le travail de l’agent',
    filesOnly: 'Message sans texte',
    notThere: 'Cet endroit est introuvable. La discussion a peut-être changé : réessayez.'
  },
  worktree: {
    title: 'Worktree de cette discussion',
    none: 'Cette discussion n’a plus de worktree. Elle travaille dans le dépôt lui-même.',
    branch: 'Branche',
    folder: 'Dossier',
    repository: 'Dépôt',
    gone: 'Le dossier n’existe plus : la discussion ne peut pas y travailler.',
    clean: 'Aucune modification non commitée.',
    dirty: (count) => count < 2 ? `${count} fichier a des modifications non commitées.` : `${count} fichiers ont des modifications non commitées.`,
    untracked: (count) => count < 2 ? `${count} fichier n’est pas suivi.` : `${count} fichiers ne sont pas suivis.`,
    ahead: (count) => count < 2 ? `${count} commit n’est sur aucune autre branche.` : `${count} commits ne sont sur aucune autre branche.`,
    merged: 'Le dépôt a tous ses commits.',
    elsewhere: 'Tous ses commits sont aussi sur d’autres branches.',
    locked: 'Git l’a verrouillé. Exécutez d’abord « git worktree unlock ».',
    whileRunning: 'L’agent y travaille. Vous pourrez le supprimer quand il aura terminé.',
    remove: 'Supprimer le worktree',
    removeAnyway: 'Supprimer quand même',
    goOn: 'Continuer dans le dépôt',
    losesChanges: 'Si vous le supprimez quand même, les modifications non commitées et les fichiers ignorés par git sont perdus.',
    keepsCommits: (branch) => `Si vous le supprimez quand même, le dossier disparaît et les commits restent sur ${branch}.`,
    removed: 'Worktree supprimé. La discussion continue dans le dépôt.',
    removedKept: (branch) => `Worktree supprimé. La branche ${branch} reste, et la discussion continue dans le dépôt.`
  }
}
