import { type Words } from '../en/index.js'

export const common: Words['common'] = {
  close: 'Schließen',
  cancel: 'Abbrechen',
  retry: 'Noch einmal versuchen',
  save: 'Speichern',
  delete: 'Löschen',
  undo: 'Rückgängig',
  copy: 'Kopieren',
  copied: 'Kopiert',
  more: 'Mehr',
  loading: 'Wird geladen',
  whatToDo: 'Was zu tun ist',
  machine: 'Rechner',
  unreachable: 'Der Dienst ist nicht erreichbar. Versuche es gleich noch einmal.',
  failed: (status) => `Der Dienst hat mit Status ${status} geantwortet. Versuche es gleich noch einmal.`
}
