import { type Words } from '../en/index.js'

export const common: Words['common'] = {
  close: 'Fermer',
  cancel: 'Annuler',
  retry: 'Réessayer',
  save: 'Enregistrer',
  delete: 'Supprimer',
  undo: 'Annuler',
  copy: 'Copier',
  copied: 'Copié',
  more: 'Plus',
  loading: 'Chargement',
  whatToDo: 'Que faire',
  machine: 'Machine',
  unreachable: 'Le service est injoignable. Réessayez dans un instant.',
  failed: (status) => `Le service a répondu avec le statut ${status}. Réessayez dans un instant.`
}
