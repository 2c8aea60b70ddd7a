import { type Words } from '../en/index.js'

const counted = (count: number, one: string, many: string): string => `${count} ${count < 2 ? one : many}`

export const hooks: Words['hooks'] = {
  create: 'Nouveau hook',
  createIt: 'Créer le hook',
  isNew: 'nouveau',
  edited: 'non enregistré',
  list: 'Hooks',
  back: 'Tous les hooks',
  gone: 'Ce hook n’existe plus. Choisissez-en un autre.',
  empty: 'Aucun hook pour l’instant',
  emptyText: 'Un hook est une adresse que GitHub, GitLab ou tout autre programme appelle pour que l’agent se mette au travail : une issue a reçu un label, une vérification a échoué, un formulaire a été envoyé.',
  first: 'Son adresse et son secret s’affichent une fois qu’il est créé.',
  paused: 'En pause',
  lastFailed: 'La dernière exécution a échoué',
  neverCalled: 'Pas encore appelé',
  calls: (count) => counted(count, 'appel', 'appels'),
  name: 'Nom',
  sender: 'Qui l’appelle ?',
  senders: { github: 'GitHub', gitea: 'Gitea', gitlab: 'GitLab', json: 'Tout programme' },
  address: 'Adresse',
  secret: 'Secret',
  copy: 'Copier',
  near: 'Seuls les programmes de cette machine atteignent cette adresse. Pour voir celle des autres machines, ouvrez l’app à l’adresse qu’elles utilisent.',
  once: 'Le secret n’est affiché qu’une fois. Copiez-le maintenant ; s’il est perdu, créez-en un nouveau.',
  kept: 'Je l’ai copié',
  howTo: (name) => `Que saisir : ${name}`,
  steps: {
    github: [
      'Dans le dépôt, ouvrez Settings, Webhooks, Add webhook.', 'Payload URL : l’adresse. Content type : application/json. Secret : le secret.',
      'Choisissez « Let me select individual events » et cochez les événements choisis ici. GitHub envoie alors un ping, qui s’affiche plus bas.'
    ],
    gitea: [
      'Dans le dépôt, ouvrez Settings, Webhooks, Add webhook, Gitea (ou Forgejo).',
      'Target URL : l’adresse. POST content type : application/json. Secret : le secret.', 'Choisissez les événements, ajoutez-le, puis cliquez sur « Test delivery ».'
    ],
    gitlab: [
      'Dans le projet, ouvrez Settings, Webhooks, Add new webhook.', 'URL : l’adresse. Secret token : le secret.',
      'Cochez les déclencheurs choisis ici, ajoutez-le, puis cliquez sur Test.'
    ],
    json: [
      'Envoyez du JSON par POST à l’adresse, avec Content-Type: application/json.',
      'Signez le corps : X-Hub-Signature-256 vaut « sha256= » suivi du HMAC du corps avec le secret, en hexadécimal. Ou envoyez le secret lui-même dans X-Gitlab-Token.',
      'L’événement est la valeur de « event » ou « type » dans le corps.'
    ]
  },
  command: 'Un appel depuis un terminal',
  when: 'Quels événements lancent une exécution ?',
  otherEvent: 'Autre événement…',
  everyEvent: 'Aucun choisi : chaque événement lance une exécution.',
  onlyEvents: 'Les autres événements sont acceptés et ne lancent rien.',
  match: 'Seulement si l’appel dit',
  path: 'Chemin dans le corps',
  value: 'Valeur',
  addMatch: 'Ajouter une condition',
  removeMatch: (path) => `Retirer la condition ${path}`,
  matchHint: 'Toutes les conditions doivent être remplies. Dans une liste, un élément suffit.',
  what: 'Que doit-il se passer ?',
  examples: {
    github: 'Examine l’issue {{issue.title}} de {{repository.full_name}}. Trouve la cause, et écris ce que tu changerais.',
    gitea: 'Examine l’issue {{issue.title}} de {{repository.full_name}}. Trouve la cause, et écris ce que tu changerais.',
    gitlab: 'Examine {{object_attributes.title}} de {{project.path_with_namespace}}. Trouve la cause, et écris ce que tu changerais.',
    json: '{{name}} a écrit : {{message}}. Rédige un projet de réponse.'
  },
  useExample: 'Utiliser l’exemple',
  addPlace: (name) => `Ajouter la valeur ${name}`,
  templateHint: 'Les valeurs de l’appel sont citées, pour que rien n’y soit lu comme une instruction de votre part. Sans aucune, l’appel entier est ajouté.',
  preview: 'Aperçu',
  previewOf: 'Aperçu de',
  lastCall: 'Le dernier appel',
  example: 'Un exemple',
  asked: 'Ce qui est demandé à l’agent',
  wouldStart: 'Un tel appel lance une exécution.',
  wouldNot: {
    event: 'Un tel appel ne lance rien : son événement est un autre.', match: 'Un tel appel ne lance rien : une condition n’est pas remplie.'
  },
  ask: 'S’il faut une autorisation',
  asks: { deny: 'Continuer sans', wait: 'M’attendre' },
  more: 'Budget et livraison',
  budget: 'Budget par jour, $ US',
  noBudget: 'Comme pour les tâches',
  budgetHint: 'Ce que toutes les exécutions de ce hook peuvent coûter en un jour.',
  badBudget: 'Saisissez un montant supérieur à 0, ou laissez vide.',
  save: 'Enregistrer le hook',
  saved: (name) => `« ${name} » est enregistré.`,
  discard: 'Abandonner les modifications',
  actionsOf: (name) => `Actions pour ${name}`,
  pause: 'Suspendre',
  resume: 'Reprendre',
  pausedToast: (name) => `« ${name} » est en pause. Les appels sont acceptés et ne lancent rien.`,
  rotate: 'Créer un nouveau secret',
  deleted: (name) => `« ${name} » et ses résultats sont supprimés.`,
  lastCalls: 'Derniers appels',
  refresh: 'Actualiser',
  noCalls: 'Personne ne l’a encore appelé.',
  outcomes: {
    duplicate: 'le même appel était déjà venu', event: 'n’a rien lancé : autre événement', match: 'n’a rien lancé : une condition n’est pas remplie',
    paused: 'n’a rien lancé : le hook était en pause', ping: 'ping : la connexion fonctionne', refused: 'refusé : non signé avec le secret',
    invalid: 'refusé : le corps n’est pas du JSON valide, ou est trop volumineux', busy: 'refusé : trop d’appels en attente'
  },
  runs: {
    queued: 'exécution en attente', running: 'exécution en cours', done: 'exécution terminée', failed: 'exécution en échec',
    unknown: 'a lancé une exécution'
  },
  times: (count) => `(${count} fois)`,
  openRun: 'Ouvrir la discussion'
}
