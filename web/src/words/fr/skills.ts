import { type Words } from '../en/index.js'

const number = new Intl.NumberFormat('fr')

export const skills: Words['skills'] = {
  create: 'Nouveau skill',
  createNote: 'Des consignes pour un type de travail. L’agent les lit quand ce travail se présente, ou quand vous tapez la commande.',
  empty: 'Aucun skill pour l’instant',
  emptyText: 'Un skill dit à l’agent comment vous voulez qu’un type de travail soit fait. Vous l’écrivez une fois.',
  noOwn: 'Vous n’avez pas encore de skill à vous.',
  exampleButton: (name) => `Essayez-en un : ${name}`,
  example: {
    name: 'commit-style', description: 'Comment les commits sont rédigés ici',
    body: '# Commits\n\n- Une modification par commit.\n- La première ligne dit ce qui est mieux pour qui l’utilise, en 72 caractères au plus.'
  },
  search: 'Rechercher un skill',
  noMatch: 'Aucun skill ne correspond.',
  bundles: 'Ensembles',
  noBundles: 'Aucun ensemble. Un ensemble réunit plusieurs skills sous une commande. C’est un fichier dans le dossier d’ensembles du profil.',
  bundled: (count) => count < 2 ? `${count} skill` : `${count} skills`,
  commands: 'Commandes',
  searchCommands: 'Rechercher une commande',
  noCommand: 'Aucune commande ne correspond.',
  origins: { profile: 'le vôtre', external: 'dossier partagé', plugin: 'plugin', claude: '~/.claude', shipped: 'intégré' },
  uses: (count) => `utilisé ${number.format(count)} fois`,
  shadows: (origins) => `Remplace un skill du même nom (${origins}).`,
  isOn: (name) => `Activer ${name}`,
  off: 'désactivé',
  edit: 'Modifier',
  changeCopy: 'Modifier une copie',
  view: 'Affichage',
  views: { write: 'Écrire', read: 'Lire', source: 'Source' },
  inSource: 'Sa description tient sur plusieurs lignes. Modifiez-la dans la source.',
  purpose: 'Que doit-il savoir faire ?',
  purposePlaceholder: 'Rédiger les notes de version à partir des commits depuis le dernier tag',
  purposeHint: 'L’agent lit le skill quand votre demande porte là-dessus.',
  how: 'Comment faut-il le faire ?',
  howPlaceholder: '1. Regarder les commits depuis le dernier tag.\n2. Les regrouper selon ce que remarquent les utilisateurs.',
  letAgent: 'Laisser l’agent le rédiger',
  askAgent: (purpose, body) =>
    `Rédige un skill pour ceci, et enregistre-le avec ton outil pour les skills : ${purpose}${body === '' ? '' : `\n\nTiens-toi à ces notes :\n\n${body}`}`,
  text: 'Source',
  name: 'Nom',
  category: 'Catégorie',
  saved: (name) => `« ${name} » est enregistré.`,
  deleted: (name) => `« ${name} » est supprimé.`,
  deleteFiles: 'Les fichiers à côté sont supprimés aussi, et ne peuvent pas être restaurés.',
  conflict: 'Quelqu’un d’autre a modifié ce skill. Vos modifications sont toujours là.',
  keepMine: 'Enregistrer la mienne',
  takeTheirs: 'Utiliser l’autre',
  theirs: 'Version actuelle'
}
