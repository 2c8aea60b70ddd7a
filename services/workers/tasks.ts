/**
 * What worker threads do, by name: the slow work that must not hold up the event loop. Each is loaded when it is first
 * asked for. Input and result are plain values that can be cloned; a DomainError that a task throws arrives as itself.
 */
export const tasks = {
  listFolder: async () => (await import('../files/listing-task.js')).listFolder
}

export type Tasks = { [Name in keyof typeof tasks]: Awaited<ReturnType<(typeof tasks)[Name]>> }
export type TaskName = keyof Tasks
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>
