import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('fr'))
const budgetScopes: Readonly<Record<string, string>> = {
  turn: 'un tour', session: 'une discussion', attempts: 'une série d’essais', job: 'une tâche', day: 'une journée'
}

export const prompts: Words['prompts'] = {
  approval: 'Autorisation requise',
  question: 'Question',
  answered: {
    once: 'Autorisé une fois',
    session: 'Autorisé dans cette discussion',
    always: 'Toujours autorisé',
    deny: 'Refusé',
    form: 'Répondu',
    text: (text) => `Réponse : « ${text} »`
  },
  since: (time) => `depuis ${time}`,
  position: (at, of) => `${at} sur ${of}`,
  left: (clock) => `reste ${clock}`,
  lastCall: (seconds) => `Il reste ${seconds} secondes pour répondre`,
  elseDenied: 'Sans réponse, la demande est refusée.',
  elseTold: 'Sans réponse, l’outil apprend que personne n’a répondu.',
  elseAssumed: 'Sans réponse, l’agent continue avec une hypothèse.',
  command: 'Commande',
  details: 'Détails de la demande',
  content: 'Contenu',
  emptyFile: 'Un fichier vide',
  arguments: 'Arguments',
  sandboxed: 'dans la sandbox, sans réseau',
  inContainer: 'limité par le conteneur, avec son réseau',
  unsandboxed: 'hors sandbox',
  inFolder: (folder, how) => ['Dans ', folder, how === null ? '' : `, ${how}`],
  deletes: (what) => ['Supprime ', what],
  parts: 'Elle exécute :',
  partsCut: 'D’autres commandes suivent, qui ne sont pas affichées.',
  folded: (chars) => `[masqué, ${chars} caractères]`,
  secret: (chars) => `[un secret du service, ${chars} caractères]`,
  unfold: 'Afficher ce qui est masqué',
  unseen: (chars) => `${number.format(chars)} caractères ne sont pas affichés.`,
  below: (lines) => lines === 1 ? 'Encore une ligne plus bas.' : `Encore ${number.format(lines)} lignes environ plus bas.`,
  readOn: 'Lire la suite',
  wholeSeen: 'C’est la fin de la demande.',
  showRest: 'Tout afficher',
  unseenFor: (why) => `Le reste n’a pas pu être chargé. ${why}`,
  noDiff: (why) => `Les modifications ne peuvent pas être affichées : ${why}`,
  budget: {
    scope: { turn: 'Ce tour', session: 'Cette discussion', attempts: 'Ces essais', job: 'Cette tâche', day: 'Aujourd’hui' },
    usd: dollarsIn('fr', 0),
    tokens: (count) => `${number.format(count)} tokens`,
    used: (used, limit) => `${used.replace(/ tokens$/, '')} sur ${limit}`,
    then: (upTo) => `À ${upTo}, l’agent demande de nouveau. Si vous arrêtez ici, le tour se termine.`,
    goOnTo: (upTo) => `Continuer jusqu’à ${upTo}`,
    goOn: 'Continuer pour l’instant',
    unlimited: 'Sans limite dans cette discussion',
    stop: 'Arrêter ici'
  },
  once: 'Autoriser une fois',
  session: 'Pour cette discussion',
  deny: 'Refuser',
  always: 'Toujours…',
  more: 'Plus…',
  alwaysTitle: 'Toujours autoriser ceci ?',
  alwaysText: 'Dans toutes les discussions de ce profil, sans demander, l’agent peut :',
  alwaysNote: 'Vous pouvez révoquer la règle dans Réglages, Autorisations.',
  allowAlways: 'Toujours autoriser',
  back: 'Retour',
  rule: {
    command: (command) => `exécuter ${command} avec n’importe quels arguments`,
    net: (host) => `se connecter à ${host}`,
    mcp: (server, tool) => `utiliser ${tool} du serveur MCP ${server}`,
    budget: (scope, measure) => `dépasser la limite de ${measure === 'usd' ? 'dépenses' : 'tokens'} pour ${budgetScopes[scope] ?? scope}`,
    workspace: 'modifier des fichiers dans l’espace de travail',
    memory: 'modifier la mémoire qu’il lit dans chaque discussion',
    skills: 'créer et modifier des skills',
    schedules: 'créer et modifier des tâches',
    readOutside: 'lire des fichiers hors de l’espace de travail',
    writeOutside: 'modifier des fichiers hors de l’espace de travail',
    readProtected: 'lire des fichiers protégés',
    writeProtected: 'modifier des fichiers protégés',
    ownGit: 'laisser git exécuter les hooks et la configuration de ce dépôt tels qu’ils sont',
    opaque: 'exécuter des commandes dont les effets ne peuvent pas être vérifiés à l’avance'
  },
  sessionHint: (rules) => `Pour le reste de cette discussion, l’agent peut ${rules}`,
  answer: 'Répondre',
  ownAnswer: 'Votre réponse',
  openPage: (host) => ['Ouvrir la page de ', host],
  orOwnAnswer: 'Ou votre propre réponse',
  declineForm: 'Décliner',
  formRequired: 'C’est obligatoire.',
  formUnfit: 'Cette valeur n’est pas permise.',
  formYes: 'Oui',
  formNo: 'Non',
  formLimits: (of, min, max) => {
    const range = min === undefined ? `${max} au plus` : max === undefined ? `${min} au moins` : `${min} à ${max}`
    return `${of === 'number' ? '' : of === 'characters' ? 'Caractères : ' : 'Choix : '}${range}.`
  },
  gone: 'Cette demande n’attend plus de réponse.',
  notSent: (why) => `Votre réponse n’a pas été envoyée. ${why}`,
  asked: (title) => `Autorisation requise : ${title}`,
  questionAsked: (question) => `Question : ${question}`,
  open: 'Répondre…'
}
