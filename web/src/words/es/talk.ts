import { type Words } from '../en/index.js'

/** Texts for parts of a chat that are loaded on first use. */
export const talk: Words['talk'] = {
  commit: {
    writing: 'Redactando un mensaje de commit…',
    files: (count) => count === 1 ? 'Commit de 1 archivo' : `Commit de ${count} archivos`
  },
  results: {
    gone: (path) => `${path} no se puede mostrar: no existe o no se puede abrir aquí.`,
    open: (name) => `Mostrar ${name} junto al chat`,
    openInTab: (name) => `Abrir ${name} en una pestaña nueva`,
    download: (name) => `Descargar ${name}`,
    text: 'Mostrar el texto',
    noText: 'Este documento no tiene texto que se pueda leer.'
  },
  outline: {
    title: 'Esquema',
    search: 'Buscar en el esquema',
    none: 'Aún no hay mensajes',
    noMatches: (text) => `Nada coincide con «${text}».`,
    cut: 'Solo se lista la última parte de este chat largo.',
    current: 'Estás aquí',
    goal: 'Objetivo',
    cron: 'Tarea programada',
    note: 'Añadido mientras el agente trabajaba',
    filesOnly: 'Mensaje sin texto',
    notThere: 'No se encontró este lugar. Puede que el chat haya cambiado: vuelve a intentarlo.'
  },
  worktree: {
    title: 'Worktree de este chat',
    none: 'Este chat ya no tiene worktree. Trabaja en el propio repositorio.',
    branch: 'Rama',
    folder: 'Carpeta',
    repository: 'Repositorio',
    gone: 'La carpeta ya no existe, así que el chat no puede trabajar en ella.',
    clean: 'No hay cambios sin commit.',
    dirty: (count) => count === 1 ? '1 archivo tiene cambios sin commit.' : `${count} archivos tienen cambios sin commit.`,
    untracked: (count) => count === 1 ? '1 archivo está sin seguimiento.' : `${count} archivos están sin seguimiento.`,
    ahead: (count) => count === 1 ? '1 commit no está en ninguna otra rama.' : `${count} commits no están en ninguna otra rama.`,
    merged: 'El repositorio tiene todos sus commits.',
    elsewhere: 'Todos sus commits están también en otras ramas.',
    locked: 'Git lo ha bloqueado. Ejecuta primero «git worktree unlock».',
    whileRunning: 'El agente está trabajando en él. Podrás quitarlo cuando el agente termine.',
    remove: 'Quitar el worktree',
    removeAnyway: 'Quitarlo igualmente',
    goOn: 'Continuar en el repositorio',
    losesChanges: 'Si lo quitas igualmente, se pierden los cambios sin commit y los archivos que git ignora.',
    keepsCommits: (branch) => `Si lo quitas igualmente, la carpeta desaparece y los commits se quedan en ${branch}.`,
    removed: 'Worktree quitado. El chat continúa en el repositorio.',
    removedKept: (branch) => `Worktree quitado. La rama ${branch} se conserva y el chat continúa en el repositorio.`
  }
}
