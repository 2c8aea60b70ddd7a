import { authorVariables, pickVariables } from '../../ground/process/environment.js'

const childVariables = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', ...authorVariables]

/** Returns the environment of tools' child processes: enough for a shell, and none of the service's secrets. */
export const childEnvironment = (env: Record<string, string>): Record<string, string> => pickVariables(env, childVariables)
