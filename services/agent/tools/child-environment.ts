import { authorVariables, chosen } from '../../ground/process/environment.js'

const childVariables = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', ...authorVariables]

/** What child processes of tools may see: enough to be a shell, nothing of the service's secrets. */
export const childEnvironment = (env: Record<string, string>): Record<string, string> => chosen(env, childVariables)
