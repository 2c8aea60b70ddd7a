import { type Words } from '../en/index.js'

export const asking: Words['asking'] = {
  asks: (action) => `${action} ?`,
  title: {
    create: (file) => `Créer ${file}`,
    edit: (file) => `Modifier ${file}`,
    write: (file) => `Écrire ${file}`,
    createTask: (name) => `Créer la tâche « ${name} »`,
    editTask: (name) => `Modifier la tâche « ${name} »`,
    pauseTask: (name) => `Suspendre la tâche « ${name} »`,
    resumeTask: (name) => `Reprendre la tâche « ${name} »`,
    deleteTask: (name) => `Supprimer la tâche « ${name} »`,
    command: 'Exécuter cette commande',
    request: (method, host) => method === 'GET' ? `Charger une page de ${host}` : `Envoyer une requête ${method} à ${host}`,
    mcp: (tool, server) => `Utiliser ${tool} de ${server}`,
    sampling: (server) => `Laisser ${server} interroger le modèle`,
    instructions: 'Suivre les consignes modifiées',
    budget: 'Continuer au-delà du budget',
    memory: 'Modifier la mémoire',
    skills: 'Enregistrer ce skill',
    schedules: 'Modifier les tâches',
    readOutside: 'Lire hors de l’espace de travail',
    readProtected: 'Lire des fichiers protégés',
    other: 'Autoriser ceci'
  },
  late: 'Une réponse a déjà été donnée ailleurs.'
}
