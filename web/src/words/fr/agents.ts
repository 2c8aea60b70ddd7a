import { type Words } from '../en/index.js'

export const agents: Words['agents'] = {
  none: 'Aucun agent n’est configuré, et aucun n’a été trouvé sur cette machine. La documentation explique comment faire, sous « Agents ».',
  installable: (count) => count <= 1 ? `${count} agent peut être installé` : `${count} agents peuvent être installés`,
  installableNote:
    'Tirés du registre public des agents. Exécutez une ligne sur la machine de ce service, avec son utilisateur ; le service n’installe rien. Les lignes sous un agent vont dans config.yaml.',
  asOf: (registry, versions) => `Le registre date du ${registry}, les versions du ${versions}.`,
  proprietary: 'Propriétaire',
  page: 'En savoir plus',
  copyInstall: 'Copier la ligne d’installation',
  copySetup: 'Copier les lignes pour config.yaml',
  asks: 'Demande avant d’agir',
  mayAct: 'Peut agir sans demander',
  blocked: 'Ne fonctionne pas encore',
  unreached: 'Démarrez-le une fois pour voir ses modes.',
  look: 'Démarrer',
  noModes: 'Il n’a pas de modes.',
  modeAsks: 'Il demande avant d’agir.',
  modeOff: 'Désactivé, car il agit peut-être sans demander.',
  modeOn: 'Autorisé : il peut agir sans demander.',
  any: 'Tous les modes',
  anyNote: 'Y compris les modes qu’il aura plus tard, ou s’il n’en a aucun.',
  allow: 'Autoriser',
  takeBack: 'Révoquer',
  allowTitle: (agent, mode) => `Laisser ${agent} travailler en mode « ${mode} » sans demander ?`,
  anyTitle: (agent) => `Laisser ${agent} travailler dans tous les modes sans demander ?`,
  allowNote:
    'Il pourra alors modifier et supprimer des fichiers, exécuter des programmes et envoyer des données n’importe où, dans les limites de sa sandbox ou, ' +
    'sans sandbox, avec les droits de l’utilisateur sous lequel ce service s’exécute. Rien n’est demandé ni montré à personne auparavant. ' +
    'Cela vaut pour toutes les discussions de ce profil, jusqu’à ce que vous le révoquiez.',
  action: 'Laisser agir sans demander',
  allowed: (agent, mode) => `${agent} peut travailler en mode « ${mode} » sans demander dès son prochain tour.`,
  anyAllowed: (agent) => `${agent} peut travailler dans tous les modes sans demander dès son prochain tour.`,
  takenBack: (agent) => `Révoqué pour ${agent} dès son prochain tour.`,
  sandbox: 'Sandbox',
  runsWhere: (agent) => `Où ${agent} s’exécute`,
  places: { auto: 'Dans la sandbox, s’il y en a une', sandbox: 'Seulement dans la sandbox', none: 'Hors de la sandbox' },
  outside: 'Exécuter hors de la sandbox',
  outsideTitle: (agent) => `Exécuter ${agent} hors de la sandbox ?`,
  outsideNote:
    'Il pourra alors lire et modifier tout ce que peut l’utilisateur de ce service : clés, autres dossiers, programmes en cours et tout ce qui écoute ' +
    'sur cette machine et dans ses réseaux. Il demande toujours avant d’agir, dans les modes où l’on sait qu’il le fait.',
  isInside: (agent) => `${agent} utilise la sandbox dès son prochain tour.`,
  isOnlyInside: (agent) => `${agent} s’exécute seulement dans la sandbox dès son prochain tour.`,
  isOutside: (agent) => `${agent} s’exécute hors de la sandbox dès son prochain tour.`,
  isolation: {
    outside: 'S’exécute hors de la sandbox, avec les droits de l’utilisateur qui fait tourner ce service.',
    outside_for_lack: (reason) =>
      `S’exécute hors de la sandbox, avec les droits de l’utilisateur qui fait tourner ce service : ${reason}.`,
    no_sandbox: (reason) =>
      `Réglé pour s’exécuter seulement dans la sandbox, et il n’y en a pas : ${reason}.`,
    container: 'S’exécute dans les limites du conteneur et dispose de son réseau.',
    offline: 'S’exécute dans la sandbox, sans réseau.',
    whole_network: 'S’exécute dans la sandbox et dispose du réseau de cette machine, avec tout ce qui y écoute.',
    whole_network_open:
      'S’exécute dans la sandbox et dispose du réseau de cette machine, avec tout ce qui y écoute. Ce service ne demande pas de connexion, l’agent pourrait donc l’utiliser : définissez un mot de passe.',
    internet: (places) =>
      `S’exécute dans la sandbox. Atteint internet, mais sur cette machine et dans les réseaux privés seulement ${places === '' ? '' : `${places}, `}les adresses de ses variables et ses serveurs MCP.`,
    places: (places) =>
      `S’exécute dans la sandbox. Atteint seulement ${places === '' ? '' : `${places}, `}les adresses de ses variables et ses serveurs MCP.`
  },
  isolationSees: 'Il ne peut écrire que dans le dossier de son chat et dans ses propres dossiers. Le reste du dossier personnel est masqué.'
}
