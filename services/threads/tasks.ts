/**
 * What worker threads do, by name: the slow work that must not hold up the event loop. Each is loaded when it is first
 * asked for. Input and result are plain values that can be cloned; a DomainError that a task throws arrives as itself.
 */
export const tasks = {
  embeddedGit: async () => (await import('../workspace/git/embedded/task.js')).embeddedGit,
  extractArchive: async () => (await import('../workspace/files/extract-task.js')).extractArchive,
  findSpecial: async () => (await import('../workspace/checkpoints/special-task.js')).findSpecial,
  listFolder: async () => (await import('../workspace/files/listing-task.js')).listFolder,
  readImport: async () => (await import('../sessions/import-task.js')).readImport,
  removeLeftovers: async () => (await import('../workspace/files/leftovers-task.js')).removeLeftovers,
  removeTrees: async () => (await import('../workspace/files/removal-task.js')).removeTrees,
  putBack: async () => (await import('../workspace/checkpoints/put-back-task.js')).putBack,
  previewOffice: async () => (await import('../workspace/files/previews/preview-task.js')).previewOffice,
  siftChanges: async () => (await import('../workspace/checkpoints/sift-task.js')).siftChanges,
  walkFolder: async () => (await import('../workspace/files/walk-task.js')).walkFolder
}

export type Tasks = { [Name in keyof typeof tasks]: Awaited<ReturnType<(typeof tasks)[Name]>> }
export type TaskName = keyof Tasks
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>
