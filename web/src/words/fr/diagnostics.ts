import { type ConnectionCheck, type Fix, type Verdict } from '../../core/diagnostics/judge.js'
import { type Words } from '../en/index.js'
import { spansIn } from '../spans.js'

const long = spansIn('fr')

const titles: Record<ConnectionCheck, string> = {
  reach: 'Flux d’événements', encryption: 'Chiffrement', buffering: 'Mise en tampon', compression: 'Compression', timeout: 'Connexions ouvertes',
  ids: 'Reprise', scheme: 'Protocole', host: 'Nom d’hôte', address: 'Adresse du client', cookies: 'Cookies', upload: 'Envois', clock: 'Horloges'
}

const verdicts: Record<Verdict, (value: string) => string> = {
  reached: () => 'Les flux d’événements arrivent.',
  unreachable: (code) => `Le service est injoignable à cette adresse${code === '' ? '' : ` (${code})`}.`,
  refused: (status) => `Le flux d’événements a été refusé avec le statut ${status}.`,
  noStream: (type) => `Autre chose a répondu à la place du service (${type || 'sans type'}).`,
  encrypted: () => 'La connexion est chiffrée.',
  local: () => 'La connexion reste sur cette machine.',
  plain: () => 'La connexion n’est pas chiffrée : mots de passe et discussions peuvent être lus en chemin. Les navigateurs ne proposent ni notifications, ni clés d’accès, ni micro.',
  delivered: () => 'Les réponses arrivent au fur et à mesure de leur rédaction.',
  buffered: (seconds) => `Un proxy retient les réponses, ici pendant ${long(seconds)} : elles apparaissent par à-coups, ou d’un seul bloc.`,
  undelivered: () => 'Un proxy retient les flux d’événements jusqu’à leur fin.',
  uncompressed: () => 'Les flux d’événements ne sont pas compressés.',
  compressed: (encoding) => `Un proxy compresse les flux d’événements (${encoding}), ce qui retarde les réponses.`,
  stayedOpen: (seconds) => `Un flux est resté ouvert pendant ${long(seconds)}.`,
  wasCut: (seconds) => `Un flux a été coupé après ${long(seconds)}, alors que le service envoie quelque chose toutes les 5 secondes.`,
  idsKept: () => 'Un flux coupé reprend là où il s’était arrêté.',
  idsLost: () => 'Un proxy modifie les flux d’événements : des id de trames manquent, et les flux recommencent du début.',
  lastIdLost: () => 'L’en-tête Last-Event-ID ne parvient pas au service, et les flux recommencent du début.',
  schemeRight: (scheme) => `Le service sait qu’il est atteint par ${scheme}.`,
  schemeNotBelieved: (scheme) => `Le service prend la connexion pour ${scheme}, parce qu’il ne fait pas confiance au proxy.`,
  schemeWrong: (scheme) => `Le proxy ne dit pas que la connexion est chiffrée : le service la prend pour ${scheme}.`,
  schemeClaimed: () => 'Le proxy dit que la connexion est chiffrée, alors qu’elle ne l’est pas.',
  hostRight: (host) => `Le service sait qu’il est atteint à ${host}.`,
  hostWrong: (host) => `Le service croit que son adresse est ${host}. Les modifications des navigateurs sont refusées, et les clés d’accès ne fonctionnent pas.`,
  addressRight: (address) => `Le service voit l’adresse de cet appareil (${address}).`,
  addressMissing: (peer) => `Le proxy ne transmet pas les adresses : tous les clients semblent être ${peer}, et les mots de passe erronés d’une seule personne bloquent tout le monde.`,
  addressNotBelieved: (peer) => `Le service ne fait pas confiance au proxy : tous les clients semblent être ${peer}, et les mots de passe erronés d’une seule personne bloquent tout le monde.`,
  addressForged: () => 'Le proxy transmet une adresse inventée par un client : rien n’arrête la recherche de mots de passe.',
  cookiesRight: () => 'Les cookies conviennent à la connexion.',
  cookiesOpen: () => 'Les cookies ne sont pas marqués Secure, alors que la connexion est chiffrée.',
  cookiesLost: () => 'Les cookies sont marqués Secure, mais la connexion n’est pas chiffrée : les navigateurs ne gardent pas la session.',
  uploadPassed: (mib) => `Un envoi de ${mib} Mio est arrivé.`,
  uploadRefused: (mib) => `Un envoi de ${mib} Mio a été refusé car trop volumineux.`,
  uploadCut: (mib) => `Un envoi de ${mib} Mio a été interrompu.`,
  uploadUntried: () => 'La connexion est trop lente pour tester un envoi volumineux.',
  uploadUnjudged: (status) => `Un envoi volumineux a reçu le statut ${status}, qui ne dit rien de sa taille.`,
  clockRight: () => 'Les horloges de cet appareil et du service concordent.',
  clockWrong: (seconds) => `Les horloges de cet appareil et du service diffèrent de ${long(seconds)}.`
}

const advice: Record<Fix, string> = {
  reach: 'Vérifiez que le service s’exécute, que le proxy mène à son port et que vous êtes connecté.',
  tls: 'Placez devant un reverse proxy avec un certificat : « Behind a reverse proxy » dans l’aide (/help).',
  buffering: 'Désactivez la mise en tampon dans le proxy :',
  compression: 'Ne compressez pas les flux d’événements dans le proxy ; le service compresse lui-même tout le reste :',
  timeout: 'Laissez les connexions ouvertes dans le proxy :',
  lastId: 'Transmettez l’en-tête dans le proxy :',
  proto: 'Indiquez le protocole dans le proxy, et faites-lui confiance avec SVC_WEBUI_TRUSTED_PROXIES :',
  host: 'Transmettez l’hôte dans le proxy, port compris :',
  forwardedFor: 'Dans le proxy, remplacez l’en-tête par l’adresse qui s’y est connectée :',
  trust: 'Faites confiance au proxy dans l’environnement du service, puis redémarrez-le :',
  secure: 'Accédez au service par https, ou modifiez l’environnement du service :',
  upload: 'Autorisez les envois de cette taille dans le proxy :',
  clock: 'Synchronisez les horloges.'
}

const counted = (count: number, what: string): string[] => count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`]

export const diagnostics: Words['diagnostics'] = {
  note: 'Vérifie le service, sa machine et le chemin depuis cet appareil. Rien n’est modifié.',
  again: 'Vérifier à nouveau',
  checking: 'Vérification…',
  thorough: 'Vérifier à fond',
  thoroughNote: 'La vérification approfondie demande aussi un mot à un modèle de chaque fournisseur, ce qui peut coûter un peu, et démarre les agents externes.',
  copyReport: 'Copier le rapport',
  reportCopied: 'Rapport copié.',
  statuses: { ok: 'OK', warning: 'Avertissement', error: 'Problème', skipped: 'Non vérifié' },
  summary: (errors, warnings) => {
    const found = [...counted(errors, 'problème'), ...counted(warnings, 'avertissement')]
    return found.length === 0 ? 'Aucun problème trouvé.' : `${found.join(', ')}.`
  },
  checks: {
    program: 'Versions', memory: 'Mémoire', 'open-files': 'Fichiers ouverts', log: 'Journal', updates: 'Mises à jour',
    backups: 'Sauvegardes', 'state-folder': 'Dossier d’état', disk: 'Espace libre', database: 'Base de données',
    access: 'Adresse et connexion', address: 'Port', sandbox: 'Sandbox des commandes', git: 'Git',
    ripgrep: 'Recherche dans les fichiers', agents: 'Autres agents', schedules: 'Tâches planifiées', configuration: 'config.yaml',
    providers: 'Fournisseurs de modèles', mcp: 'Serveurs MCP', machines: 'Autres machines', push: 'Notifications',
    proxy: 'Accès à Internet', traces: 'Traces', clock: 'Horloge'
  },
  parts: {
    program: 'programme', author: 'auteur', 'default workspace': 'dossier par défaut', logins: 'identifiants', 'state folder': 'dossier d’état',
    backups: 'sauvegardes', 'temporary files': 'fichiers temporaires'
  },
  found: {
    sandbox_off: [
      'La sandbox est désactivée : chaque commande de l’agent s’exécute avec l’utilisateur du service, et demande votre accord.',
      'Retirez SVC_WEBUI_SANDBOX de l’environnement, ou terminal.sandbox de config.yaml.'
    ],
    sandbox_missing: [
      'Chaque commande de l’agent demande votre accord, car bubblewrap (bwrap) n’est pas installé.',
      'Installez bubblewrap :'
    ],
    git_missing: [
      'git n’est pas installé. Un git intégré le remplace, qui sait faire moins de choses.',
      'Installez git :'
    ],
    git_author_missing: [
      'Les commits n’ont pas d’auteur : les dépôts qui n’en fixent pas les refusent.',
      'Avec l’utilisateur du service :'
    ],
    backup_to_come: [
      'Il n’y a pas encore de sauvegarde. Le service fait la première quelques minutes après son démarrage.',
      'En faire une maintenant :'
    ],
    backups_off: [
      'Il n’y a pas de sauvegarde, et aucune n’est faite automatiquement.',
      'En faire une maintenant :'
    ],
    provider_missing: [
      'Aucun fournisseur de modèles n’est configuré : c’est la démo qui répond.',
      'Saisissez dans « Modèles » la clé d’un fournisseur ou l’adresse d’un serveur de modèles.'
    ],
    sign_in_missing: [
      'Aucune connexion n’est demandée : toute personne qui atteint cette adresse peut utiliser le service.',
      'Définissez un mot de passe dans Réglages → Connexion, ou dans l’environnement du service :'
    ],
    sign_in_missing_proxy: [
      'Aucune connexion n’est demandée alors qu’un reverse proxy est configuré : toute personne qui atteint le proxy peut utiliser le service.',
      'Définissez un mot de passe dans Réglages → Connexion, ou dans l’environnement du service :'
    ],
    traffic_open: [
      'D’autres machines atteignent le service sans chiffrement : mots de passe et discussions peuvent être lus en chemin.',
      'Placez devant un reverse proxy avec TLS, et indiquez son adresse (docs/reverse-proxy.md) :'
    ],
    state_folder_ok: ['Le service peut écrire dans le dossier d’état, et seul son propriétaire peut le lire.'],
    state_folder_missing: ({ path }) => [`Le dossier d’état ${path} n’existe pas encore.`, 'Démarrez le service une fois : il le crée.'],
    runs_as_root: ({ owner }) => [
      `Le service s’exécute en tant que root, et ses fichiers appartiennent à l’utilisateur ${owner}.`,
      'Exécutez-le avec cet utilisateur : root peut tout faire.'
    ],
    link_broken: ({ path, target }) => [
      `${path} est un lien symbolique vers ${target}, qui n’existe pas.`,
      'Montez ou restaurez le dossier vers lequel il mène, ou supprimez le lien.'
    ],
    owner_differs: ({ path, owner, user }) => [
      `${path} appartient à l’utilisateur ${owner} ; le service s’exécute avec l’utilisateur ${user}.`,
      'Attribuez-le à l’utilisateur du service :'
    ],
    open_to_all: ({ path }) => [`Tous les utilisateurs de cette machine peuvent ouvrir ${path}.`, 'En tant qu’utilisateur du service :'],
    open_to_group: ({ path }) => [`Les utilisateurs du même groupe peuvent ouvrir ${path}.`, 'En tant qu’utilisateur du service :'],
    disk_full: ({ path }) => [`Impossible d’écrire dans ${path} : le disque est plein.`, 'Libérez de la place sur son disque :'],
    disk_read_only: ({ path, code }) => [`Impossible d’écrire dans ${path} (${code}).`, 'Montez son disque en écriture :'],
    not_writable: ({ path, code }) => [`Impossible d’écrire dans ${path} (${code}).`, 'Autorisez l’utilisateur du service à y écrire :'],
    not_openable: ({ path }) => [`Le service n’a pas le droit d’ouvrir ${path}.`, 'Attribuez-le à l’utilisateur du service :'],
    not_openable_own: ({ path }) => [`Le service n’a pas le droit d’ouvrir ${path}.`, 'En tant qu’utilisateur du service :'],
    clock_right: ['L’horloge concorde avec celle d’un serveur sur internet.'],
    clock_unasked: ['Aucun serveur n’a pu donner l’heure. Depuis le démarrage, l’horloge n’a pas été retardée.'],
    clock_ahead: ({ seconds }) => [`L’horloge avance de ${long(seconds)}.`, 'Synchronisez l’horloge :'],
    clock_behind: ({ seconds }) => [`L’horloge retarde de ${long(seconds)}.`, 'Synchronisez l’horloge :'],
    clock_far_ahead: ({ seconds }) => [
      `L’horloge avance de ${long(seconds)}. Les connexions, les webhooks et les certificats TLS échouent.`,
      'Synchronisez l’horloge :'
    ],
    clock_far_behind: ({ seconds }) => [
      `L’horloge retarde de ${long(seconds)}. Les connexions, les webhooks et les certificats TLS échouent.`,
      'Synchronisez l’horloge :'
    ],
    clock_set_back: ({ seconds }) => [
      `L’horloge a été retardée de ${long(seconds)} depuis le démarrage du service.`,
      'Synchronisez l’horloge :'
    ],
    clock_before_write: ({ seconds }) => [
      `L’horloge retarde : la base de données a été écrite ${long(seconds)} après l’heure affichée.`,
      'Synchronisez l’horloge :'
    ],
    disk_room: ({ free }) => [`${free} libres.`],
    disk_low: ({ free }) => [
      `Il reste peu de place : ${free} libres.`,
      'Libérez ou ajoutez de la place. Les plus grands dossiers de ce disque :'
    ],
    disk_almost_full: ({ free }) => [
      `Le disque est presque plein : ${free} libres.`,
      'Libérez ou ajoutez de la place. Les plus grands dossiers de ce disque :'
    ],
    disk_backup_room: ({ free, needed }) => [
      `Il n’y a pas de place pour une sauvegarde : ${free} libres, et il lui faut ${needed}.`,
      'Libérez ou ajoutez de la place. Les plus grands dossiers de ce disque :'
    ],
    disk_few_files: ({ count }) => [
      `Le disque n’a plus de place que pour ${count} fichiers.`,
      'Supprimez les petits fichiers inutiles. Les dossiers qui en ont le plus :'
    ],
    memory_use: ({ used, limit }) => [
      `${used} sur ${limit} sont utilisés sur cette machine.`,
      'Arrêtez les programmes qui demandent beaucoup de mémoire :'
    ],
    memory_use_group: ({ used, limit }) => [
      `${used} sur ${limit} sont utilisés, la limite du groupe de contrôle du service.`,
      'Augmentez la limite dans l’unité systemd ou dans docker-compose.yml :'
    ],
    open_files: ({ open, limit }) => [
      `${open} fichiers et connexions sont ouverts, sur ${limit} au plus.`,
      'Augmentez la limite dans l’unité systemd, dans docker-compose.yml ou dans le shell qui démarre le service :'
    ],
    git_ready: ({ version }) => [`git ${version} est installé.`],
    git_author: ['Les commits ont un auteur.'],
    git_workspace: ['git fonctionne dans le dossier par défaut.'],
    git_workspace_plain: ['Le dossier par défaut n’est pas un dépôt git.'],
    git_workspace_missing: ['Le dossier par défaut n’existe pas encore.'],
    git_workspace_owner: [
      'git refuse le dossier par défaut, car il appartient à un autre utilisateur.',
      'Avec l’utilisateur du service :'
    ],
    git_logins: ['git a un assistant d’identification.'],
    git_no_logins: [
      'git n’a pas d’assistant d’identification : les clés ssh fonctionnent, les dépôts qui demandent des identifiants en https non.',
      'Si vous avez besoin de tels identifiants, avec l’utilisateur du service :'
    ],
    push_works: ({ count, messages }) => [`Navigateurs avec notifications : ${count}. Messages en route : ${messages}.`],
    push_none: ['Les notifications ne sont activées dans aucun navigateur.'],
    push_no_keys: [
      'Les clés de Web Push n’ont pas encore pu être enregistrées.',
      'Rendez la base de données accessible en écriture, puis redémarrez le service.'
    ],
    updates_off: ['La recherche de mises à jour est désactivée.'],
    updates_unchecked: ['Aucune recherche de mise à jour n’a encore eu lieu.', 'Cherchez des mises à jour dans Réglages → À propos.'],
    updates_current: ['C’était la version la plus récente à la dernière recherche.'],
    log_written: ['Toutes les lignes du journal ont été écrites.'],
    machines_off: ['Aucune autre machine ne peut rejoindre le service : SVC_NATS_URL n’est pas définie.'],
    nats_connected: ['Le serveur NATS est connecté.'],
    machine_connected: ['Elle est connectée.'],
    machine_version: ({ version, own }) => [
      `Elle est connectée avec la version ${version} ; le service a la ${own}.`,
      'Mettez-la à la version du service.'
    ],
    machine_away: ({ seconds }) => [`Elle est absente depuis ${long(seconds)}.`, 'Démarrez-y son programme :'],
    sandbox_works: ({ version }) => [`Une commande a tourné dans une sandbox de bubblewrap ${version}.`],
    sandbox_unfiltered: ({ version }) => [
      `Une commande a tourné dans une sandbox de bubblewrap ${version}, sans filtre des appels système.`
    ],
    sandbox_container: [
      'Le conteneur est la limite : une commande y a tourné sans atteindre les fichiers, la mémoire ni le débogueur du service.'
    ],
    backup_nothing: ['Il n’y a encore rien à sauvegarder.'],
    backup_age: ({ seconds }) => [`La dernière sauvegarde date de ${long(seconds)}.`],
    backup_late: ({ seconds, hours }) => [
      `La dernière sauvegarde date de ${long(seconds)}, alors qu’il en faut une toutes les ${hours === '1' ? 'heures' : `${hours} heures`}.`,
      'En faire une maintenant :'
    ],
    backup_by_hand: ({ seconds }) => [
      `La dernière sauvegarde date de ${long(seconds)} ; aucune n’est faite automatiquement.`,
      'Pour en faire une chaque jour, dans l’environnement du service :'
    ],
    provider_agents: ['Aucun fournisseur de modèles n’est configuré ; d’autres agents répondent.'],
    mcp_none: ['Aucun serveur MCP n’est configuré.'],
    mcp_ready: ({ count }) => [`Il fonctionne. Outils : ${count}.`],
    mcp_idle: ['Il démarre à l’appel de l’un de ses outils.'],
    mcp_off: ['Il est désactivé.'],
    mcp_sign_in: ['Il demande une connexion.', 'Connectez-vous dans Réglages → Serveurs MCP.'],
    agents_none: ['Aucun autre agent n’a été trouvé sur cette machine.'],
    configuration_fine: ['config.yaml ne pose aucun problème.'],
    internet_direct: ['Les connexions quittent cette machine directement.'],
    ripgrep_works: ({ version }) => [`ripgrep ${version} fonctionne.`],
    database_intact: ({ size, version, log }) => [`La base de données est intacte : ${size}, version ${version}, journal ${log}.`],
    database_checking: ({ size }) => [`La vérification après le démarrage n’est pas terminée (${size}).`, 'Vérifiez à nouveau dans quelques minutes.'],
    database_in_memory: ['La base de données est en mémoire vive.'],
    program_version: ({ own, version }) => [`La version ${own} fonctionne avec Node.js ${version}.`],
    program_node_old: ({ version, needed }) => [
      `Node.js ${version} est trop ancien : il faut la version ${needed} ou une plus récente.`,
      `Installez Node.js ${needed} ou plus récent, puis redémarrez.`
    ],
    port_answers: ({ host, port }) => [`Le service répond sur ${host}, port ${port}.`],
    sign_in_needed: ({ host, port }) => [`Il faut se connecter. Le service écoute sur ${host}, port ${port}.`],
    sign_in_needed_proxy: ({ host, port }) => [`Il faut se connecter. Le service écoute sur ${host}, port ${port}, derrière un proxy de confiance.`],
    sign_in_local: ['Seule cette machine atteint le service, et il n’est pas nécessaire de se connecter.'],
    provider_answers: ['Il répond.'],
    provider_invalid_key: ['Il a refusé la clé.', 'Saisissez une clé valide dans Modèles, ou dans le fichier .env du profil.'],
    provider_no_quota: ['Le quota du compte est épuisé.', 'Ajoutez du crédit chez le fournisseur, ou choisissez un autre modèle.'],
    provider_rate_limited: ['Il n’accepte plus de requêtes pour le moment.', 'Attendez, ou relevez la limite chez le fournisseur.'],
    provider_timed_out: ['Il n’a pas répondu à temps.', 'Vérifiez à nouveau dans quelques minutes, ainsi que la page d’état du fournisseur.'],
    provider_no_answer: ['Il n’a pas répondu.', 'Vérifiez à nouveau dans quelques minutes, ainsi que la page d’état du fournisseur.'],
    schedules_fine: ({ count }) => [`Tâches planifiées : ${count}. Aucune n’a échoué la dernière fois.`],
    schedule_failed: ({ reason }) => [`La dernière exécution a échoué : ${reason}`, 'Ouvrez la dernière exécution dans Tâches.'],
    schedule_undelivered: ({ reason }) => [`Le dernier résultat n’a pas été remis : ${reason}`, 'Vérifiez dans Tâches où il doit aller.'],
    schedule_ended: ({ reason }) => [`Elle ne s’exécute plus : ${reason}`, 'Corrigez son horaire dans Tâches.'],
    traces_taken: ['Le collecteur accepte les traces.'],
    proxy_answers: ({ target }) => [`Les connexions passent par le proxy ${target}, qui répond.`],
    proxy_accepts_login: ({ target }) => [`Les connexions passent par le proxy ${target}, qui répond et accepte l’identification.`],
    configuration_broken: ({ profile, reason }) => [
      `Le fichier config.yaml du profil « ${profile} » contient une erreur : ${reason}`, 'Corrigez-le. D’ici là, la dernière version correcte s’applique.'
    ]
  },
  groups: {
    service: 'Service', storage: 'Stockage', access: 'Accès', agent: 'Agent', models: 'Modèles', connections: 'Connexions'
  },
  connection: 'Depuis cet appareil',
  held: (seconds) => `Une connexion est gardée ouverte pendant ${long(seconds)}, pour voir si quelque chose la coupe…`,
  environment: 'Environnement du service',
  titles,
  verdicts,
  advice
}
