import { type TaskName, type Tasks } from '../ground/workers/index.js'

/** Where each task of the worker threads is; loaded when it is first asked for. */
export const tasks: { [Name in TaskName]: () => Promise<Tasks[Name]> } = {
  checkpointWal: async () => (await import('../ground/database/wal-task.js')).checkpointWal,
  documentText: async () => (await import('../workspace/files/previews/preview-task.js')).documentText,
  embeddedGit: async () => (await import('../workspace/git/embedded/task.js')).embeddedGit,
  extractArchive: async () => (await import('../workspace/files/extract-task.js')).extractArchive,
  findPaths: async () => (await import('../workspace/files/search/find-task.js')).findPaths,
  findSpecial: async () => (await import('../workspace/checkpoints/special-task.js')).findSpecial,
  listFolder: async () => (await import('../workspace/files/listing-task.js')).listFolder,
  previewOffice: async () => (await import('../workspace/files/previews/preview-task.js')).previewOffice,
  restoreFiles: async () => (await import('../workspace/checkpoints/restore-task.js')).restoreFiles,
  readImport: async () => (await import('../areas/sessions/import-task.js')).readImport,
  removeLeftovers: async () => (await import('../workspace/files/leftovers-task.js')).removeLeftovers,
  removeTrees: async () => (await import('../workspace/files/removal-task.js')).removeTrees,
  findIndexChanges: async () => (await import('../workspace/checkpoints/index-changes-task.js')).findIndexChanges,
  walkFolder: async () => (await import('../workspace/files/walk-task.js')).walkFolder,
  writeYaml: async () => (await import('../ground/text/yaml-task.js')).writeYaml
}
