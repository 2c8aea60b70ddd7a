import { type Words } from '../en/index.js'

const toolsOf = (count: number): string => count < 2 ? `${count} outil` : `${count} outils`

export const mcp: Words['mcp'] = {
  note: 'Les serveurs du Model Context Protocol donnent plus d’outils à l’agent. Ils démarrent à la demande.',
  none: 'Aucun serveur MCP pour l’instant.',
  add: 'Ajouter un serveur',
  edit: 'Modifier',
  remove: 'Retirer',
  removed: (name) => `« ${name} » est retiré.`,
  removeTitle: (name) => `Retirer « ${name} » ?`,
  removeNote: 'Cela retire aussi ce qui n’est pas affiché ici : les valeurs de ses variables et en-têtes, et sa connexion. C’est irréversible.',
  taken: (name) => `Un serveur nommé « ${name} » existe déjà.`,
  saved: (name) => `« ${name} » est enregistré.`,
  restart: 'Redémarrer',
  test: 'Tester',
  works: (name, tools) => `« ${name} » fonctionne : ${toolsOf(tools)}.`,
  reload: 'Recharger',
  signIn: 'Se connecter',
  signOut: 'Se déconnecter',
  signedOut: (name) => `Déconnecté de « ${name} ».`,
  waits: 'En attente de la connexion dans un autre onglet.',
  signInHere: 'Ouvrir la page de connexion',
  enabled: 'Activé',
  status: {
    disabled: 'Désactivé', idle: 'Au repos', starting: 'Démarrage', ready: 'Prêt', needs_sign_in: 'Connexion requise', failed: 'En échec'
  },
  tools: toolsOf,
  leftOut: (tool, reason) => `${tool} est laissé de côté : ${reason}`,
  log: 'Sortie',
  kind: 'Connexion',
  kinds: { stdio: 'Un programme sur le serveur', http: 'Une adresse' },
  name: 'Nom',
  command: 'Programme',
  commandHint: 'Il s’exécute sous l’utilisateur du service.',
  args: 'Arguments, un par ligne',
  url: 'Adresse',
  variables: 'Variables',
  headers: 'En-têtes',
  valuesHint: 'NOM=valeur, une par ligne. Un nom seul garde la valeur actuelle. Les valeurs ne sont jamais affichées.',
  headersHint: 'Nom: valeur, un par ligne. Un nom seul garde la valeur actuelle. Les valeurs ne sont jamais affichées.',
  sandbox: 'Dans une sandbox : sans réseau, et seulement son propre dossier',
  cwd: 'Dossier',
  sampling: 'Il peut interroger le modèle ; vous voyez d’abord chaque demande',
  wrong: {
    name: () => 'Donnez-lui un nom.',
    target: () => 'Saisissez un programme ou une adresse.',
    noValue: (name) => `« ${name} » n’a pas encore de valeur : écrivez-la après le nom.`,
    noName: (value) => `Une valeur n’a pas de nom : ${value}`
  }
}
