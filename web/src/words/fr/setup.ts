import { type Words } from '../en/index.js'

export const setup: Words['setup'] = {
  title: 'Connecter un modèle',
  note: 'En attendant, la démo intégrée répond. Elle suit des règles fixes et n’est pas un modèle d’IA.',
  key: 'Coller une clé',
  keyHint: 'OpenAI, Anthropic, Google ou OpenRouter. Elle reste sur ce serveur.',
  recognised: (name) => `Une clé de ${name}. Elle reste sur ce serveur.`,
  keyTooShort: 'Une clé est une ligne d’au moins 8 caractères.',
  provider: 'De qui est la clé ?',
  choose: 'Choisir…',
  noProvider: 'Choisissez de qui est la clé.',
  asEndpoint: (name) => `Cela ressemble à une clé de ${name}. Ajoutez ${name} comme endpoint dans Modèles.`,
  connect: 'Vérifier la clé',
  saveAnyway: 'Enregistrer quand même',
  getKey: 'Pas encore de clé ? Obtenez-en une chez',
  opensPage: (name) => `Obtenir une clé de ${name} (ouvre son site)`,
  refused: {
    invalid_key: (name) => `${name} a refusé cette clé. Copiez-la à nouveau en entier, ou créez-en une nouvelle là-bas.`,
    no_quota: (name) => `${name} connaît cette clé, mais son compte n’a plus de crédit. Rechargez-le là-bas, ou utilisez une autre clé.`,
    rate_limited: (name) => `${name} n’accepte plus de requêtes pour le moment. Réessayez dans une minute.`,
    tls: (name) => `La connexion à ${name} n’est pas sûre : la clé n’a pas été envoyée. Vérifiez les certificats de ce serveur.`,
    name_not_found: (name) => `Ce serveur ne trouve pas ${name}. Vérifiez sa connexion internet.`,
    no_answer: (name) => `${name} n’a pas répondu. Vérifiez la connexion internet de ce serveur, puis réessayez.`,
    provider_failed: (name) => `${name} rencontre un problème. Réessayez plus tard.`
  },
  connected: (name) => `${name} est connecté.`,
  answersNow: (model) => `${model} répond désormais.`,
  greet: 'Dire bonjour',
  greetNote: (name) => `Envoie un court message à ${name}.`,
  greeting: 'Bonjour ! Dis en trois phrases courtes qui tu es et ce que tu peux faire pour moi ici.',
  another: 'Choisir un autre modèle',
  found: (name) => `${name} s’exécute sur cette machine`,
  model: 'Modèle',
  noModels: 'Il n’a pas encore de modèles. Chargez-en d’abord un.',
  agentFound: (name) => `${name} est installé sur cette machine`,
  agentNote: 'Il travaille à sa façon et vous demande d’abord.',
  agentFailed: {
    invalid_key: (name) => `${name} n’est pas connecté. Connectez-vous dans un terminal de cette machine, puis réessayez.`,
    no_quota: (name) => `Le compte de ${name} n’a plus de crédit. Rechargez-le, puis réessayez.`,
    timed_out: (name) => `${name} n’a pas démarré à temps. Il télécharge peut-être encore ce qu’il lui faut. Réessayez.`,
    other: (name) => `${name} n’est pas prêt. Lancez-le dans un terminal de cette machine pour voir pourquoi.`
  },
  use: 'Utiliser',
  others: 'Tous les fournisseurs',
  later: 'Plus tard',
  put: 'Plus tard. C’est dans Modèles.',
  tour: 'Essayer sans modèle',
  tourNote: 'La démo suit des scripts. Les outils, les cartes et les fichiers sont réels.',
  tourMore: 'La démo peut vous en montrer plus',
  tourTurns: [
    'Montre-moi une modification que j’autorise', 'Montre-moi une question', 'Montre-moi une longue réponse avec un tableau et du code',
    'Montre-moi une tâche chaque matin'
  ],
  examplesName: 'Exemples',
  examples: [
    'Montre-moi ce qu’il y a dans ce dossier, et à quoi cela sert.', 'Écris un court plan pour une petite page web, puis demande-moi quoi changer.',
    'Que peux-tu faire ici, et pour quoi me demandes-tu d’abord ?'
  ]
}
