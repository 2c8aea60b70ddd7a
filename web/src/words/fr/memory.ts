import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('fr'))

export const memory: Words['memory'] = {
  names: { memory: 'Notes', user: 'À votre sujet', soul: 'Persona', project: 'Consignes de l’espace de travail' },
  about: {
    memory: 'Ce que l’agent a noté pour lui-même. Il le lit au début de chaque discussion, et peut le modifier quand vous l’autorisez.',
    user: 'Ce que l’agent sait de vous. Il le lit au début de chaque discussion, et peut le modifier quand vous l’autorisez.',
    soul: 'Qui est l’agent, et comment il parle. Seules des personnes le modifient.',
    project: 'Ces fichiers sont dans l’espace de travail et ne valent que là. Modifiez les fichiers pour les changer.'
  },
  examples: {
    memory: '- Les tests du site se lancent avec `npm test`.\n- Les versions sortent le vendredi.',
    user: '- Appelle-moi Kim.\n- Réponses courtes, unités métriques.',
    soul: 'Tu es un collègue calme. Tu dis ce que tu ne sais pas.'
  },
  useExample: 'Partir d’un exemple',
  off: 'Ce profil n’utilise pas ce document.',
  problem: (problem) => `Ce document est illisible : ${problem}`,
  masked: 'Les clés et mots de passe s’affichent comme [redacted]. Laissez ces lignes telles quelles et elles gardent leurs valeurs.',
  plain: 'Rien n’est masqué : les clés et mots de passe sont lisibles.',
  showValues: 'Afficher les valeurs',
  hideValues: 'Masquer les valeurs',
  tooLong: (bytes, most) => `C’est trop long : ${number.format(bytes)} octets sur ${number.format(most)}.`,
  discard: 'Abandonner les modifications',
  saved: 'Enregistré. Les nouvelles discussions l’utilisent.',
  conflict: 'Quelqu’un d’autre a modifié ce document. Vos modifications sont toujours là.',
  keepMine: 'Enregistrer la mienne',
  takeTheirs: 'Utiliser l’autre',
  theirs: 'Version actuelle',
  view: 'Affichage',
  views: { facts: 'Faits', text: 'Texte entier' },
  fact: 'Fait',
  factPlaceholder: 'Les versions sortent le vendredi.',
  noFacts: 'Rien n’est noté. Dites à l’agent de retenir quelque chose, ou ajoutez-le ici.',
  moreFacts: (count) => `Afficher ${number.format(count)} de plus`,
  addFact: 'Ajouter un fait',
  editFact: 'Modifier ce fait',
  forget: 'Oublier ce fait',
  forgotten: 'Oublié. Les nouvelles discussions ne le connaissent plus.',
  olderThan: (at) => `avant ${at}`,
  tidy: 'Ranger',
  proposal: 'Une version mieux rangée',
  tidying: 'Un modèle cherche les entrées répétées et dépassées…',
  tidyAlready: 'Il n’y a rien à ranger.',
  accept: 'Accepter',
  leave: 'Garder la version actuelle',
  tidied: 'Document rangé.',
  versions: 'Versions',
  noVersions: 'Aucune version antérieure.',
  authors: { person: 'Par vous', agent: 'Par l’agent', disk: 'Modifié sur le disque' },
  bytes: (bytes) => `${number.format(bytes)} octets`,
  missing: 'aucun fichier',
  current: 'actuelle',
  currentNote: 'C’est la version actuelle.',
  since: 'Modifications depuis :',
  restore: 'Restaurer cette version',
  restored: 'Version restaurée.',
  shadowed: (count) => count < 2 ? `${count} fichier est ignoré ici` : `${count} fichiers sont ignorés ici`
}
