import { type Words } from '../en/index.js'

export const common: Words['common'] = {
  close: 'Cerrar',
  cancel: 'Cancelar',
  retry: 'Reintentar',
  save: 'Guardar',
  delete: 'Eliminar',
  undo: 'Deshacer',
  copy: 'Copiar',
  copied: 'Copiado',
  more: 'Más',
  loading: 'Cargando',
  whatToDo: 'Qué hacer',
  machine: 'Equipo',
  unreachable: 'No se puede conectar con el servicio. Vuelve a intentarlo en un momento.',
  failed: (status) => `El servicio respondió con el estado ${status}. Vuelve a intentarlo en un momento.`
}
