import { authorVariables, pickVariables, searchPath } from '../../ground/process/environment.js'

// Every git command of a process gets the same variables, wherever it is run, so they are set once instead of being passed to all that run
// git. Nothing else may be kept like this; `npm run lint` lets only the files of this folder read it.

let started: NodeJS.ProcessEnv | null = null

/** Sets the environment from which git gets its variables. Called once, by the entry of a program. */
export function gitStartsIn (environment: NodeJS.ProcessEnv): void {
  started = environment
}

/** Variables that locate the ssh agent and the machine's certificates. Apart from these and the proxy's, git gets none for the network. */
const forTransport = ['SSH_AUTH_SOCK', 'GIT_SSL_CAINFO', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE']

/** Returns the variables that locate programs and the user's settings, and those that name the author. */
export function gitVariables (): Partial<Record<typeof authorVariables[number] | 'XDG_CONFIG_HOME', string>> & { PATH: string, HOME: string } {
  const { PATH, HOME = '/' } = environment()
  return { ...pickVariables(environment(), [...authorVariables, 'XDG_CONFIG_HOME']), PATH: searchPath(PATH), HOME }
}

/** Returns the variables that git gets only for talking to remotes. */
export const transportVariables = (): Record<string, string> => pickVariables(environment(), forTransport)

function environment (): NodeJS.ProcessEnv {
  if (started === null) throw new Error('The entry of this program has not called gitStartsIn')
  return started
}
