/**
 * What worker threads do, by name: the slow work that must not hold up the event loop. Each is loaded when it is first
 * asked for. Input and result are plain values that can be cloned; a DomainError that a task throws arrives as itself.
 */
export const tasks = {
  embeddedGit: async () => (await import('../git/embedded/task.js')).embeddedGit,
  extractArchive: async () => (await import('../files/extract-task.js')).extractArchive,
  findSpecial: async () => (await import('../checkpoints/special-task.js')).findSpecial,
  listFolder: async () => (await import('../files/listing-task.js')).listFolder,
  readImport: async () => (await import('../sessions/import-task.js')).readImport,
  removeLeftovers: async () => (await import('../files/leftovers-task.js')).removeLeftovers,
  removeTrees: async () => (await import('../files/removal-task.js')).removeTrees,
  putBack: async () => (await import('../checkpoints/put-back-task.js')).putBack,
  previewOffice: async () => (await import('../files/previews/preview-task.js')).previewOffice,
  siftChanges: async () => (await import('../checkpoints/sift-task.js')).siftChanges,
  walkFolder: async () => (await import('../files/walk-task.js')).walkFolder
}

export type Tasks = { [Name in keyof typeof tasks]: Awaited<ReturnType<(typeof tasks)[Name]>> }
export type TaskName = keyof Tasks
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>
