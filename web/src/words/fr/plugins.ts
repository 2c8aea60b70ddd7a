import { type Words } from '../en/index.js'

const of = (count: number, one: string, more: string): string => count === 0 ? '' : `${count} ${count === 1 ? one : more}`

export const plugins: Words['plugins'] = {
  note: 'Un plugin est un dossier de commandes, de skills et de serveurs MCP, organisé comme pour Claude Code. Placez-le dans ce dossier du profil :',
  none: 'Aucun plugin pour l’instant.',
  on: 'Activé',
  off: 'Désactivé',
  changed: 'Modifié',
  changedNote: 'Ses fichiers ont changé depuis que vous l’avez activé. La version précédente reste utilisée jusqu’à ce que vous examiniez la nouvelle.',
  look: 'Examiner et activer',
  lookAgain: 'Examiner les modifications',
  switchOn: 'Activer',
  useNew: 'Utiliser la nouvelle version',
  switchOff: 'Désactiver',
  isOn: (name) => `« ${name} » est activé.`,
  isOff: (name) => `« ${name} » est désactivé.`,
  by: (author, version) =>
    [version === '' ? '' : `Version ${version}`, author === '' ? '' : `par ${author}`].filter((part) => part !== '').join(' '),
  counts: (commands, skills, servers) =>
    [of(commands, 'commande', 'commandes'), of(skills, 'skill', 'skills'), of(servers, 'serveur MCP', 'serveurs MCP')].filter((part) => part !== '').join(' · '),
  contents: 'Contenu',
  commands: 'Commandes',
  skills: 'Skills',
  servers: 'Serveurs MCP',
  runs: 'démarre sur cette machine :',
  asks: 'se connecte à :',
  sandboxed: 'dans une sandbox',
  variables: (names) => `Il reçoit ces valeurs du .env du profil : ${names}`,
  nothing: 'Il ne contient rien que ce service utilise.',
  unused: (names) => `Non utilisé ici : ${names}`,
  files: (count) => count < 2 ? `${count} fichier` : `${count} fichiers`,
  moreFiles: (count) => `${count} fichiers de plus ne sont pas affichés.`,
  changes: { added: 'nouveau', changed: 'modifié', removed: 'supprimé' },
  executable: 'programme',
  gone: 'Le fichier n’existe plus.',
  trust: 'Le modèle lit ce que contient un plugin, et ses serveurs s’exécutent avec vos droits. N’activez que les plugins auxquels vous faites confiance.'
}
