import { type Words } from '../en/index.js'

export const audit: Words['audit'] = {
  note:
    'Qui s’est connecté, et ce qui a été autorisé, modifié, supprimé, exporté et partagé. Les entrées ne peuvent pas être modifiées ; elles sont ' +
    'conservées un an, sauf autre durée fixée par l’administrateur.',
  search: 'Rechercher dans le journal',
  kind: 'Type',
  all: 'Tout',
  groups: {
    attempts: 'Essais', check: 'Vérifications', pull: 'Pull Requests', hook: 'Hooks', plan: 'Plans', mode: 'Mode plan',
    auth: 'Connexions et mots de passe', passkey: 'Clés d’accès', device: 'Appareils et jetons', pairing: 'Association', approval: 'Autorisations',
    question: 'Questions', grant: 'Règles permanentes', yolo: 'Exécution sans demander', settings: 'Réglages', config: 'Configuration',
    key: 'Clés', mcp: 'Serveurs MCP', plugin: 'Plugins', skill: 'Skills', memory: 'Mémoire', profile: 'Profils', job: 'Tâches',
    session: 'Discussions', project: 'Projets', share: 'Pages partagées', file: 'Fichiers', trash: 'Corbeille', checkpoint: 'Points de restauration',
    git: 'Git', backup: 'Sauvegardes', update: 'Mises à jour', machine: 'Machines', audit: 'Ce journal'
  },
  actions: {
    switchedOn: 'activation', switchedOff: 'désactivation',
    sign_in: 'connexion', sign_out: 'déconnexion', password: 'mot de passe défini ou supprimé',
    passwordless: 'connexion sans mot de passe activée ou désactivée', open_acknowledged: 'accès ouvert confirmé',
    registered: 'enregistrement', renamed: 'renommage', deleted: 'suppression', created: 'création', revoked: 'révocation',
    begun: 'code créé', ended: 'annulation', completed: 'fin', answered: 'réponse', added: 'ajout', removed: 'retrait',
    switched: 'activation ou désactivation', started: 'lancement', changed: 'modification', set: 'définition',
    server: 'ajout, modification ou retrait', saved: 'enregistrement', imported: 'importation', import_undone: 'importation annulée',
    cut: 'derniers messages supprimés', exported: 'exportation', attached: 'reprise ici', restored: 'restauration',
    discarded: 'modifications abandonnées', pushed: 'envoi au dépôt distant', taken: 'application', taken_back: 'application annulée',
    stopped: 'arrêt', opened: 'ouverture', ready: 'prête à relire', commented: 'commentaire', resolved: 'fil résolu ou rouvert',
    merged: 'fusion', closed: 'fermeture', applied: 'installation', joined: 'arrivée', left: 'départ',
    forgotten: 'retrait de la liste', trimmed: 'anciennes entrées supprimées'
  },
  said: (group, action) => `${group} : ${action}`,
  when: 'Quand',
  who: 'Qui',
  none: 'Aucune entrée.',
  older: 'Afficher les précédentes',
  csv: 'Exporter en CSV',
  ndjson: 'Exporter en NDJSON',
  open: 'Toute personne qui atteint le service',
  actors: { person: 'Session connectée', device: 'Un appareil', nobody: 'Sans connexion', agent: 'L’agent', service: 'Le service', console: 'La ligne de commande' },
  outcomes: { failed: 'échec', throttled: 'trop de tentatives' }
}
