/** What waits for the person, in a line: on the home screen, in the list and on cards. */
export const asking = {
  asks: (action: string): string => `${action}?`,
  title: {
    create: (file: string): string => `Create ${file}`,
    edit: (file: string): string => `Edit ${file}`,
    write: (file: string): string => `Write ${file}`,
    createTask: (name: string): string => `Create the task “${name}”`,
    editTask: (name: string): string => `Change the task “${name}”`,
    pauseTask: (name: string): string => `Pause the task “${name}”`,
    resumeTask: (name: string): string => `Resume the task “${name}”`,
    deleteTask: (name: string): string => `Delete the task “${name}”`,
    command: 'Run this command',
    request: (method: string, host: string): string => method === 'GET' ? `Load a page from ${host}` : `Send a ${method} request to ${host}`,
    mcp: (tool: string, server: string): string => `Use ${tool} from ${server}`,
    sampling: (server: string): string => `Let ${server} ask the model`,
    instructions: 'Follow the changed instructions',
    budget: 'Continue beyond the budget',
    memory: 'Change the memory',
    skills: 'Save this skill',
    schedules: 'Change the tasks',
    readOutside: 'Read outside the workspace',
    readProtected: 'Read protected files',
    other: 'Allow this'
  },
  late: 'This was already answered elsewhere.'
}
