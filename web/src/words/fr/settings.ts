import { dollarsIn } from '../dollars.js'
import { type Words } from '../en/index.js'

const dollars = dollarsIn('fr', 0)

/** The label and note of each setting and part of a page. */
const keys: Words['settings']['keys'] = {
  theme: ['Thème', 'Sur cet appareil.'],
  density: ['Densité', 'Sur cet appareil, avec une souris. Compacte affiche plus de lignes.'],
  own_language: ['Langue', 'Sur cet appareil.'],
  language: ['Langue par défaut', 'Pour les appareils où vous n’avez pas choisi de langue.'],
  font_size: ['Taille du texte', 'Sur tous les appareils, en plus de leur propre zoom.'],
  rtl: ['De droite à gauche', 'Inverse la mise en page ; chaque texte garde son propre sens.'],
  pinned_sessions_limit: ['Nombre maximal de discussions épinglées', 'Les discussions épinglées restent en haut de la liste.'],
  show_cron_sessions: ['Discussions des tâches planifiées', 'Affiche les exécutions des tâches parmi les discussions.'],
  show_cli_sessions: ['Discussions d’autres programmes', 'Affiche les discussions d’agents en ligne de commande de cette machine, pour les lire et en créer des branches.'],
  show_claude_code_sessions: ['Discussions de Claude Code', 'Affiche de même les discussions de Claude Code.'],
  send_key: ['Envoyer avec', 'L’autre touche commence une nouvelle ligne. Ctrl ou ⌘ avec Entrée envoie toujours.'],
  hide_empty_state_suggestions: ['Masquer les exemples', 'La page d’accueil n’a alors que la zone de message.'],
  onboarding_completed: ['Premiers pas terminés', 'Désactivé : une discussion vide montre comment connecter un modèle.'],
  single_keys: ['Raccourcis à une touche', 'J et K passent d’une discussion à l’autre quand vous n’écrivez pas. Sur cet appareil.'],
  shortcuts: ['Tous les raccourcis', 'Chaque touche, et ce qu’elle fait.'],
  push: ['Notifications push', 'Cet appareil vous dit ce qui attend et ce qui est terminé, même si aucune fenêtre n’est ouverte.'],
  push_quiet_from: ['Heures calmes à partir de', 'Les notifications sont retenues dès cette heure. Vide : pas d’heures calmes.'],
  push_quiet_until: ['Heures calmes jusqu’à', 'Les notifications retenues arrivent alors, tout ce qui s’est terminé en une seule.'],
  push_quiet_waiting: ['Laisser passer autorisations et questions', 'Elles vous sont notifiées aussi pendant les heures calmes.'],
  push_digest_at: ['Résumé quotidien à', 'Une notification par jour dit ce qui a abouti, au lieu d’une pour chaque chose. Vide : pas de résumé.'],
  push_time_zone: ['Fuseau horaire de ces heures', 'Par exemple Europe/Paris. Vide : celui du serveur.'],
  tts_enabled: ['Lire les réponses à voix haute', 'Un bouton sur chaque réponse.'],
  tts_auto_read: ['Lire chaque réponse automatiquement', 'Commence quand la réponse est complète.'],
  voice_mode_button: ['Mode vocal', 'Un bouton pour une conversation parlée.'],
  voice_continuous: ['Continuer à écouter', 'Après une réponse, le mode vocal écoute à nouveau.'],
  tts_engine: ['Synthèse vocale', 'Cet appareil, ou le serveur.'],
  tts_rate: ['Vitesse', '1 est la normale.'],
  tts_pitch: ['Hauteur', '1 est la normale.'],
  voice_silence_ms: ['Silence qui termine un enregistrement', 'Une pause plus longue vous laisse réfléchir.'],
  bot_name: ['Nom de l’assistant', 'Affiché en haut de la liste et à la connexion. Vide : le nom défini par l’administrateur.'],
  default_workspace: [
    'Dossier des nouvelles discussions',
    'Un dossier existant, ici ou sur une autre machine (nom:/chemin). Vide : le dossier défini par l’administrateur.'
  ],
  max_tokens: ['Réponse la plus longue', 'Vide : la limite propre au fournisseur.'],
  auto_title_refresh_every: ['Actualiser les titres', 'Un titre que vous n’avez pas défini suit le sujet de la discussion.'],
  personalities: ['Personnalités', 'Des façons de parler pour l’agent. Choisissez-en une dans une discussion, à côté de son modèle.'],
  default_model: ['Modèle par défaut', 'Répond dans les nouvelles discussions. Les modèles de secours et ceux des petites tâches sont au même endroit.'],
  provider_keys: ['Clés des fournisseurs', 'Les clés d’OpenAI, d’Anthropic et des autres restent sur votre serveur.'],
  rules: ['Règles permanentes', 'Dans toutes les discussions de ce profil, l’agent fait ceci sans demander. Une fois la règle révoquée, il demande de nouveau aussitôt.'],
  agents: [
    'Agents d’autres éditeurs',
    'Ils peuvent effectuer des tours à la place de l’agent intégré. Chacun n’utilise que des modes où il demande avant d’agir, sauf si vous en autorisez un autre.'
  ],
  budget_turn: ['Budget par tour', 'Avertit ou arrête au cours d’une réponse.'],
  budget_session: ['Budget par discussion', 'Avertit ou arrête quand une discussion a consommé autant.'],
  budget_attempts: ['Budget par série d’essais', 'Arrête ensemble tous les essais d’une même tâche.'],
  budget_job: ['Budget par exécution', 'Avertit ou arrête une exécution d’une tâche planifiée.'],
  budget_day: ['Budget par jour', 'Avertit ou arrête tout dans ce profil jusqu’à minuit.'],
  profiles: ['Profils', 'Chacun a ses propres modèles, clés, mémoire et réglages.'],
  password: ['Mot de passe', 'Protège ce service. Le changer ferme toutes les autres sessions.'],
  passkeys: ['Clés d’accès', 'Connectez-vous avec une empreinte, un visage ou une clé de sécurité.'],
  oidc: ['Authentification unique', 'Connectez-vous avec un compte que vous avez ailleurs (OpenID Connect).'],
  session_ttl_seconds: ['Rester connecté pendant', 'Les sessions plus anciennes se ferment aussitôt.'],
  sign_out: ['Se déconnecter', 'Ferme la session de ce navigateur. Pour fermer toutes les autres, changez le mot de passe.'],
  pairing: ['Associer un appareil', 'Un téléphone ou un autre navigateur obtient l’accès par un code qui ne sert qu’une fois.'],
  tokens: ['Jetons pour programmes', 'Ce que d’autres appellent une clé d’API. Chacun ne peut faire que ce que permet sa portée, jusqu’à ce que vous le révoquiez.'],
  shares: ['Pages partagées', 'Toute personne qui a le lien peut les lire. Arrêtez le partage ici.'],
  tool_servers: ['Serveurs MCP', 'Donnez plus d’outils à l’agent, comme un agenda ou une base de données.'],
  machines: ['Machines', 'D’autres ordinateurs sur lesquels l’agent peut travailler.'],
  plugins: ['Plugins', 'Des dossiers de commandes, de skills et de serveurs MCP, désactivés tant que vous ne les avez pas examinés.'],
  api_redact_enabled: [
    'Masquer les identifiants',
    'Les clés et mots de passe sont masqués partout où du texte quitte le serveur. Les pages partagées et les erreurs sont toujours masquées.'
  ],
  import: ['Importer une discussion', 'Un export JSON, ou des messages au format chat-completions.'],
  export: ['Exporter une discussion', 'Le JSON peut être réimporté ; la page est un fichier unique à lire.'],
  backups: ['Sauvegardes', 'Des copies de la base de données, faites automatiquement.'],
  archive: ['Discussions archivées', 'Hors de la liste, et conservées. Sortez-les des archives ici.'],
  audit: ['Journal d’audit', 'Qui a modifié ou autorisé quoi, qui s’est connecté, et quand.'],
  diagnostics: ['Diagnostic', 'Trouve ce qui ne va pas avec le service et la connexion, et dit comment y remédier.'],
  version: ['Version', 'Ce qui s’exécute ici, les nouveautés et la licence.'],
  check_for_updates: ['Rechercher les mises à jour automatiquement', 'Désactivé : ne cherche que quand vous le demandez ici.'],
  update_channel: ['Canal', 'Stable : les versions publiées. Expérimental : l’état le plus récent.'],
  network: ['Réseau', 'L’adresse, le port, le proxy et les origines autorisées du service.']
}

export const settings: Words['settings'] = {
  title: 'Réglages',
  search: 'Rechercher un réglage',
  clearSearch: 'Effacer la recherche',
  hits: (count, text) => `${count === 0 ? 'Aucun réglage' : count === 1 ? '1 réglage' : `${count} réglages`} pour « ${text} »`,
  toMove: 'pour se déplacer',
  toChange: 'pour modifier',
  notMeant: 'Pas ce que vous cherchiez ?',
  ask: (text) => `Interroger l’agent sur « ${text} »`,
  question: (text) => `Quel réglage de cette app concerne « ${text} », et que fait-il ?`,
  open: 'Ouvrir',
  all: 'Tous les réglages',
  inGroup: (group, page) => `${group}, ${page}`,
  byAdministrator: 'Défini par l’administrateur.',
  keys,
  units: { session_ttl_seconds: 'jours', voice_silence_ms: 'secondes', max_tokens: 'tokens' },
  choice: (value) => ({
    0: 'Jamais', 5: 'Tous les 5 tours', 10: 'Tous les 10 tours', 20: 'Tous les 20 tours', small: 'Petite', default: 'Normale', large: 'Grande',
    xlarge: 'Très grande', enter: 'Entrée', 'ctrl+enter': 'Ctrl Entrée', 'shift+enter': 'Maj Entrée', browser: 'Cet appareil',
    engine_default: 'Le serveur : espeak-ng', engine_keyed_a: 'Le serveur : ElevenLabs', engine_keyed_b: 'Le serveur : OpenAI',
    stable: 'Stable', experimental: 'Expérimental', light: 'Clair', dark: 'Sombre', system: 'Comme l’appareil', comfortable: 'Confortable',
    compact: 'Compacte'
  }[value] ?? value),
  groups: { you: 'Vous', agent: 'Agent', access: 'Accès', connections: 'Connexions', data: 'Données' },
  pages: {
    appearance: 'Apparence', writing: 'Écriture', shortcuts: 'Raccourcis', notifications: 'Notifications', voice: 'Voix',
    behaviour: 'Comportement', models: 'Modèles', permissions: 'Autorisations', budgets: 'Budgets', profiles: 'Profils',
    'sign-in': 'Connexion', devices: 'Appareils et jetons', shares: 'Pages partagées', 'tool-servers': 'Serveurs MCP', machines: 'Machines',
    plugins: 'Plugins', privacy: 'Confidentialité', transfer: 'Import et export', archive: 'Archives', audit: 'Journal d’audit',
    diagnostics: 'Diagnostic', about: 'À propos'
  },
  olderChats: 'Afficher aussi les plus anciennes',
  asService: 'Comme par défaut',
  saved: (name) => `${name} : enregistré`,
  needsNumber: (min, max) => `Saisissez un nombre de ${min.toLocaleString('fr')} à ${max.toLocaleString('fr')}.`,
  broken: 'La configuration est illisible. Les réglages précédents restent en vigueur.',
  problems: 'Problèmes dans la configuration',
  problem: (level, said) => `${level === 'error' ? 'Cette valeur n’est pas valide ; elle est ignorée.' : 'Cette clé est inconnue et n’a aucun effet.'} (${said})`,
  line: (line) => `Ligne ${line}`,
  budgetsNote: '« Avertir » vous prévient seulement ; « Arrêter » arrête le travail et vous demande. Vide signifie sans limite.',
  needsMoney: 'Saisissez un montant supérieur à 0, ou laissez vide.',
  needsTokens: 'Saisissez un nombre entier supérieur à 0, ou laissez vide.',
  toUsage: 'Ouvrir la consommation',
  usedToday: (tokens, usd) => `Consommé aujourd’hui : ${tokens.toLocaleString('fr')} tokens, ${dollars(usd)}`,
  limits: { soft_usd: 'Avertir, $ US', hard_usd: 'Arrêter, $ US', soft_tokens: 'Avertir, tokens', hard_tokens: 'Arrêter, tokens' },
  gate: {
    open: 'Aucune connexion requise : toute personne qui atteint cette adresse peut utiliser le service.',
    closed: 'Une connexion est requise.',
    set: 'Définir un mot de passe',
    change: 'Changer le mot de passe',
    clear: 'Supprimer le mot de passe',
    clearNote: 'Ferme toutes les sessions, supprime toutes les clés d’accès et laisse le service ouvert.',
    current: 'Mot de passe actuel',
    next: 'Nouveau mot de passe',
    again: 'Répéter le nouveau mot de passe',
    differ: 'Les deux ne correspondent pas.',
    empty: 'Il ne peut pas être vide.',
    changed: 'Le mot de passe est changé. Toutes les autres sessions sont fermées.',
    cleared: 'Le mot de passe est supprimé. Le service est ouvert.',
    reveal: 'Afficher le mot de passe',
    acknowledge: 'Je sais que ce service est ouvert',
    signOut: 'Se déconnecter'
  },
  passkeys: {
    off: 'Les clés d’accès sont désactivées sur ce service. L’administrateur peut les activer.',
    needsGate: 'Définissez d’abord un mot de passe : les clés d’accès viennent en complément.',
    unsafe: 'Ce navigateur n’accepte les clés d’accès que par https ou sur localhost.',
    none: 'Aucune clé d’accès pour l’instant.',
    add: 'Ajouter une clé d’accès',
    nameOf: 'Nom de la clé d’accès',
    usual: 'Cet appareil',
    added: (name) => `La clé d’accès « ${name} » est ajoutée.`,
    cancelled: 'Aucune clé d’accès n’a été créée. Cet appareil en a peut-être déjà une.',
    rename: 'Renommer',
    renamed: (name) => `Renommée en « ${name} ».`,
    remove: 'Supprimer',
    removeTitle: (name) => `Supprimer la clé d’accès « ${name} » ?`,
    removeNote: 'Elle ne permet plus de se connecter, et ses sessions se ferment. C’est irréversible.',
    removed: (name) => `La clé d’accès « ${name} » est supprimée.`,
    used: (when) => `Dernière utilisation : ${when}`,
    unused: 'Jamais utilisée',
    made: (when) => `Créée : ${when}`,
    passwordless: 'Clés d’accès seulement',
    passwordlessNote: 'Les mots de passe ne sont plus acceptés.'
  },
  oidc: {
    title: 'OpenID Connect',
    on: (name) => `La connexion avec ${name} est possible. Défini par l’administrateur.`,
    off: 'Non configuré. L’administrateur peut ajouter un fournisseur.'
  },
  push: {
    obstacles: {
      insecure: 'Cette page a été chargée en http non chiffré. Les navigateurs n’acceptent les notifications push que par https ou sur localhost.',
      'install-first': 'Sur iPhone ou iPad, ajoutez d’abord l’app à l’écran d’accueil et ouvrez-la de là.',
      unsupported: 'Ce navigateur ne prend pas en charge les notifications push.',
      blocked: 'Le navigateur bloque les notifications de cette page. Autorisez-les dans ses réglages pour cette page, puis activez-les ici.'
    },
    elsewhere: 'Choisissez ses notifications dans ce navigateur-là.',
    unavailable: {
      no_contact: 'Les services push veulent savoir qui contacter au sujet de ce service. Ouvrez l’app une fois à son adresse https publique, ou définissez SVC_WEBUI_PUSH_CONTACT dans l’environnement du service, puis redémarrez-le.',
      no_keys: 'Les clés des notifications n’ont pas encore pu être enregistrées. Vérifiez le disque du service, puis redémarrez-le.'
    },
    guide: 'Recevoir les notifications sur votre téléphone',
    subscribe: 'Notifier ce navigateur',
    unsubscribe: 'Arrêter',
    here: 'Ce navigateur',
    added: 'Ce navigateur reçoit désormais des notifications.',
    lastError: (reason) => `La dernière n’est pas arrivée : ${reason}`,
    wishes: {
      approvals: 'Autorisations', questions: 'Questions', finished_turns: 'Tours terminés', finished_jobs: 'Tâches terminées', pull_requests: 'Pull Requests'
    }
  },
  updates: {
    byHand: 'Arrêtez le service, exécutez cette ligne dans un terminal, puis redémarrez le service.',
    look: 'Rechercher des mises à jour',
    unknown: 'Pas encore vérifié.',
    newest: 'C’est la version la plus récente.',
    behind: (count) => count === 1 ? 'Il existe une version plus récente, avec 1 modification.' : `Il existe une version plus récente, avec ${count} modifications.`,
    whatIsNew: 'Nouveautés',
    apply: 'Mettre à jour et redémarrer',
    applyNow: (turns) => `Mettre à jour maintenant et interrompre ${turns === 1 ? 'le tour en cours' : `${turns} tours en cours`}`,
    wait: 'Mettre à jour ensuite',
    waits: (turns) => turns === 0 ? 'La mise à jour commence.' : `La mise à jour attend la fin ${turns === 1 ? 'd’un tour en cours' : `de ${turns} tours en cours`}, puis démarre automatiquement.`,
    cancel: 'Annuler la mise à jour',
    applying: 'Le service se met à jour. Cela peut prendre quelques minutes.',
    restarting: 'Le service redémarre. Cette page se reconnecte automatiquement.',
    newer: (to, from) => from === null ? `La version ${to} est disponible.` : `La version ${to} est disponible ; celle-ci est ${from}.`,
    off: 'La recherche de mises à jour est désactivée plus bas. Vous pouvez vérifier une fois ici.',
    otherChannel: 'C’était le résultat pour l’autre canal. Vérifiez à nouveau.',
    lost: 'La connexion a été perdue pendant la mise à jour du service. Le résultat s’affiche ici dès qu’il répond.',
    reload: 'Rechargez cette page pour utiliser la nouvelle version.',
    slow: 'Le service n’est pas encore revenu. Consultez son journal.',
    dirty: 'Les fichiers du service ont des modifications locales. Elles sont remisées pour la mise à jour et rétablies ensuite.',
    last: (message) => `Dernière mise à jour : ${message}`,
    checkedAt: (when) => `Vérifié : ${when}`
  },
  transfer: {
    choose: 'Choisir un fichier',
    tooLarge: (mebibytes) => `Ce fichier dépasse ${mebibytes} Mio, le maximum que le service accepte en une fois.`,
    unreadable: 'Le navigateur n’a pas pu lire ce fichier.',
    notJson: 'Ce fichier n’est pas un export : ce n’est pas du JSON avec des messages.',
    leftOut: (system, context) =>
      `Laissés de côté : ${system} messages système, ${context} textes pour le modèle que la discussion n’affiche pas.`,
    imported: (title) => `« ${title} » est importée.`,
    chat: 'Discussion',
    json: 'JSON',
    html: 'Page (HTML)',
    chooseChat: 'Choisir une discussion…',
    noChats: 'Aucune discussion pour l’instant.',
    every: (hours) =>
      hours === 0
        ? 'Aucune sauvegarde automatique.'
        : hours === 24 ? 'Une fois par jour.' : hours % 24 === 0 ? `Tous les ${hours / 24} jours.` : `Toutes les ${hours} heures.`,
    lastBackup: (when) => `Dernière : ${when}.`,
    noBackup: 'Aucune sauvegarde pour l’instant.',
    kept: (count) => count < 2 ? `${count} conservée.` : `${count} conservées.`
  },
  shares: {
    note: 'Des pages que toute personne qui a le lien peut lire sans se connecter. Partagez une discussion depuis son menu.', none: 'Rien n’est partagé.',
    revoke: 'Ne plus partager', revoked: 'La page n’est plus partagée.', made: (when) => `Partagée : ${when}`
  },
  grants: {
    none: 'Aucune règle permanente. « Toujours » sur une carte en ajoute une ici.',
    groups: { command: 'Commandes, avec n’importe quels arguments', net: 'Adresses sur le réseau', mcp: 'Outils de serveurs MCP', other: 'Autres actions' },
    revoke: 'Révoquer',
    revoked: (rule) => `L’agent demande de nouveau désormais : ${rule}`
  },
  personalities: {
    none: 'Aucune personnalité pour l’instant. Essayez-en une :',
    example: {
      name: 'Professeur patient',
      prompt:
        'Explique comme un professeur patient : d’abord l’idée en une phrase, puis un exemple, puis les détails. Demande si c’est compris.',
      description: 'Explique pas à pas'
    },
    create: 'Nouvelle personnalité',
    edit: 'Modifier',
    editTitle: (name) => `Modifier « ${name} »`,
    delete: 'Supprimer',
    deleteTitle: (name) => `Supprimer « ${name} » ?`,
    deleteNote: 'Les discussions qui l’utilisent continuent sans, dès leur prochain tour.',
    deleted: (name) => `« ${name} » est supprimée.`,
    saved: (name) => `« ${name} » est enregistrée. Elle s’applique dès le prochain tour.`,
    name: 'Nom',
    prompt: 'Comment elle parle',
    promptHint: 'Le modèle lit ceci avant chaque tour.',
    description: 'Description pour les listes',
    tone: 'Ton',
    style: 'Style'
  },
  archive: {
    none: 'Aucune discussion n’est archivée.', back: 'Sortir des archives', brought: (title) => `« ${title} » sortie des archives.`, more: 'Afficher plus'
  },
  shortcuts: {
    send: 'Envoyer', line: 'Nouvelle ligne', stop: 'Fermer le panneau du dessus, ou arrêter',
    approve: 'Autoriser une fois, sur une carte active', session: 'Autoriser pour cette discussion, sur une carte active',
    deny: 'Refuser, sur une carte active', keys: { approve: 'Entrée', session: 'S', deny: 'Échap', stop: 'Échap' }
  },
  about: {
    backups: { failed: 'La dernière a échoué', running: 'En cours', none: 'Aucune pour l’instant' },
    sandboxes: {
      bwrap: 'Les commandes s’y exécutent, sans réseau', container: 'Le conteneur : les commandes s’y exécutent sans demander',
      none: 'Aucune : chaque commande demande d’abord'
    },
    node: 'Node', sqlite: 'SQLite', uptime: 'Actif depuis', memory: 'Mémoire vive', database: 'Base de données', backup: 'Sauvegarde',
    agent: 'Agent', sandbox: 'Sandbox', git: 'Git', state: 'État', ok: 'Tout va bien', degraded: 'Quelque chose demande votre attention',
    running: 'En cours', resting: 'Au repos : il démarre quand on en a besoin', help: 'Documentation', docs: 'Interface du service, pour les programmes',
    licence: 'Le service est sous licence MIT.', licences: 'Licences de ce qu’il contient', writable: 'accessible en écriture',
    readOnly: 'lecture seule'
  }
}
