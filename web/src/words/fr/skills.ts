import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('fr'))

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
  categories: {
    Info: 'Informations', Session: 'Discussion', Conversation: 'Échanges', Configuration: 'Réglages', Commands: 'Commandes', Workspace: 'Dossier', Plugin: 'Plugins', development: 'Développement', writing: 'Rédaction'
  },
  shipped: {
    'Review a change, a branch or a file for faults that matter, each with a place, a consequence and a proposal.':
      'Relit une modification, une branche ou un fichier et signale les défauts importants : où, avec quelle conséquence et quelle solution.',
    'Write a commit message for staged or recent changes that tells a later reader what changed and why.':
      'Rédige un message de commit qui dit à qui le lira plus tard ce qui a changé, et pourquoi.',
    'Find the cause of a fault by evidence and mend it at its root.':
      'Trouve la cause d’un défaut, preuves à l’appui, et le corrige à la racine.',
    'Write tests that fail when a promise of the code is broken and only then.':
      'Écrit des tests qui échouent quand le code ne tient plus une promesse, et seulement alors.',
    'Summarise a document, article, transcript or thread faithfully, for a reader who has to decide or act.':
      'Résume fidèlement un document, un article, une transcription ou une discussion, pour qui doit décider ou agir.'
  },
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
  more: 'Plus',
  importButton: 'Importer…',
  exportOne: 'Exporter',
  exportOwn: (count) => count === 1 ? 'Exporter votre skill' : `Exporter vos ${number.format(count)} skills`,
  importTitle: 'Importer des skills',
  importNote: 'Depuis une archive zip ou tar, ou depuis un dossier, comme le dossier de skills d’un autre agent. Vous voyez ce qu’il contient avant que quoi que ce soit soit enregistré.',
  importReview: 'Rien n’est encore enregistré. N’importez que des skills de confiance : l’agent suit leurs instructions et peut exécuter leurs scripts.',
  chooseArchive: 'Choisir une archive…',
  chooseFolder: 'Choisir un dossier…',
  uploadFailed: 'L’envoi a échoué : la connexion a été perdue, ou les fichiers dépassent ce que le service accepte.',
  importCount: (count) => count === 1 ? 'Importer 1 skill' : `Importer ${number.format(count)} skills`,
  imported: (names) => `Importé : ${names}`,
  otherFiles: (count) => count === 1 ? '1 autre fichier n’appartient à aucun skill.' : `${number.format(count)} autres fichiers n’appartiennent à aucun skill.`,
  scripts: (count) => count === 1 ? 'un script' : `${number.format(count)} scripts`,
  files: (count) => count === 1 ? '1 fichier' : `${number.format(count)} fichiers`,
  executable: 'exécutable',
  script: 'script',
  cannotImport: 'Il ne peut pas être importé :',
  hasSame: 'Vous avez déjà ce skill, avec les mêmes fichiers.',
  hasOther: 'Vous avez un skill de ce nom, avec d’autres fichiers.',
  choiceFor: (name) => `Que faire de ${name}`,
  choiceMissing: 'Choisissez ce qu’il faut en faire.',
  choices: {
    ask: 'Choisir…', take: 'Importer', replace: 'Remplacer le mien', keep_both: 'Garder les deux', skip: 'Laisser de côté'
  },
  saved: (name) => `« ${name} » est enregistré.`,
  deleted: (name) => `« ${name} » est supprimé.`,
  deleteFiles: 'Les fichiers à côté sont supprimés aussi, et ne peuvent pas être restaurés.',
  conflict: 'Quelqu’un d’autre a modifié ce skill. Vos modifications sont toujours là.',
  keepMine: 'Enregistrer la mienne',
  takeTheirs: 'Utiliser l’autre',
  theirs: 'Version actuelle'
}
