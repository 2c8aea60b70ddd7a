import { type Words } from '../en/index.js'

const chats = (count: number, action: string): string => count === 1 ? `Chat ${action}` : `${count} chats ${action}s`

/** Texts for actions on chats and projects in the list of chats. */
export const rail: Words['rail'] = {
  pin: 'Fijar',
  unpin: 'Dejar de fijar',
  rename: 'Renombrar',
  move: 'Mover a un proyecto',
  newProject: 'Proyecto nuevo…',
  noProject: 'Sin proyecto',
  branch: 'Bifurcar',
  share: 'Compartir',
  choose: 'Seleccionar',
  archive: 'Archivar',
  delete: 'Eliminar',
  export: 'Exportar',
  newChatHere: 'Chat nuevo aquí',
  colour: 'Color',
  setUp: 'Carpeta e instrucciones…',
  project: {
    title: (name) => `Proyecto «${name}»`,
    folder: 'Carpeta',
    folderHint: 'Los chats nuevos empiezan aquí. Vacío: la carpeta predeterminada.',
    instructions: 'Instrucciones',
    instructionsHint: 'El agente las recibe en cada chat de este proyecto.',
    saved: (name) => `«${name}» se ha guardado.`
  },
  removeProject: 'Quitar',
  removeProjectNote: 'Sus chats se conservan.',
  colours: { green: 'Verde', blue: 'Azul', purple: 'Morado', olive: 'Oliva', brown: 'Marrón', grey: 'Gris' },
  chosen: (count) => count === 1 ? '1 seleccionado' : `${count} seleccionados`,
  endChoosing: 'Terminar la selección',
  archived: (count) => `${chats(count, 'archivado')}.`,
  deleted: (count) => `${chats(count, 'eliminado')}.`,
  moved: (count, project) => `${chats(count, 'movido')} a «${project}».`,
  movedOut: (count) => `${chats(count, 'sacado')} del proyecto.`,
  projectRemoved: (name) => `«${name}» se ha quitado. Sus chats están en la lista por días.`
}
